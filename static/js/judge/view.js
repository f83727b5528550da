// The keys of how the text looks; judge-view.js remembers the choices.
import { announce, texts } from "./bar.js";
import "./languages.js";
import "./pages.js";
import { changeFit, turnPicture } from "./zoom.js";

export function foldTopic(focusDocument) {
  const details = document.getElementById("topic");
  if (!details) return;
  details.open = !details.open;
  if (details.open) details.querySelector(".judge-topic").focus({ preventScroll: true });
  else {
    focusDocument();
    announce(texts.topicFolded);
  }
}

// As written or wrapped; a picture or a page whole or wide. Prose and text with columns have a
// switch each.
export function changeLayout(article) {
  if (changeFit(article)) return;
  const text = article?.querySelector(".document-text");
  if (!text) return;
  const isProse = text.classList.contains("layout-prose");
  const flip = document.getElementById(isProse ? "flip-prose" : "flip-columns");
  flip.click();
  announce(flip.checked === isProse ? texts.written : texts.wrapped);
}

const A4 = { width: 595, height: 842 }; // In points.

// The next or previous part of a PDF, as high as is seen of it. A page cannot scroll the browser's
// viewer, nor know how many pages it has: it is loaded again, at another place of its address.
export function turnPdf(article, by) {
  const frame = article?.querySelector("iframe.document-frame:not([sandbox])");
  if (!frame) return false;
  const seen = (0.9 * frame.clientHeight * A4.width) / frame.clientWidth;
  const parts = Math.ceil(A4.height / seen);
  const at = Math.max(0, Number(frame.dataset.part ?? 0) + by);
  const next = frame.cloneNode();
  next.dataset.part = at;
  const top = Math.round(((at % parts) * A4.height) / parts);
  next.src = `${frame.src.split("#")[0]}#page=${1 + Math.floor(at / parts)}&navpanes=0&view=FitH,${top}`;
  frame.replaceWith(next);
  return true;
}

// A click on a picture: as wide as the desk, to be scrolled, and back.
export function widenPicture(event) {
  const picture = event.target.closest(".judge-doc .document-picture");
  if (!picture || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  turnPicture(picture);
}
