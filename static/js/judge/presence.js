// Active time on the document: time visible, with the assessor present.
import "./pause.js";

const IDLE_MS = 120_000; // After this long without key, pointer or scroll, the assessor is idle.
const SIGNS = ["keydown", "pointermove", "pointerdown", "wheel", "touchmove"];

let activeMs = 0;
let countedAt = performance.now();
let touchedAt = performance.now();

function count() {
  const now = performance.now();
  const until = Math.min(now, touchedAt + IDLE_MS);
  if (!document.hidden && until > countedAt) activeMs += until - countedAt;
  countedAt = now;
}

function touched() {
  count();
  touchedAt = performance.now();
}

// A document shown before starts with its `seconds` counted so far.
export function begin(seconds = 0) {
  countedAt = touchedAt = performance.now();
  activeMs = 1000 * seconds;
}

export function activeSeconds() {
  count();
  return Math.round(activeMs / 100) / 10;
}

export function wasThere(withinMs) {
  return performance.now() - touchedAt < withinMs;
}

export function watch(target) {
  for (const sign of SIGNS) {
    target.addEventListener(sign, touched, { passive: true, capture: true });
  }
}

document.addEventListener("visibilitychange", () => {
  // Time before this event counts only if the page was visible; hidden has already changed.
  if (document.hidden) {
    activeMs += Math.max(0, Math.min(performance.now(), touchedAt + IDLE_MS) - countedAt);
  }
  countedAt = touchedAt = performance.now();
});
