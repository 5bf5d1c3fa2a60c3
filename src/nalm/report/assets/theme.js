"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");

const text = "var(--text)", line = "var(--line)"; // so that a chart changes with its page

function options() {
  return {
    actions: false,
    renderer: "svg",
    config: {
      background: "transparent",
      font: "system-ui, sans-serif",
      axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line },
      header: { labelColor: text, titleColor: text },
      legend: { labelColor: text, titleColor: text },
      title: { color: text, subtitleColor: text },
      rule: { color: text },
      view: { stroke: line },
    },
  };
}
