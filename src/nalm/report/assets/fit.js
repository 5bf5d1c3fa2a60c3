async function draw() {
  for (const [name, spec] of Object.entries(data)) {
    const target = document.querySelector(`[data-chart="${name}"]`);
    await window.vegaEmbed(target, spec, options());
  }
  document.body.dataset.ready = "yes";
}

function selectText(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // Pages from disk may not use the clipboard: the text is selected, one key copies it.
    selectText(source);
    button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function fitFormula() {
  // A formula is as large as its window allows; one that would be too small is scrolled.
  const formula = document.querySelector(".formula");
  if (!formula) return;
  formula.style.fontSize = "";
  const share = formula.clientWidth / formula.scrollWidth;
  const size = parseFloat(getComputedStyle(formula).fontSize);
  if (share < 1) formula.style.fontSize = `${Math.max(10, 0.98 * share * size)}px`;
}

function start() {
  fitFormula();
  window.addEventListener("resize", fitFormula);
  for (const button of document.querySelectorAll("[data-copy]"))
    button.addEventListener("click", () => copy(button));
  dark.addEventListener("change", draw);
  draw();
}

if (window.vegaEmbed) start();
else window.addEventListener("vega-ready", start);
