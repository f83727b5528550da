// The notebook of the topic: notes and own words to highlight, kept in the queue like judgments, so
// that they survive a lost connection; and the documents that are typical of their grade.
import { announce, judgmentElement, texts } from "./bar.js";
import { newUuid } from "./documents.js";
import { fold } from "./stemming.js";

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function makeNotebook({ queue, current, purpose, leave }) {
  const book = document.getElementById("notebook");
  if (!book) return;
  const topic = document.getElementById("topic");
  const [form, note, word] = ["note-form", "note-text", "note-word"].map((id) => document.getElementById(id));
  let unfolded = false; // Was the topic folded before the notebook was opened?

  function open() {
    if (book.open && topic.open && book.contains(document.activeElement)) return leave();
    unfolded = unfolded || !topic.open;
    topic.open = book.open = true;
    note.focus();
    book.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("leave", () => {
    if (unfolded) topic.open = unfolded = false;
  });

  function removeButton() {
    return element("button", { type: "button", "data-remove": "", "aria-label": texts.removeNote }, "×");
  }

  function add(kind, field) {
    const text = field.value.trim();
    field.value = "";
    const known = kind === "word" ? [...document.querySelectorAll("#words span")].map((it) => fold(it.textContent)) : [];
    if (!text || known.includes(fold(text))) return;
    const uuid = newUuid();
    const docno = current()?.docno ?? "";
    queue.add({ act: "note", uuid, topic: book.dataset.number, kind, text, docno, purpose });
    const item = element("li", { "data-uuid": uuid });
    if (kind === "word") item.append(element("span", { "data-terms": "own", dir: "auto" }, text));
    else {
      const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(new Date());
      item.append(element("p", { dir: "auto" }, text), element("p", { class: "quiet small" }, [time, docno].filter(Boolean).join(" · ")));
    }
    item.append(removeButton());
    document.getElementById(kind === "word" ? "words" : "notes").append(item);
    changed(kind);
    announce(texts.noteSaved);
  }

  function changed(kind) {
    if (kind === "word") document.dispatchEvent(new CustomEvent("words"));
  }

  book.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    if (event.target !== note && event.target !== word) return;
    event.preventDefault();
    event.stopPropagation(); // Elsewhere Enter leaves the field.
    add(event.target === word ? "word" : "note", event.target);
  });
  book.addEventListener("click", (event) => {
    if (event.target.closest("summary")) {
      event.preventDefault();
      return void (event.detail > 0 && book.open && topic.open ? (book.open = false) : open());
    }
    const item = event.target.closest("[data-remove]")?.closest("li");
    if (!item) return;
    queue.add({ act: "note-remove", uuid: newUuid(), of: item.dataset.uuid, topic: book.dataset.number, docno: "", purpose });
    const beside = item.nextElementSibling ?? item.previousElementSibling;
    (beside?.querySelector("[data-remove]") ?? note).focus();
    item.remove();
    announce(texts.noteRemoved);
    changed(item.querySelector("[data-terms]") ? "word" : "note");
  });

  // A judgment with the flag stands among the typical ones; without it no more.
  document.addEventListener("judged", ({ detail }) => {
    if (!detail || detail.topic !== book.dataset.number) return;
    const place = document.getElementById("typical");
    const list = place.querySelector("ul");
    for (const row of list.children) if (row.dataset.docno === detail.docno) row.remove();
    if (detail.kind === "grade" && detail.flags.includes("typical")) {
      const href = `${document.querySelector(".judge").dataset.documents}?${new URLSearchParams({ docno: detail.docno })}`;
      const link = element("a", { class: "mono", href, target: "_blank" }, detail.docno);
      const item = element("li", { "data-docno": detail.docno, "data-grade-of": detail.grade }, link, " ", judgmentElement(detail));
      const later = [...list.children].find((row) => Number(row.dataset.gradeOf) > Number(detail.grade));
      list.insertBefore(item, later ?? null);
    }
    place.hidden = !list.children.length;
  });

  // A document that comes again does not show what it was given before.
  document.addEventListener("appeared", () => {
    for (const row of document.querySelectorAll("#typical li")) row.hidden = row.dataset.docno === current()?.docno;
  });

  for (const item of book.querySelectorAll("[data-uuid]")) item.append(removeButton());
  form.hidden = false;
}
