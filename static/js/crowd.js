// Digits (or the key of a grade) press the button of that grade. The page works without this.

const START = performance.now();
const SETTLE = 150;

document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (target instanceof HTMLElement && target.closest("input, textarea, select")) return;
  if (event.timeStamp - START < SETTLE) return;
  const key = CSS.escape(event.key.toLowerCase());
  const button = document.querySelector(`.answer-row button[data-key="${key}"]`);
  if (!(button instanceof HTMLButtonElement)) return;
  event.preventDefault();
  button.click();
});
