"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function options() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const text = colour("--text"), line = colour("--line");
  return {
    actions: false,
    renderer: "svg",
    config: {
      background: "transparent",
      font: "system-ui, sans-serif",
      range: { category: ["--agrees", "--differs", "--incomparable", "--unpublished"].map(colour) },
      axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line },
      header: { labelColor: text },
      legend: { labelColor: text, titleColor: text },
      title: { color: text },
      view: { stroke: line },
    },
  };
}

