// The judging screen's keys. Everything with data-key inside #judge is reached by that key:
// a button is clicked, a field is focused. While a popover is open only its own keys count.
// All listeners sit on the document, so a swapped-in #judge needs no binding.

const SETTLE_MS = 150; // A key meant for the last document must not judge this one.
let appearedAt = performance.now();

const IDLE_MS = 120_000; // Without key, pointer or scroll for so long, nobody is reading.
let activeMs = 0;
let countedAt = performance.now();
let touchedAt = performance.now();

const screen = () => document.getElementById("judge");
const inField = (node) =>
  node instanceof Element && node.closest("input, textarea, select, [contenteditable]") !== null;

function isPlainKey(event) {
  return !(event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing);
}

function targetOf(key) {
  const place = screen()?.querySelector(":popover-open") ?? screen();
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const keyed = place ? [...place.querySelectorAll("[data-key]")] : [];
  return keyed.find((node) => node.dataset.key === wanted && node.checkVisibility());
}

// Counts the time in which the page was in sight and somebody was there.
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

function appeared() {
  appearedAt = countedAt = touchedAt = performance.now();
  activeMs = 0;
  const doc = screen()?.querySelector(".judge-doc");
  doc?.focus({ preventScroll: true });
}

function say(text) {
  const line = screen()?.querySelector(".said");
  if (line) line.textContent = text;
}

function settle(text) {
  for (const form of screen()?.querySelectorAll("form[data-sent]") ?? []) delete form.dataset.sent;
  say(text);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && inField(event.target) && screen()?.contains(event.target)) {
    screen().querySelector(".judge-doc")?.focus({ preventScroll: true });
    return;
  }
  if (event.defaultPrevented || !isPlainKey(event) || inField(event.target)) return;
  const target = targetOf(event.key);
  if (!target) return;
  event.preventDefault();
  if (performance.now() - appearedAt < SETTLE_MS) return;
  if (inField(target)) target.focus();
  else target.click();
});

// One judgment a document, however often the button is pressed.
document.addEventListener(
  "submit",
  (event) => {
    if (!screen()?.contains(event.target)) return;
    if (screen().querySelector("form[data-sent]")) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    event.target.dataset.sent = "";
    count();
    const seconds = event.target.elements.active_seconds;
    if (seconds) seconds.value = (activeMs / 1000).toFixed(1);
    say("");
  },
  true,
);

for (const sign of ["keydown", "pointermove", "pointerdown", "wheel", "touchmove"]) {
  document.addEventListener(sign, touched, { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => {
  // What came before counts only if the page was in sight: hidden has changed already.
  if (document.hidden) activeMs += Math.max(0, Math.min(performance.now(), touchedAt + IDLE_MS) - countedAt);
  countedAt = touchedAt = performance.now();
});

// What was open and how far the topic was scrolled stays so when the next document comes.
let pane = null;
document.addEventListener("htmx:beforeSwap", () => {
  const topic = screen()?.querySelector(".judge-topic");
  if (!topic) return;
  const folds = [...topic.querySelectorAll("details[id]")].map((node) => [node.id, node.open]);
  pane = { label: topic.ariaLabel, top: topic.scrollTop, folds };
});

function restorePane() {
  const topic = screen()?.querySelector(".judge-topic");
  if (!topic || !pane || topic.ariaLabel !== pane.label) return;
  for (const [id, open] of pane.folds) {
    const fold = document.getElementById(id);
    if (fold) fold.open = open;
  }
  topic.scrollTop = pane.top;
}

document.addEventListener("htmx:afterSwap", (event) => {
  if (screen() && !event.target.closest?.(".job")) {
    restorePane();
    appeared();
  }
});
document.addEventListener("htmx:sendError", () => settle("Not saved: no connection. Press again."));
document.addEventListener("htmx:timeout", () => settle("Not saved: no answer. Press again."));
document.addEventListener("htmx:responseError", (event) =>
  settle(`Not saved: the server answered ${event.detail.xhr.status}. Load the page again.`),
);
window.addEventListener("pageshow", () => settle(""));
appeared();
