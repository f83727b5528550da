// A button beside text to take away: code in the help, tables for a paper, links of invitations,
// mails.
// Without this file, or where the browser gives no clipboard, one selects the text.
const TEXTS = ".help-text .code, .copy textarea, .invitations .link input, pre.letter";
const SHOWN_FOR = 2000;

export function addCopyButtons(root) {
  if (!navigator.clipboard) return;
  for (const source of root.querySelectorAll(TEXTS)) {
    if (source.parentElement.matches(".copyable")) continue;
    const place = document.createElement("div");
    place.className = "copyable";
    source.replaceWith(place);
    place.append(source, createButton(source));
  }
}

function createButton(source) {
  const { copy, copied } = document.body.dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button slim";
  button.textContent = copy;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      button.textContent = copied;
      setTimeout(() => (button.textContent = copy), SHOWN_FOR);
    } catch {
      // Not permitted: the text is there to be selected.
    }
  });
  return button;
}
