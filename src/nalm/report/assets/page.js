const NARROWEST = 64, GAP = 14, LETTER = 5.6, LABELS = 170;

const different = (values, field) => [...new Set(values.map((value) => value[field]))];

function layout(values, width) {
  const columns = different(values, "column"), lines = different(values, "line");
  const longest = Math.max(0, ...lines.map((line) => line.length)) * LETTER + 14;
  const room = width - Math.min(longest, LABELS) - 8;
  const head = Math.max(0, ...columns.map((column) => column.length)) * LETTER;
  const narrowest = Math.max(NARROWEST, head) + GAP;
  const most = Math.max(1, Math.min(columns.length, Math.floor(room / narrowest)));
  const count = Math.ceil(columns.length / Math.ceil(columns.length / most)) || 1;
  return { columns, lines, count, width: Math.floor(room / count - GAP) };
}

function filled(panel, values, grid) {
  const spec = structuredClone(panel);
  delete spec.config; // the colours are those of the page
  spec.data = { values };
  spec.columns = grid.count;
  spec.spec.width = grid.width;
  spec.facet.sort = grid.columns;
  for (const layer of spec.spec.layer) layer.encoding.y.sort = grid.lines;
  return spec;
}

function chosen(section, values) {
  const filters = [...section.querySelectorAll("[data-filter]")].filter((select) => select.value);
  return values.filter((row) => filters.every((f) => "=" + row[f.dataset.filter] === f.value));
}

async function drawPanels(section) {
  const mine = data[section.dataset.experiment];
  const values = chosen(section, mine.values);
  const panels = section.querySelector(".panels");
  const grid = layout(values, panels.clientWidth);
  panels.classList.toggle("empty", values.length === 0);
  for (const [name, panel] of Object.entries(mine.panels)) {
    const target = panels.querySelector(`[data-panel="${name}"]`);
    const shown = values.filter((value) => value.panel === name);
    const some = shown.some((value) => value.value !== null);
    target.hidden = !some;
    if (some) await window.vegaEmbed(target, filled(panel, shown, grid), options());
  }
}

function prepareCurves(section) {
  const mine = data[section.dataset.experiment];
  const curves = section.querySelector(".curves"), choice = curves.querySelector(".cell");
  const draw = () => {
    const cell = mine.cells[Number(choice.value)];
    const points = cell.runs.flatMap((run) =>
      run.test.map((test, i) => ({ seed: run.seed, solved: run.solved, step: cell.steps[i], test }))
    );
    const values = points.filter((point) => point.test !== null);
    const spec = { ...mine.curves, data: { values } };
    delete spec.config;
    return window.vegaEmbed(curves.querySelector(".chart"), spec, options());
  };
  curves.addEventListener("toggle", () => curves.open && draw());
  choice.addEventListener("change", draw);
}

async function drawPicture(mine, target) {
  if (!target.clientWidth) return; // inside something that is closed
  const spec = structuredClone(mine.pictures[target.dataset.picture]);
  delete spec.config;
  const inner = spec.spec, room = 75 + (inner.height?.step ? 120 : 0);
  const widest = inner.height?.step ? 320 : 360;
  spec.columns = Math.max(1, Math.floor(target.clientWidth / widest));
  inner.width = Math.max(120, Math.min(340, Math.floor(target.clientWidth / spec.columns) - room));
  await window.vegaEmbed(target, spec, options());
}

async function drawPictures(section) {
  const mine = data[section.dataset.experiment];
  for (const target of section.querySelectorAll("[data-picture]")) await drawPicture(mine, target);
}

const drawn = new Set();

function redraw() {
  for (const section of drawn) {
    drawPanels(section);
    drawPictures(section);
  }
}

function whenSeen(section) {
  return new Promise((done) => {
    const watch = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting) return;
      watch.disconnect();
      drawn.add(section);
      await drawPanels(section);
      await drawPictures(section);
      done();
    }, { rootMargin: "800px" });
    watch.observe(section);
  });
}

async function start() {
  const sections = [...document.querySelectorAll("[data-experiment]")];
  for (const section of sections) {
    prepareCurves(section);
    for (const part of section.querySelectorAll(".pictured"))
      part.addEventListener("toggle", () => part.open && drawPictures(section));
    for (const select of section.querySelectorAll("[data-filter]"))
      select.addEventListener("change", () => drawPanels(section));
  }
  const seen = sections.map(whenSeen);
  let width = document.body.clientWidth, waiting = null;
  window.addEventListener("resize", () => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 150);
  });
  dark.addEventListener("change", redraw);
  await seen[0];
  document.body.dataset.ready = "yes";
}

if (window.vegaEmbed) start();
else window.addEventListener("vega-ready", start);
