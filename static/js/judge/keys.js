// Key presses meant for the screen. Typing, browser shortcuts and auto-repeat do not count, nor
// do presses before the document was visible.

export const SETTLE_MS = 150;
export const CLICK_SETTLE_MS = 250; // The second half of a double click.

const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

// A field takes letters. Nodes in a frame belong to another realm, so instanceof fails.
export function inField(node) {
  if (!node || node.nodeType !== 1) return false;
  return node.isContentEditable || node.closest(FIELDS) !== null;
}

function isLetter(key) {
  return key.length === 1 && key.toLowerCase() !== key.toUpperCase();
}

function isPlain(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.getModifierState?.("AltGraph")) {
    return false;
  }
  return !(event.repeat || event.isComposing || event.keyCode === 229);
}

// The name of a key press, or "" if it is not meant for the screen: "2", "u", "?", "Enter",
// and "Shift+n" for a letter with Shift (Caps Lock does not count as Shift).
export function keyName(event) {
  if (event.defaultPrevented || !event.key || !isPlain(event)) return "";
  if (inField(event.composedPath?.()[0] ?? event.target)) return "";
  if (!isLetter(event.key)) return event.key;
  return (event.shiftKey ? "Shift+" : "") + event.key.toLowerCase();
}

// What a key presses in `place`; data-key lists one or several. A grade wins over the screen's own
// use of its key, which older scales may have.
export function targetOf(key, place) {
  const keyed = [...place.querySelectorAll("#grades [data-key]"), ...place.querySelectorAll("[data-key]")];
  // What is in a closed panel of the bar, or in the folded topic, keeps its key.
  const inReach = (node) => node.checkVisibility({ visibilityProperty: true }) ||
    (node.closest(".panel, .more-panel, .topic") && !node.closest("[inert], [hidden]"));
  return keyed.find((node) => node.dataset.key.split(" ").includes(key) && inReach(node));
}

// When it was pressed, by the clock of the page. Frames have clocks of their own.
export function timeOf({ timeStamp, view }) {
  return timeStamp + (view?.performance ?? performance).timeOrigin - performance.timeOrigin;
}
