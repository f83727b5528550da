// Topic terms, highlighted in the document without changing its layout; n and N jump.
import { format, showMessage } from "./bar.js";
import { paint, roots, show, textNodes, unsearched } from "./text.js";
import { finder } from "./stemming.js";

const MOST = 5_000;
const SLICE_MS = 12; // Work per slice, so that highlighting never blocks reading.

export function makeTerms({ readOn, announce, texts }) {
  const topicWords = () => [...document.querySelectorAll(".judge-topic [data-terms]")].map((it) => it.textContent).join(" ");
  let words = null;
  let find = null;
  let article = null;
  let ranges = [];
  let seen = new Set();
  let at = -1;
  let on = true;
  let turn = 0;

  function draw() {
    paint("term", on ? ranges : []);
    paint("term-now", on && ranges[at] ? [ranges[at]] : []);
  }

  function* unseen() {
    for (const root of roots(article)) {
      for (const node of textNodes(root)) if (!seen.has(node)) yield node;
    }
  }

  // Highlights terms in newly added text, in small slices.
  async function highlight() {
    const mine = (turn += 1);
    let until = performance.now() + SLICE_MS;
    const nodes = [...unseen()];
    for (const node of nodes) {
      seen.add(node);
      for (const [start, end] of find(node.data)) {
        if (ranges.length >= MOST) break;
        const range = node.ownerDocument.createRange();
        range.setStart(node, start);
        range.setEnd(node, end);
        ranges.push(range);
      }
      if (performance.now() > until) {
        draw();
        await new Promise((resolve) => setTimeout(resolve));
        if (mine !== turn) return;
        until = performance.now() + SLICE_MS;
      }
    }
    draw();
  }

  async function jump(step) {
    if (!article) return;
    await highlight();
    if (step > 0 && at + 1 >= ranges.length && (await readOn(article))) await highlight();
    if (!ranges.length) {
      const missed = unsearched(article);
      return missed ? showMessage(format(texts.notSearched, { what: texts[missed] })) : announce(texts.noTerms);
    }
    if (!on) toggle();
    at = at < 0 && step < 0 ? ranges.length - 1 : (at + step + ranges.length) % ranges.length;
    draw();
    show(ranges[at]);
  }

  function toggle() {
    on = !on;
    draw();
    announce(on ? texts.termsOn : texts.termsOff);
  }

  return {
    look(next) {
      if (next !== article) {
        if (words !== topicWords()) find = finder((words = topicWords()));
        article = next;
        ranges = [];
        seen = new Set();
        at = -1;
        draw();
      }
      return article ? highlight() : null;
    },
    jump,
    toggle,
  };
}
