// Which key presses are meant for the screen. A press that is part of writing, of a shortcut
// or of a held key is none, nor one that came before the document could be seen.

export const SETTLE_MS = 150;
export const CLICK_SETTLE_MS = 250; // The second half of a double click.

// Nodes of a frame belong to another realm: no instanceof.
export function inField(node) {
  if (!node || node.nodeType !== 1) return false;
  return node.isContentEditable || node.closest("input, textarea, select, [contenteditable]") !== null;
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

// The name under which a press is looked up, or "" if it is not for us: "2", "u", "?",
// "Enter", and "Shift+n" where a letter was pressed with Shift (Caps Lock alone is no Shift).
export function meant(event) {
  if (event.defaultPrevented || !event.key || !isPlain(event)) return "";
  if (inField(event.composedPath?.()[0] ?? event.target)) return "";
  if (!isLetter(event.key)) return event.key;
  return (event.shiftKey ? "Shift+" : "") + event.key.toLowerCase();
}
