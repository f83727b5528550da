// How long the document has been read: time in sight, with somebody there.

const IDLE_MS = 120_000; // Without key, pointer or scroll for so long, nobody is reading.
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

// Of a document that was in hand before, `seconds` are counted already.
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
  // What came before counts only if the page was in sight: hidden has changed already.
  if (document.hidden) {
    activeMs += Math.max(0, Math.min(performance.now(), touchedAt + IDLE_MS) - countedAt);
  }
  countedAt = touchedAt = performance.now();
});
