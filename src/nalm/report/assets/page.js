"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
const options = {
  actions: false,
  renderer: "svg",
  theme: dark ? "dark" : undefined,
  config: { background: "transparent" },
};

async function drawSection(section) {
  const mine = data[section.dataset.experiment];
  const views = [];
  for (const [name, spec] of Object.entries(mine.panels)) {
    const place = section.querySelector(`[data-panel="${name}"]`);
    views.push((await window.vegaEmbed(place, spec, options)).view);
  }
  for (const select of section.querySelectorAll("[data-filter]")) {
    select.addEventListener("change", () => {
      for (const view of views) view.signal(select.dataset.filter, select.value || null).run();
    });
  }
  const curves = section.querySelector(".curves");
  let view = null;
  const fill = () => {
    const cell = mine.cells[Number(curves.querySelector(".cell").value)];
    const points = cell.runs.flatMap((run) =>
      run.steps.map((step, i) => ({ seed: run.seed, solved: run.solved, step, test: run.test[i] }))
    );
    view.data("curves", points.filter((point) => point.test !== null)).run();
  };
  curves.addEventListener("toggle", async () => {
    if (!curves.open || view) return;
    view = (await window.vegaEmbed(curves.querySelector(".chart"), mine.curves, options)).view;
    fill();
  });
  curves.querySelector(".cell").addEventListener("change", () => view && fill());
}

async function draw() {
  for (const section of document.querySelectorAll("[data-experiment]")) await drawSection(section);
  document.body.dataset.ready = "yes";
}

if (window.vegaEmbed) draw();
else window.addEventListener("vega-ready", draw);
