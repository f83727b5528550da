// The desk of comparisons, beside judge.js: after a click on a pick the keys stay with the list.
const judge = document.getElementById("judge");
const list = judge.querySelector(".comparison");

judge.addEventListener("click", (event) => {
  if (event.detail > 0 && event.target.matches("input[name=picks]")) list.focus({ preventScroll: true });
});

// On a focused check box Space picks, Enter submits, and digits reach the others.
judge.addEventListener("keydown", (event) => {
  if (!event.target.matches("input[name=picks]") || !/^[0-9]$/.test(event.key)) return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  event.preventDefault();
  judge.querySelector(`input[name=picks][data-key="${event.key}"]`)?.click();
});
