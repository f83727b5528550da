// Documents in frames: the same keys there, and the same clock.
import { watch } from "./presence.js";
import { framed } from "./text.js";

export function watchFrames({ judge, article, pressed, focus, loaded }) {
  function dress(frame) {
    const paper = frame.closest(".judge-doc");
    const inside = paper && framed(paper);
    if (inside && !inside.documentElement.dataset.dressed) {
      inside.documentElement.dataset.dressed = "";
      inside.addEventListener("keydown", pressed);
      watch(inside);
    }
    if (!paper || paper !== article()) return;
    loaded();
    if (inside && document.activeElement === paper) focus();
  }

  document.addEventListener("load", (event) => {
    if (event.target.matches?.("iframe.document-frame")) dress(event.target);
  }, true);
  // The browser's PDF viewer keeps the keys that it gets: the pointer takes them back.
  document.addEventListener("pointerover", (event) => {
    const kept = document.activeElement?.matches("iframe:not([sandbox])");
    if (kept && !event.target.matches("iframe")) focus();
  });
  for (const frame of judge.querySelectorAll("iframe.document-frame")) dress(frame);
}
