const order = new Intl.Collator("en", { numeric: true });
const number = (text) => parseFloat(text.replace(/,/g, ""));

function sortTable(table, column, down) {
  const rows = [...table.tBodies[0].rows], text = (row) => row.cells[column]?.textContent.trim() ?? "";
  const numbers = rows.every((row) => !text(row) || !isNaN(number(text(row))));
  const by = numbers
    ? (a, b) => (number(text(a)) || 0) - (number(text(b)) || 0)
    : (a, b) => order.compare(text(a), text(b));
  rows.sort(by);
  if (down) rows.reverse();
  table.tBodies[0].append(...rows);
  [...table.tHead.rows[0].cells].forEach((head, i) =>
    i === column ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort")
  );
}

function csvOf(table) {
  const rows = [...table.rows].filter((row) => !row.hidden);
  const cells = (row) => [...row.cells].filter((cell) => !cell.hidden);
  const quoted = (cell) => `"${cell.innerText.trim().replace(/\s*\n\s*/g, " ").replace(/"/g, '""')}"`;
  return rows.map((row) => cells(row).map(quoted).join(",")).join("\r\n") + "\r\n";
}

function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  link.download = name.replace(/[^A-Za-z0-9.-]+/g, "_") + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function prepareTable(table) {
  const heads = [...table.tHead.rows[0].cells], tools = document.createElement("p");
  tools.className = "tools";
  heads.forEach((head, i) => {
    head.tabIndex = 0;
    head.title = "Sort";
    const sort = () => sortTable(table, i, head.ariaSort === "ascending");
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => event.key === "Enter" && sort());
  });
  if (table.classList.contains("cards")) {
    for (const row of table.tBodies[0].rows)
      [...row.cells].forEach((cell, i) => (cell.dataset.label = heads[i]?.textContent ?? ""));
    const choice = document.createElement("select");
    choice.setAttribute("aria-label", "Sort by");
    choice.append(new Option("Sort by", ""), ...heads.map((head, i) => new Option(head.textContent, i)));
    choice.addEventListener("change", () => choice.value && sortTable(table, Number(choice.value), false));
    tools.append(choice);
  }
  const button = document.createElement("button");
  button.textContent = "CSV";
  button.title = "Download the rows that are shown";
  const section = table.closest("[data-experiment]")?.dataset.experiment ?? "nalm";
  button.addEventListener("click", () => download(`${section}-${table.dataset.csv}`, csvOf(table)));
  tools.append(button);
  table.parentElement.after(tools);
}

function openForPrint() {
  for (const part of document.querySelectorAll("details:not([open]):not(.screen)")) {
    part.dataset.printed = "yes";
    part.open = true;
  }
}

function closeAfterPrint() {
  for (const part of document.querySelectorAll("details[data-printed]")) {
    delete part.dataset.printed;
    part.open = false;
  }
}

window.addEventListener("beforeprint", openForPrint);
window.addEventListener("afterprint", closeAfterPrint);
