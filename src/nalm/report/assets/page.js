const NARROWEST = 110, WIDEST = 380, GAP = 14, LETTER = 5.6, LABELS = 170;

const different = (values, field) => [...new Set(values.map((value) => value[field]))];

const nameOf = (values) => (different(values, "op").length > 1 ? "full" : "line");

function layout(values, width) {
  const name = nameOf(values);
  const columns = different(values, "column"), lines = different(values, name);
  const longest = Math.max(0, ...lines.map((line) => line.length)) * LETTER + 14;
  const room = width - Math.min(longest, LABELS) - 8;
  const head = Math.max(0, ...columns.map((column) => column.length)) * LETTER;
  const narrowest = Math.max(NARROWEST, head) + GAP;
  const most = Math.max(1, Math.min(columns.length, Math.floor(room / narrowest)));
  const count = Math.ceil(columns.length / Math.ceil(columns.length / most)) || 1;
  return { name, columns, lines, count, width: Math.min(WIDEST, Math.floor(room / count - GAP)) };
}

function filled(panel, values, grid, colors) {
  const spec = structuredClone(panel);
  delete spec.config; // the colours are those of the page
  spec.data = { values };
  spec.columns = grid.count;
  spec.spec.width = grid.width;
  spec.facet.sort = grid.columns;
  const units = Object.keys(colors);
  const scale = { domain: units, range: units.map((unit) => `var(--u${colors[unit]})`) };
  for (const layer of spec.spec.layer) {
    layer.encoding.y.field = grid.name;
    layer.encoding.y.sort = grid.lines;
    layer.encoding.color.scale = scale;
  }
  return spec;
}

const PARTS = ["unit", "op", "range", "inputs", "setting"];
const filtersOf = (section) =>
  [...section.querySelectorAll("[data-filter]")].filter((select) => select.value);
const printable = (text) => text.replace(/[\p{C}\p{Z}]/gu, " ");

function chosen(section, values) {
  const filters = filtersOf(section);
  return values.filter((row) => filters.every((f) => "=" + row[f.dataset.filter] === f.value));
}

function hideOthers(section) {
  const filters = filtersOf(section);
  for (const part of section.querySelectorAll(PARTS.map((name) => `[data-${name}]`).join())) {
    part.hidden = filters.some((f) => {
      const mine = part.dataset[f.dataset.filter];
      return mine !== undefined && "=" + printable(mine) !== printable(f.value);
    });
  }
  const choice = section.querySelector("select.cell");
  if (choice.selectedOptions[0]?.hidden) {
    const left = [...choice.options].find((option) => !option.hidden);
    if (left) choice.value = left.value;
    choice.dispatchEvent(new Event("change"));
  }
}

async function drawPanels(section) {
  const mine = data[section.dataset.experiment];
  const values = chosen(section, mine.values);
  const panels = section.querySelector(".panels");
  if (!panels) return; // drawn by length instead
  const grid = layout(values, panels.clientWidth);
  panels.classList.toggle("empty", values.length === 0);
  for (const [name, panel] of Object.entries(mine.panels)) {
    const target = panels.querySelector(`[data-panel="${name}"]`);
    const shown = values.filter((value) => value.panel === name);
    const some = shown.some((value) => value.value !== null);
    target.hidden = !some;
    if (some) await window.vegaEmbed(target, filled(panel, shown, grid, mine.colors), options());
  }
}

const ERRORS = [["test", "error on the test range"], ["validation", "error on the training range"]];
const STATES = [["solved", "var(--u0)"], ["not solved", "var(--u1)"]];

function drawCurves(section) {
  const mine = data[section.dataset.experiment], curves = section.querySelector(".curves");
  const cell = mine.cells[Number(curves.querySelector("select.cell").value)];
  const values = cell.runs.flatMap((run) =>
    ERRORS.flatMap(([name, of]) =>
      run[name].map((error, i) => ({
        of, error, seed: run.seed, run: run.solved ? "solved" : "not solved",
        step: cell.steps[i], threshold: cell.threshold,
      }))
    )
  );
  const spec = structuredClone(mine.curves), present = different(values, "run");
  delete spec.config;
  delete spec.datasets;
  spec.data = { values };
  const states = STATES.filter(([name]) => present.includes(name));
  const room = section.clientWidth;
  spec.columns = room > 700 ? 2 : 1;
  spec.spec.width = Math.floor(room / spec.columns - 75);
  const [lines] = spec.spec.layer;
  lines.encoding.color.scale = { domain: states.map((s) => s[0]), range: states.map((s) => s[1]) };
  return window.vegaEmbed(curves.querySelector(".chart"), spec, options());
}

async function drawPicture(mine, target) {
  const width = target.clientWidth || target.closest("section").clientWidth; // if it is folded away
  const spec = structuredClone(mine.pictures[target.dataset.picture]);
  delete spec.config;
  const inner = spec.spec, room = 75 + (inner.height?.step ? 120 : 0);
  const widest = inner.height?.step ? 320 : 360;
  spec.columns = Math.max(1, Math.floor(width / widest));
  inner.width = Math.max(120, Math.min(340, Math.floor(width / spec.columns) - room));
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

async function drawTheRest(sections) {
  // A page prints whole: what is far below or folded away is drawn when there is time.
  for (const section of sections) {
    await new Promise((done) => setTimeout(done, 20));
    if (!drawn.has(section)) {
      drawn.add(section);
      await drawPanels(section);
      await drawPictures(section);
    }
    if (!section.querySelector(".curves").open) await drawCurves(section);
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

function redrawFiltered(section) {
  hideOthers(section);
  return drawPanels(section);
}

async function start() {
  const sections = [...document.querySelectorAll("[data-experiment]")];
  for (const section of sections) {
    hideOthers(section);
    const curves = section.querySelector(".curves");
    if (curves.open) drawCurves(section);
    curves.addEventListener("toggle", () => curves.open && drawCurves(section));
    curves.querySelector("select.cell").addEventListener("change", () => drawCurves(section));
    for (const part of section.querySelectorAll(".pictured"))
      part.addEventListener("toggle", () => part.open && drawPictures(section));
    for (const select of section.querySelectorAll("[data-filter]"))
      select.addEventListener("change", () => redrawFiltered(section));
  }
  document.querySelectorAll("table[data-csv]").forEach(prepareTable);
  const seen = sections.map(whenSeen);
  let width = document.body.clientWidth, waiting = null;
  window.addEventListener("resize", () => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 150);
  });
  await seen[0];
  document.body.dataset.ready = "yes";
  await drawTheRest(sections);
  document.body.dataset.whole = "yes";
}

if (window.vegaEmbed) start();
else window.addEventListener("vega-ready", start);
