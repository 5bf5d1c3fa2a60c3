async function draw() {
  for (const [name, spec] of Object.entries(data)) {
    const target = document.querySelector(`[data-chart="${name}"]`);
    await window.vegaEmbed(target, spec, options());
  }
  document.body.dataset.ready = "yes";
}

function start() {
  dark.addEventListener("change", draw);
  draw();
}

if (window.vegaEmbed) start();
else window.addEventListener("vega-ready", start);
