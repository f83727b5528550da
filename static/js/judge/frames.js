// Documents in frames: the same keys and the same clock.
import { watch } from "./presence.js";
import { documentIn } from "./text.js";

const size = () => document.querySelector("[name=text-size]:checked")?.id ?? "";

export function watchFrames({ judge, article, pressed, focus, loaded }) {
  function prepare(frame) {
    const node = frame.closest(".judge-doc");
    const inside = node && documentIn(frame);
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
  }, true);
  // The browser's PDF viewer captures the keys; moving the pointer out of it returns them.
  document.addEventListener("pointerover", (event) => {
    const viewer = document.activeElement?.matches("iframe:not([sandbox])");
    if (viewer && !event.target.matches("iframe")) focus();
  });
  document.addEventListener("view", () => {
    for (const frame of judge.querySelectorAll("iframe.document-frame")) {
      const inside = documentIn(frame);
      if (inside) inside.documentElement.dataset.size = size();
    }
  });
  for (const frame of judge.querySelectorAll("iframe.document-frame")) prepare(frame);
}
