// Find in the document; parts not loaded yet are loaded up to the end.
import { announce } from "./bar.js";
import { around, makeTaker, paint, rangeOf, show, textMap, unsearched } from "./text.js";

const MOST = 5_000;
const WAIT_MS = 120; // After the last letter.

const BROKEN = "(?:\\u00ad|-\\s*\\n\\s*)?"; // Between two letters: a soft hyphen, or a word over the end of a line.

function pattern(text) {
  const words = text.split(/\s+/u).map((word) => [...word].map(escape).join(BROKEN));
  return new RegExp(words.join("\\s+"), "giu");
}

const escape = (letter) => (letter === "-" ? "-(?:\\s*\\n\\s*)?" : letter.replace(/[\\^$.*+?()[\]{}|]/, "\\$&"));

export function makeFind({ box, current, readOn, texts, format, leave }) {
  const field = box.querySelector("input");
  const count = box.querySelector("output");
  let article = null;
  let query = "";
  let ranges = [];
  let take = null;
  let painted = null; // The ranges that are marked, and how many of them.
  let at = -1;
  let more = false;
  let turn = 0;
  let timer = 0;

  // Searches text added to the document since the last search.
  function search() {
    for (const root of take()) {
      const map = textMap(root);
      let hint = 0;
      for (const hit of map.text.matchAll(pattern(query))) {
        if (ranges.length >= MOST) return;
        const { range, at: place } = rangeOf(map, hit.index, hit.index + hit[0].length, hint);
        hint = place;
        ranges.push(range);
      }
    }
  }

  function draw() {
    if (painted?.ranges !== ranges || painted.count !== ranges.length) paint("found", ranges);
    painted = { ranges, count: ranges.length };
    paint("found-now", ranges[at] ? [ranges[at]] : []);
    const missed = query && !more && article ? unsearched(article, texts) : "";
    const found = ranges.length || more ? format(more ? texts.matchesSoFar : texts.matches, { at: at + 1, n: ranges.length }) : "";
    if (!query) count.value = "";
    else if (missed) count.value = [found, format(texts.notSearched, { what: missed })].filter(Boolean).join(" · ");
    else count.value = found || texts.notFound;
  }

  async function begin() {
    const mine = (turn += 1);
    const next = field.value.trim();
    if (next === query && article === current()) return;
    article = current();
    query = next;
    at = -1;
    ranges = [];
    take = article && makeTaker(article);
    more = false;
    if (query && article) await through(mine);
    draw();
  }

  async function through(mine) {
    more = true;
    while (mine === turn) {
      search();
      if (at < 0 && ranges.length) step(1);
      draw();
      if (!(await readOn(article))) break;
    }
    if (mine === turn) more = false;
  }

  function step(by) {
    if (article !== current()) return void begin();
    if (!ranges.length) return;
    at = (at + by + ranges.length) % ranges.length;
    draw();
    show(ranges[at]);
    announce(around(ranges[at]));
  }

  function open() {
    box.hidden = false;
    field.focus();
    field.select();
    if (field.value) begin();
  }

  function close() {
    turn += 1;
    query = "";
    ranges = [];
    at = -1;
    article = null;
    draw();
    if (box.hidden) return false;
    box.hidden = true;
    leave();
    return true;
  }

  // Another of the two languages is shown.
  document.addEventListener("languages", () => {
    if (box.hidden) return;
    article = null;
    begin();
  });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(begin, WAIT_MS);
  });
  field.addEventListener("keydown", async (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter") {
      event.preventDefault();
      clearTimeout(timer);
      if (field.value.trim() === query) step(event.shiftKey ? -1 : 1);
      else await begin();
    }
  });
  box.addEventListener("click", (event) => {
    const by = event.target.closest("[data-find]")?.dataset.find;
    if (by === "0") close();
    else if (by) step(Number(by));
  });
  return { open, close };
}
