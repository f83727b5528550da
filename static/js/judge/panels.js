// The panels of the bar: comment, flags, and what is behind ⋯ where there is little room; and the
// note that says what will be saved with the grade.
import { announce, format, texts } from "./bar.js";

const MOST_SHOWN = 60;

export function makePanels({ judge, focusDocument }) {
  const note = document.getElementById("draft-note");
  const comment = document.getElementById("comment");
  const flagPanel = document.getElementById("flag-panel");
  const flagBoxes = () => [...judge.querySelectorAll("input[name=flags]")];

  // False if none was open.
  function close() {
    const all = [...judge.querySelectorAll(".panel:popover-open, .more-panel:popover-open")];
    for (const panel of all) panel.hidePopover();
    return all.length > 0;
  }

  // What opens has the focus, and what closes gives it back: to the document where the button that
  // opened it is hidden by now.
  judge.addEventListener("toggle", ({ target, newState }) => {
    if (!target.matches("[popover]")) return;
    const active = document.activeElement;
    if (newState === "open" && !target.contains(active)) {
      const first = [...target.querySelectorAll("button, input")].find((it) => it.checkVisibility());
      first?.focus();
    } else if (newState === "closed" && (!active || active === document.body || !active.checkVisibility())) focusDocument();
  }, true);

  // What will be saved with the grade: said when it is chosen or written, not letter by letter.
  function tell() {
    if (note) announce(note.textContent || texts.draftEmpty);
  }

  function describe() {
    if (!note) return;
    const flags = flagBoxes().filter((box) => box.checked).map((box) => box.dataset.label);
    const words = comment?.value.trim() ?? "";
    const short = words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN - 2)}…` : words;
    const parts = [];
    if (flags.length) parts.push(format(texts.draftFlags, { flags: flags.join(", ") }));
    if (short) parts.push(format(texts.draftComment, { comment: short }));
    note.textContent = parts.join(" · ");
    note.hidden = !parts.length;
  }

  function askForOriginal() {
    if (!flagPanel.matches(":popover-open")) flagPanel.showPopover();
    flagPanel.querySelector("[name=duplicate_of]").focus();
  }

  judge.addEventListener("change", ({ target }) => {
    if (target.name === "flags" && target.value === "duplicate" && target.checked) askForOriginal();
    describe();
    if (["flags", "comment", "duplicate_of"].includes(target.name)) tell();
  });
  judge.addEventListener("input", describe);
  judge.addEventListener("click", (event) => {
    // After a click on a flag or on the view, the keys stay with the document.
    const box = event.target.closest("label")?.querySelector("input");
    const flag = box?.name === "flags" && !(box.value === "duplicate" && box.checked);
    if (event.detail > 0 && box && (flag || box.closest("#view"))) focusDocument();
    // What was behind ⋯ is no longer needed, once something of it is chosen.
    const chosen = event.target.closest(".more-panel:popover-open button");
    if (chosen && chosen.getAttribute("popovertarget")) {
      judge.querySelector(".more-panel").hidePopover();
      const panel = document.getElementById(chosen.getAttribute("popovertarget"));
      if (!panel.matches(":popover-open")) panel.showPopover();
      event.preventDefault();
    }
  });
  return { close, describe, askForOriginal };
}
