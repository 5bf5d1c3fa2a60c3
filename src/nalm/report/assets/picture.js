function narrowed(part, room) {
  // No panel is wider than the window.
  if (Array.isArray(part)) part.forEach((each) => narrowed(each, room));
  else if (part && typeof part === "object") {
    if (typeof part.width === "number") part.width = Math.max(120, Math.min(part.width, room));
    for (const [name, each] of Object.entries(part)) if (name !== "data") narrowed(each, room);
  }
  return part;
}

async function draw() {
  const target = document.querySelector(".chart"), room = target.clientWidth;
  const spec = narrowed(structuredClone(data), room - 90), shown = options();
  delete spec.config; // the colours are those of the page
  shown.actions = { export: true, source: false, compiled: false, editor: false };
  if (room < 640) shown.config.legend.orient = "bottom";
  for (let columns = spec.columns ?? spec.concat?.length ?? 1; columns > 0; columns--) {
    if (spec.concat) spec.columns = columns;
    await window.vegaEmbed(target, spec, shown);
    if (target.querySelector("svg.marks").viewBox.baseVal.width <= room) break;
  }
}

async function start() {
  await draw();
  document.body.dataset.ready = "yes";
  let width = document.body.clientWidth, waiting = null;
  window.addEventListener("resize", () => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 150);
  });
}

if (window.vegaEmbed) start();
else window.addEventListener("vega-ready", start);
