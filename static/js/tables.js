// Tables that sort by a click on a column head and filter by text. Without this file they
// are plain tables in the server's order.
//
// <th data-sort> or <th data-sort="text"> makes a column sortable; a cell's data-value
// takes precedence over its text. Cells without a number go last in both directions.
// A link of class "about" in a head stays a link next to the button.

const language = document.documentElement.lang;
const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });

// A cell's text has numbers in the format of the language, its data-value in that of programs.
const [, grouping, , decimal] = new Intl.NumberFormat(language)
  .formatToParts(11111.5)
  .map((part) => part.value);

function numberIn(text) {
  const bare = text.replace("−", "-").replace(/\s*%$/, "");
  return bare === "" ? NaN : Number(bare.replaceAll(grouping, "").replace(decimal, "."));
}

function valueOf(row, column) {
  const cell = row.cells[column];
  const plain = cell?.dataset.value;
  const text = (plain ?? cell?.textContent ?? "").trim();
  return { text, number: plain === undefined ? numberIn(text) : text === "" ? NaN : Number(text) };
}

function compare(a, b, sign, asText) {
  if (!asText) {
    const [x, y] = [a.number, b.number];
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    if (!Number.isNaN(x)) return sign * (x - y);
  }
  if ((a.text === "") !== (b.text === "")) return a.text === "" ? 1 : -1;
  return sign * collator.compare(a.text, b.text);
}

function sortBy(head) {
  const table = head.closest("table");
  const asText = head.dataset.sort === "text";
  const first = head.classList.contains("num") ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  const sign = order === "ascending" ? 1 : -1;
  for (const th of head.parentElement.cells) th.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const keyed = [...table.tBodies[0].rows].map((row) => [valueOf(row, head.cellIndex), row]);
  keyed.sort(([a], [b]) => compare(a, b, sign, asText));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
}

function filterBy(input) {
  const table = document.getElementById(input.dataset.filterFor);
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...table.tBodies[0].rows];
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  const count = rows.filter((row) => !row.hidden).length;
  const output = input.parentElement.querySelector("output");
  const text = (input.dataset.of ?? "{n} of {all}").replace("{n}", count);
  if (output) output.textContent = words.length ? text.replace("{all}", rows.length) : "";
}

export function dressTables(root) {
  for (const head of root.querySelectorAll("table.data thead th[data-sort]:not(:has(button))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...[...head.childNodes].filter((node) => !node.matches?.(".about")));
    head.prepend(button);
  }
  for (const input of root.querySelectorAll("[data-filter-for]")) {
    input.closest("[hidden]")?.removeAttribute("hidden");
  }
}

document.addEventListener("click", (event) => {
  const head = event.target.closest("table.data thead th[data-sort]");
  if (head && event.target.closest("button")) sortBy(head);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter-for]")) filterBy(event.target);
});
