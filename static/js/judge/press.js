// Keys and the clock of the document on the screen: what a key press does, and whether the document
// could be read when it was pressed. A key means the same in all panels: it does that, or nothing.
import { CLICK_SETTLE_MS, SETTLE_MS, inField, keyName, targetOf, timeOf } from "./keys.js";

const HANDLE_ENTER = "button, a, summary";
const HANDLE_SPACE = `${HANDLE_ENTER}, input`;

// `commands`: what keys do that press no button; `turn(by)`: true if it turned the document;
// `leave()`: back to the document from wherever the focus is.
export function makePress({ judge, article, commands, turn, leave }) {
  let shownAt = Infinity; // When the current document was painted.
  let pressedAt = 0;
  let keyAt = 0;
  let byKey = false;

  // Ignore keys until the next document is shown.
  function unsettle() {
    shownAt = Infinity;
    delete judge.dataset.settled;
  }

  function painted(node) {
    if (node !== article()) return;
    shownAt = performance.now();
    const after = (ms, by) => setTimeout(() => {
      if (node === article() && wasReadable(ms, performance.now())) judge.dataset.settled = by;
    }, ms + 10);
    after(SETTLE_MS, "keys");
    after(CLICK_SETTLE_MS, "keys clicks");
  }

  // Was the document readable for `ms` at that moment? Default: when the last key or button was
  // pressed, which can be long before a busy page handles it.
  const wasReadable = (ms, at = pressedAt) => at - shownAt >= ms;

  // The popover that is open, and the button that opens it by a key.
  function findPopover() {
    const popover = document.querySelector(":popover-open");
    const opener = popover && judge.querySelector(`[popovertarget="${popover.id}"][data-key]`);
    return [popover, opener];
  }

  function handle(event) {
    pressedAt = timeOf(event);
    const field = event.composedPath?.()[0] ?? event.target;
    if (inField(field)) return handleInField(event, field);
    const key = keyName(event);
    if (!key || (key === "Enter" && field.closest?.(HANDLE_ENTER))) return;
    const [popover, opener] = findPopover();
    if (key === "Escape") return popover ? undefined : leave();
    const panel = popover?.matches(".panel, .more-panel, .view");
    if (opener?.dataset.key === key || (panel && key === "Enter")) {
      event.preventDefault();
      popover.hidePopover();
      return void (key === "Enter" && leave());
    }
    act(event, key, field, popover, targetOf(key, popover ?? judge) ?? (panel || key === "?" ? targetOf(key, judge) : null));
  }

  function act(event, key, field, popover, target) {
    const command = popover ? null : commands[key];
    const part = { PageDown: 1, PageUp: -1, " ": event.shiftKey ? -1 : 1 }[key];
    if (part && !popover && !field.closest?.(HANDLE_SPACE) && turn(part)) return event.preventDefault();
    if (!target && !command) return;
    event.preventDefault();
    if (!wasReadable(SETTLE_MS)) return;
    if (target?.matches("textarea, input:not([type=checkbox])")) return target.focus();
    if (target) keyAt = pressedAt;
    byKey = true;
    if (target) target.click();
    else command();
    byKey = false;
  }

  // Enter and Escape in a field return to the document; neither submits a grade.
  function handleInField(event, field) {
    if (event.isComposing || event.keyCode === 229 || !judge.contains(field)) return;
    if (field.closest("#find, #judge-skip")) return;
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    leave();
  }

  document.addEventListener("keydown", handle);
  document.addEventListener("click", (event) => { if (!byKey) pressedAt = timeOf(event); }, true);

  return {
    handle,
    unsettle,
    painted,
    isReadable: (ms = byKey ? SETTLE_MS : CLICK_SETTLE_MS) => wasReadable(ms),
    get isShown() { return shownAt !== Infinity; },
    // When the key was pressed that brought this document; 0 if none did.
    takeKeyTime() {
      const at = keyAt;
      keyAt = 0;
      return at;
    },
  };
}
