// Tables that sort by a click on a column head and filter by text. Without this file they
// are plain tables in the server's order.
//
// <th data-sort> or <th data-sort="text"> makes a column sortable; a cell's data-value
// takes precedence over its text. Cells without a number go last in both directions.
// A link of class "about" and the ? of a word (class "what") in a head stay next to the button.
//
// A table wider than its place: columns rest from the right until it fits, except the first and
// those whose head has data-main; a line below counts them and can show them all. A matrix
// (.table with data-matrix) and a table with controls or joined cells pans sideways instead.

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
  for (const head of root.querySelectorAll("table.data thead th[data-sort]:not(:has(> button))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...[...head.childNodes].filter((node) => !node.matches?.(".about, .what")));
    head.prepend(button);
  }
  for (const input of root.querySelectorAll("[data-filter-for]")) {
    input.closest("[hidden]")?.removeAttribute("hidden");
  }
  for (const box of root.querySelectorAll(".table")) watcher.observe(box);
}

function columnCells(table, column) {
  return [...table.rows].map((row) => row.cells[column]).filter(Boolean);
}

function canFold(box, table) {
  return !("matrix" in box.dataset || "all" in box.dataset
    || table.querySelector("tbody :is(input, select, button, textarea), [colspan], [rowspan]"));
}

const isWide = (box, table) => table.getBoundingClientRect().width > box.clientWidth + 1;

function setCue(box, text, button) {
  let cue = box.nextElementSibling;
  if (!cue?.matches("p.cue.made")) {
    if (!text) return;
    cue = document.createElement("p");
    cue.className = "cue made";
    box.after(cue);
  }
  cue.hidden = !text;
  cue.replaceChildren(text);
  if (button) cue.append(" ", button);
}

function showAllButton(box) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = document.body.dataset.showColumns;
  button.addEventListener("click", () => {
    box.dataset.all = "";
    fitTable(box);
    box.focus();
  });
  return button;
}

function foldColumns(box, table) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  box.classList.add("folded");
  let count = 0;
  for (let at = heads.length - 1; at > 0 && isWide(box, table); at -= 1) {
    if ("main" in heads[at].dataset || !heads[at].offsetWidth) continue;
    for (const cell of columnCells(table, at)) cell.classList.add("rests");
    count += 1;
  }
  if (count) {
    const name = count === 1 ? "oneColumn" : "moreColumns";
    setCue(box, document.body.dataset[name].replace("{n}", count), showAllButton(box));
  }
}

function markCut(box) {
  const table = box.querySelector("table");
  const [start, end] = [Math.abs(box.scrollLeft), box.scrollWidth - box.clientWidth];
  box.classList.toggle("cut-start", start > 1);
  box.classList.toggle("cut-end", start < end - 1);
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])].slice(1).filter((head) => head.offsetWidth);
  const edge = box.getBoundingClientRect();
  const first = table.rows[0]?.cells[0]?.getBoundingClientRect().right ?? edge.left;
  const count = heads.filter((head) => {
    const place = head.getBoundingClientRect();
    return place.left >= first - 1 && place.right <= edge.right + 1;
  }).length;
  const text = box.dataset.cue ?? document.body.dataset.cue ?? "";
  setCue(box, end > 1 ? text.replace("{n}", count).replace("{all}", heads.length) : "");
}

function panTable(box) {
  box.classList.add("pans");
  box.tabIndex = 0;
  if (!box.dataset.watched) {
    box.dataset.watched = "true";
    box.addEventListener("scroll", () => markCut(box), { passive: true });
  }
  markCut(box);
}

function fitTable(box) {
  const table = box.querySelector("table");
  if (!table || !box.clientWidth) return;
  const start = box.scrollLeft;
  box.classList.remove("folded", "pans", "cut-start", "cut-end");
  for (const cell of table.querySelectorAll(".rests")) cell.classList.remove("rests");
  box.removeAttribute("tabindex");
  setCue(box, "");
  if (isWide(box, table) && canFold(box, table)) foldColumns(box, table);
  if (isWide(box, table)) panTable(box);
  if (box.classList.contains("pans")) box.scrollLeft = start;
}

// Only a change of width counts: columns that rest make a table longer.
const widths = new WeakMap();
const watcher = new ResizeObserver((changes) => {
  for (const { target, contentRect } of changes) {
    if (widths.get(target) === contentRect.width) continue;
    widths.set(target, contentRect.width);
    fitTable(target);
  }
});

document.addEventListener("click", (event) => {
  const head = event.target.closest("table.data thead th[data-sort]");
  if (head && event.target.closest("th > button")) sortBy(head);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter-for]")) filterBy(event.target);
});
