// Documents in frames: the same keys and the same clock.
import { showMessage, texts } from "./bar.js";
import { watch } from "./presence.js";
import { documentIn } from "./text.js";
import { fitPicture } from "./zoom.js";

const size = () => document.querySelector("[name=text-size]:checked")?.id ?? "";

export function watchFrames({ judge, article, pressed, focus, loaded }) {
  function prepare(frame) {
    const node = frame.closest(".judge-doc");
    const inside = node && documentIn(frame);
    if (!frame.matches("[sandbox]")) frame.tabIndex = -1; // Tab would lead in, and hardly out.
    if (inside && !inside.documentElement.dataset.prepared) {
      inside.documentElement.dataset.prepared = "";
      inside.addEventListener("keydown", pressed);
      watch(inside);
    }
    if (inside) inside.documentElement.dataset.size = size();
    if (!node || node !== article()) return;
    loaded();
    if (inside && frame === node.querySelector("iframe.document-frame") && document.activeElement === node) focus();
  }

  document.addEventListener("load", (event) => {
    if (event.target.matches?.("iframe.document-frame")) prepare(event.target);
    if (event.target.matches?.(".document-picture img")) fitPicture(event.target);
  }, true);
  // The browser's PDF viewer captures the keys; moving the pointer out of it returns them.
  const inViewer = () => document.activeElement?.matches("iframe:not([sandbox])");
  let told = false;
  const tell = (now) => (now || told) && showMessage((told = now) ? texts.keysInPdf : "");
  window.addEventListener("blur", () => setTimeout(() => tell(inViewer())));
  window.addEventListener("focus", () => tell(false));
  document.addEventListener("pointerover", (event) => {
    if (inViewer() && !event.target.matches("iframe")) focus();
  });
  document.addEventListener("view", () => {
    for (const frame of judge.querySelectorAll("iframe.document-frame")) {
      const inside = documentIn(frame);
      if (inside) inside.documentElement.dataset.size = size();
    }
  });
  for (const frame of judge.querySelectorAll("iframe.document-frame")) prepare(frame);
  for (const image of judge.querySelectorAll(".document-picture img")) fitPicture(image);
}
