// The text of a document on screen: in the page itself or in a frame without scripts.

import { partsOf } from "./documents.js";
import { placePage } from "./pages.js";

// The document inside a frame, once loaded, if readable (the browser's PDF viewer is not).
export function documentIn(frame) {
  if (!frame?.matches("[sandbox]")) return null;
  try {
    const inside = frame?.contentDocument;
    return inside?.readyState === "complete" && inside.URL !== "about:blank" ? inside : null;
  } catch {
    return null;
  }
}

// Of a document and its translation one may be hidden. Asking the browser for each of thousands of
// rows would make it lay them out one by one.
export function isShown(node) {
  const side = node.closest(".language-row > *");
  const view = side?.closest(".translated").dataset.view ?? "both";
  return view === "both" || side.classList.contains(view);
}

const shownFrames = (article) => [...(article?.querySelectorAll("iframe.document-frame[sandbox]") ?? [])].filter(isShown);

// The documents inside the frames of an article, and inside the first one.
export const framedDocuments = (article) => shownFrames(article).map(documentIn).filter(Boolean);
export const framed = (article) => documentIn(shownFrames(article)[0]);

function roots(article) {
  const own = [...article.querySelectorAll(".document-title, .reading")].filter(isShown);
  return [...own, ...framedDocuments(article).map((it) => it.body).filter(Boolean)];
}

// What of an article has text that was not taken before: first all that is there, then what is loaded.
export function makeTaker(article) {
  const parts = partsOf(article);
  let taken = null;
  return () => {
    const found = taken === null ? roots(article) : parts.slice(taken).flatMap(rootsIn);
    taken = parts.length;
    return found;
  };
}

const rootsIn = (part) => (part.matches(".language-rows") ? [...part.querySelectorAll(".reading")] : [part]).filter(isShown);

// What of an article is not searched, in words of the page's texts; "" if all is.
export function unsearched(article, texts) {
  const { view } = article.querySelector(".translated")?.dataset ?? {};
  const hidden = { original: "translation", translation: "original" }[view];
  return [unreadable(article), hidden].filter(Boolean).map((name) => texts[name]).join(", ");
}

function unreadable(article) {
  const has = (selector) => [...article.querySelectorAll(selector)].some(isShown);
  if (has("iframe.document-frame:not([sandbox])")) return "pdf";
  if (has(".document-picture")) return "picture";
  if (has(".pdf-page.without-text")) return "scan";
  const frames = [...article.querySelectorAll("iframe.document-frame")].filter(isShown);
  return has("[data-read-on]") || !frames.every(documentIn) ? "unloaded" : "";
}

export function* textNodes(root) {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest(".read-on")) yield walker.currentNode;
  }
}

const BLOCKS = "p, pre, div, li, td, th, h1, h2, h3, h4, h5, h6, blockquote, dt, dd, section, caption";

// The text of `root` as one string with the offset of each node; blocks are separated by a
// newline, so that no match spans two.
export function textMap(root) {
  const nodes = [];
  const parts = [];
  let length = 0;
  let block = null;
  for (const node of textNodes(root)) {
    const own = node.parentElement.closest(BLOCKS);
    if (block && own !== block) {
      parts.push("\n");
      length += 1;
    }
    block = own;
    nodes.push({ node, start: length });
    parts.push(node.data);
    length += node.data.length;
  }
  return { text: parts.join(""), nodes };
}

// The range of text[start:end]; `hint` is an index into nodes at or before the start.
export function rangeOf(map, start, end, hint = 0) {
  let at = hint;
  while (at + 1 < map.nodes.length && map.nodes[at + 1].start <= start) at += 1;
  let last = at;
  while (last + 1 < map.nodes.length && map.nodes[last + 1].start < end) last += 1;
  const from = map.nodes[at];
  const to = map.nodes[last];
  const range = from.node.ownerDocument.createRange();
  range.setStart(from.node, Math.min(start - from.start, from.node.data.length));
  range.setEnd(to.node, Math.min(end - to.start, to.node.data.length));
  return { range, at };
}

const AROUND = 60; // Letters on either side.

// A range with some of its text around it, to be said.
export function around({ startContainer: node, startOffset, endContainer, endOffset }) {
  const until = endContainer === node ? endOffset : node.data.length;
  const [from, to] = [Math.max(0, startOffset - AROUND), Math.min(node.data.length, until + AROUND)];
  return `${from ? "…" : ""}${node.data.slice(from, to).trim()}${to < node.data.length ? "…" : ""}`;
}

// Sets the ranges of a ::highlight() name, each in its own document.
export function paint(name, ranges) {
  const views = new Map();
  for (const range of ranges) {
    const view = range.startContainer.ownerDocument.defaultView;
    if (!view) continue;
    if (views.has(view)) views.get(view).push(range);
    else views.set(view, [range]);
  }
  const frames = [...document.querySelectorAll("iframe.document-frame[sandbox]")];
  for (const view of new Set([window, ...frames.map((frame) => frame.contentWindow), ...views.keys()])) {
    try {
      if (!view?.CSS?.highlights) continue;
      const own = views.get(view);
      if (own) view.CSS.highlights.set(name, new view.Highlight(...own));
      else view.CSS.highlights.delete(name);
    } catch {
      // An unreadable frame has no highlights.
    }
  }
}

// Scrolls to a range. Scrolling to its element first makes the browser lay out content that it
// had skipped so far.
export function show(range) {
  const element = range.startContainer.parentElement;
  const page = element.closest(".pdf-page");
  if (page) placePage(page);
  element.scrollIntoView({ block: "nearest" });
  const view = element.ownerDocument.defaultView;
  const scroller = view === window ? element.closest(".judge-doc") : element.ownerDocument.scrollingElement;
  const height = view === window ? scroller.clientHeight : view.innerHeight;
  const top = view === window ? scroller.getBoundingClientRect().top : 0;
  const place = range.getBoundingClientRect();
  const at = place.top - top;
  if (at < 0.12 * height || at > 0.8 * height) scroller.scrollTop += at - 0.35 * height;
}
