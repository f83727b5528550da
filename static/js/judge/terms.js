// Topic terms, highlighted in the document without changing its layout; n and N jump. Words of the
// description are left out where with them more than one word in MOST_MARKED would be marked.
import { format, showMessage } from "./bar.js";
import { around, makeTaker, paint, show, textNodes, unsearched } from "./text.js";
import { finder } from "./stemming.js";

const MOST = 5_000;
const MOST_MARKED = 25;
const LETTERS = 6; // Of a word and the space after it, roughly.
const SLICE_MS = 12; // Work per slice, so that highlighting never blocks reading.
const DRAW_MS = 250; // To mark thousands of words anew takes longer than a slice.

// What the next line of a PDF page has of the word that ends this one with a hyphen.
function endOfWord(node, next) {
  return node.data.endsWith("-") ? (/^[\p{L}\p{M}]+/u.exec(next?.data)?.[0] ?? "") : "";
}

const nextLine = ({ parentElement: line }) => line.matches("[data-box]") && line.nextElementSibling?.firstChild;

export function makeTerms({ readOn, announce, texts }) {
  const wordsOf = (place) => [...document.querySelectorAll(`.judge-topic ${place}`)].map((it) => it.textContent).join(" ");
  let words = null;
  let find = null;
  let findMain = null; // Words of the title, and the assessor's own.
  let article = null;
  let all = [];
  let main = [];
  let letters = 0;
  let ranges = []; // What is marked: all, or the main ones alone.
  let take = null;
  let nodes = []; // Of the text so far; those before the place `done` have been looked through.
  let done = 0;
  let begun = 0; // Letters of the next node that are marked with the one before.
  let drawnAt = -Infinity;
  let at = -1;
  let on = true;
  let turn = 0;

  function draw() {
    drawnAt = performance.now();
    const before = ranges;
    ranges = all.length * LETTERS * MOST_MARKED > letters && main.length ? main : all;
    if (before !== ranges) at = ranges.indexOf(before[at]);
    paint("term", on ? ranges : []);
    paint("term-now", on && ranges[at] ? [ranges[at]] : []);
  }

  // Highlights terms in newly added text, in small slices.
  async function highlight() {
    const mine = (turn += 1);
    let until = performance.now() + SLICE_MS;
    for (const root of take()) for (const node of textNodes(root)) nodes.push(node);
    while (done < nodes.length) {
      mark(nodes[done++]);
      if (performance.now() < until) continue;
      if (performance.now() > drawnAt + DRAW_MS) draw();
      await new Promise((resolve) => setTimeout(resolve));
      if (mine !== turn) return;
      until = performance.now() + SLICE_MS;
    }
    draw();
  }

  function mark(node) {
    letters += node.data.length;
    if (!node.data.trim() || all.length >= MOST) return;
    const next = nextLine(node);
    const rest = endOfWord(node, next);
    const text = rest ? `${node.data}\n${rest}` : node.data;
    let broken = 0;
    for (const [start, end] of find(text)) {
      if (all.length >= MOST) break;
      if (start < begun || start > node.data.length) continue;
      const range = node.ownerDocument.createRange();
      range.setStart(node, start);
      if (end > node.data.length) range.setEnd(next, (broken = end - node.data.length - 1));
      else range.setEnd(node, end);
      all.push(range);
      if (!findMain(text.slice(start, end)).next().done) main.push(range);
    }
    begun = broken;
  }

  async function jump(step) {
    if (!article) return;
    await highlight();
    if (step > 0 && at + 1 >= ranges.length && (await readOn(article))) await highlight();
    if (!ranges.length) {
      const missed = unsearched(article, texts);
      return missed ? showMessage(format(texts.notSearched, { what: missed })) : announce(texts.noTerms);
    }
    if (!on) toggle();
    at = at < 0 && step < 0 ? ranges.length - 1 : (at + step + ranges.length) % ranges.length;
    draw();
    show(ranges[at]);
    announce(`${format(texts.matches, { at: at + 1, n: ranges.length })}: ${around(ranges[at])}`);
  }

  function toggle() {
    on = !on;
    draw();
    announce(on ? texts.termsOn : texts.termsOff);
  }

  const api = {
    look(next) {
      if (next !== article) {
        const current = wordsOf("[data-terms]");
        if (words !== current) {
          find = finder((words = current));
          findMain = finder(wordsOf("[data-terms]:not([data-terms=description])"));
        }
        article = next;
        [all, main, letters] = [[], [], 0];
        take = article && makeTaker(article);
        [nodes, done, begun, at] = [[], 0, 0, -1];
        drawnAt = -Infinity;
        draw();
      }
      return article ? highlight() : null;
    },
    jump,
    toggle,
  };
  document.addEventListener("words", () => {
    const here = article;
    api.look(null);
    api.look(here);
  });
  return api;
}
