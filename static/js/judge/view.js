// The keys of how the text looks; judge-view.js remembers the choices.
import { announce, texts } from "./bar.js";

export function foldTopic(focusDocument) {
  const details = document.getElementById("topic");
  if (!details) return;
  details.open = !details.open;
  if (details.open) details.querySelector(".judge-topic").focus({ preventScroll: true });
  else focusDocument();
}

// As written or wrapped. Prose and text with columns have a switch each.
export function changeLayout(article) {
  const text = article?.querySelector(".document-text");
  if (!text) return;
  const isProse = text.classList.contains("layout-prose");
  const flip = document.getElementById(isProse ? "flip-prose" : "flip-columns");
  flip.click();
  announce(flip.checked === isProse ? texts.written : texts.wrapped);
}
