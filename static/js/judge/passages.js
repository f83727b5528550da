// Passages that show why a document is relevant, highlighted by selecting them.
import { announce, format } from "./bar.js";
import { startPicking } from "./pick.js";
import { framedDocuments, isShown, paint, rangeOf, textMap } from "./text.js";

const MOST_CHARACTERS = 5_000;
const MOST = 50;

const characters = (text) => [...text].length; // Code points, as the server counts.

function selection(article) {
  const inside = framedDocuments(article).map((it) => it.getSelection());
  const active = inside.find((it) => it && !it.isCollapsed) ?? document.getSelection();
  return active && !active.isCollapsed && active.rangeCount ? active : null;
}

// Offsets are of the original: a passage of the translation has its text alone.
const BLOCKS = ".reading :is(p, pre)[data-start]";
const isTranslation = (block) => Boolean(block.closest(".translation"));

// A selection over several blocks gives one passage per block: the page does not have the text
// between blocks.
function* parts(range, article) {
  for (const block of article.querySelectorAll(BLOCKS)) {
    if (!range.intersectsNode(block) || !isShown(block)) continue;
    const part = document.createRange();
    part.selectNodeContents(block);
    if (block.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
    if (block.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
    const text = part.toString();
    const lead = text.length - text.trimStart().length;
    if (!text.trim()) continue;
    const before = document.createRange();
    before.selectNodeContents(block);
    before.setEnd(part.startContainer, part.startOffset);
    const start = Number(block.dataset.start) + characters(before.toString()) + characters(text.slice(0, lead));
    const bare = text.trim();
    if (isTranslation(block)) yield [null, null, bare];
    else yield [start, start + characters(bare), bare];
  }
}

// The selection in the article as [[start, end, text], …]; in a framed page without offsets.
function selectedPassages(article) {
  const active = selection(article);
  if (!active) return [];
  const range = active.getRangeAt(0);
  if (range.startContainer.ownerDocument !== document) {
    const text = active.toString().trim();
    return text ? [[null, null, text]] : [];
  }
  return article.contains(range.commonAncestorContainer) ? [...parts(range, article)] : [];
}

function rangeIn(article, [start, end, text]) {
  if (start === null) {
    const places = [...framedDocuments(article).map((it) => it.body), article];
    return places.reduce((found, place) => found ?? textRange(place, text), null);
  }
  for (const block of article.querySelectorAll(BLOCKS)) {
    if (isTranslation(block)) continue;
    const from = Number(block.dataset.start);
    const letters = [...block.textContent];
    if (start < from || end > from + letters.length) continue;
    const lead = letters.slice(0, start - from).join("").length;
    return rangeOf(textMap(block), lead, lead + text.length).range;
  }
  return null;
}

function textRange(root, text) {
  const map = textMap(root);
  const at = map.text.indexOf(text);
  return at < 0 ? null : rangeOf(map, at, at + text.length).range;
}

export function makePassages({ list, showMessage, texts, current, changed }) {
  const own = () => current()?.passages ?? [];

  function draw() {
    if (!list) return;
    const doc = current();
    const ranges = own().map((passage) => rangeIn(doc.node, passage)).filter(Boolean);
    paint("passage", ranges);
    list.replaceChildren(
      ...own().map(([, , text], at) => {
        const item = document.createElement("li");
        const quote = document.createElement("q");
        quote.textContent = text.length > 90 ? `${text.slice(0, 88)}…` : text;
        quote.dir = "auto";
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.remove = at;
        button.textContent = "×";
        button.ariaLabel = texts.remove;
        item.append(quote, button);
        return item;
      }),
    );
  }

  function highlight() {
    const doc = current();
    if (!list || !doc) return;
    const added = selectedPassages(doc.node);
    if (!added.length) return startPicking(doc.node) ? showMessage(texts.pickHint) : showMessage(texts.noSelection);
    const fit = added.filter(([, , text]) => characters(text) <= MOST_CHARACTERS);
    const known = new Set(own().map((it) => JSON.stringify(it)));
    doc.passages = [...own(), ...fit.filter((it) => !known.has(JSON.stringify(it)))].slice(0, MOST);
    showMessage(fit.length < added.length ? texts.longPassage : "");
    selection(doc.node)?.removeAllRanges();
    draw();
    changed();
    const [, , text] = added.at(-1);
    if (fit.length) announce(format(texts.highlighted, { text: text.length > 90 ? `${text.slice(0, 88)}…` : text }));
  }

  list?.addEventListener("click", (event) => {
    const at = event.target.closest("[data-remove]")?.dataset.remove;
    if (at === undefined) return;
    current().passages = own().filter((_, place) => place !== Number(at));
    draw();
    changed();
    announce(texts.passageRemoved);
    (list.querySelectorAll("button")[Math.min(at, own().length - 1)] ?? current().node).focus();
  });
  return { draw, highlight };
}
