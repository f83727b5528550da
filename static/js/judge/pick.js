// Select sentences of the document by keyboard: arrows go on and back, with Shift they extend, Esc
// ends. `p` then highlights the selection as it does one made by mouse.
import { announce, format, showMessage, texts } from "./bar.js";
import { isShown, rangeOf, show, textMap } from "./text.js";

const MOST_SAID = 120;
let sentences = []; // {map, start, end} in the order of the text
let [from, to] = [-1, -1];
let article = null;

function* split(block) {
  const map = textMap(block);
  const parts = "Segmenter" in Intl
    ? [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(map.text)].map((it) => [it.index, it.segment])
    : [[0, map.text]];
  for (const [index, text] of parts) {
    const bare = text.trim();
    const start = index + text.indexOf(bare);
    if (bare) yield { map, start, end: start + bare.length };
  }
}

const rangeFor = ({ map, start, end }) => rangeOf(map, start, end).range;

function select() {
  const first = rangeFor(sentences[Math.min(from, to)]);
  const last = rangeFor(sentences[Math.max(from, to)]);
  first.setEnd(last.endContainer, last.endOffset);
  const selection = document.getSelection();
  selection.removeAllRanges();
  selection.addRange(first);
  const now = rangeFor(sentences[to]);
  show(now);
  const text = now.toString();
  announce(format(texts.picked, { text: text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text }));
}

// Begins with the current term's sentence, else with the first one in sight. False without text.
export function startPicking(node) {
  const blocks = [...node.querySelectorAll(".reading :is(p, pre)[data-start]")].filter(isShown);
  sentences = blocks.flatMap((block) => [...split(block)]);
  if (!sentences.length) return false;
  article = node;
  const term = [...(CSS.highlights?.get("term-now") ?? [])][0];
  const top = node.getBoundingClientRect().top;
  const holds = (range) => term && range.isPointInRange(term.startContainer, term.startOffset);
  const ranges = sentences.map(rangeFor);
  const at = ranges.findIndex(holds);
  from = to = at >= 0 ? at : Math.max(0, ranges.findIndex((range) => range.getBoundingClientRect().top >= top));
  select();
  return true;
}

const isPicking = () =>
  article?.isConnected && !article.hidden && !document.getSelection().isCollapsed && !document.querySelector(":popover-open");

// False if no sentence was being selected.
export function stopPicking() {
  const active = isPicking();
  article = null;
  if (!active) return false;
  document.getSelection().removeAllRanges();
  showMessage("");
  announce(texts.pickEnded);
  return true;
}

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

document.addEventListener("keydown", (event) => {
  if (!article) return;
  if (!isPicking()) return void (article = null);
  const step = STEPS[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  to = Math.min(Math.max(to + step, 0), sentences.length - 1);
  if (!event.shiftKey) from = to;
  select();
}, true);
