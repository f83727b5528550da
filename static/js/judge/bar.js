// The bar under the document: its judgment, the latest judgment, and unsent acts.

import { addressOf } from "./documents.js";

const RECENT = 5;
const OFFERED = 10; // Docnos offered for a duplicate.

export const texts = {};
for (const item of document.getElementById("judge-texts")?.content.children ?? []) {
  texts[item.dataset.text] = item.textContent.trim();
}

export function format(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export function showMessage(text) {
  const line = document.getElementById("judge-message");
  if (line) line.textContent = text ?? "";
}

document.addEventListener("extra", ({ detail }) => showMessage(format(texts.extra, { docno: detail })));

// Why the next document, or an answer, has not come: by the kind of trouble.
export function whyWaiting(kind) {
  const known = { offline: texts.waitingOffline, server: texts.waitingServer, "signed-out": texts.waitingSignedOut };
  return known[kind] ?? texts.waiting;
}

export function announce(text) {
  document.getElementById("live").textContent = text;
}

function element(name, { text, ...attributes } = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

export function gradeLabel(value) {
  return document.querySelector(`#grades button[data-grade="${value}"]`)?.dataset.label ?? "";
}

// A grade as value, label and color, or the tag of a skip.
export function judgmentElement({ kind, grade }) {
  if (kind === "skip") return element("span", { class: "tag skipped", text: texts.skipped });
  const badge = element("span", { class: "grade", "data-grade": grade }, element("b", { text: grade }));
  badge.append(` ${gradeLabel(grade)}`);
  return badge;
}

// The same, read from the server-rendered page.
function readJudgment(place) {
  const grade = place.querySelector("[data-grade]")?.dataset.grade;
  const docno = place.querySelector(".mono")?.textContent ?? "";
  return { docno, kind: grade === undefined ? "skip" : "grade", grade };
}

// The latest judgments shown on the page, which can be undone one by one.
export function lastJudgments() {
  const rows = [...document.querySelectorAll("#recent-list > li")].reverse();
  const entries = rows.map((row) => ({ ...row.dataset, ...readJudgment(row), doc: null }));
  const uuid = document.getElementById("undo").elements.of.value;
  const last = document.getElementById("last");
  if (uuid && !entries.some((entry) => entry.uuid === uuid)) entries.push({ uuid, topic: last.dataset.topic, ...readJudgment(last), doc: null });
  return entries;
}

// The comment on a skip: the form's own, or that of the judgment. "Another reason" needs one:
// without it the field is shown, and the result is null.
export function readSkip(form, reason, other = "") {
  const field = form.elements.comment;
  const comment = field.value.trim() || other;
  if (reason === "other" && !comment.trim()) {
    showMessage(texts.needsReason);
    field.focus();
    return null;
  }
  form.hidePopover();
  return { comment };
}

export function makeBar(judge) {
  const form = document.getElementById("grades");
  const skip = document.getElementById("judge-skip");
  const fields = form.elements;

  const flagBoxes = () => [...document.querySelectorAll("input[form=grades][name=flags]")];

  function fill(doc) {
    form.inert = document.getElementById("more").inert = !doc;
    const values = doc ?? { docno: "", uuid: "", token: "", comment: "", flags: [], duplicateOf: "" };
    for (const inputs of [fields, skip.elements]) {
      inputs.docno.value = values.docno;
      inputs.client_uuid.value = values.uuid;
      inputs.token.value = values.token;
    }
    fields.comment.value = values.comment;
    skip.elements.comment.value = "";
    for (const box of flagBoxes()) box.checked = values.flags.includes(box.value);
    fields.duplicate_of.value = values.duplicateOf;
    for (const button of form.querySelectorAll("button[data-grade]")) {
      if (values.previous?.kind === "grade" && `${values.previous.grade}` === button.value) {
        button.setAttribute("aria-pressed", "true");
      } else button.removeAttribute("aria-pressed");
    }
  }

  function read() {
    const flags = flagBoxes().filter((box) => box.checked).map((box) => box.value);
    return {
      comment: fields.comment.value,
      languageShown: fields.language_shown?.value ?? "",
      flags,
      duplicateOf: flags.includes("duplicate") ? fields.duplicate_of.value.trim() : "",
    };
  }

  function showLast(entry) {
    const place = document.getElementById("last");
    document.getElementById("undo").hidden = false;
    document.getElementById("nothing-done")?.remove();
    place.closest("p").hidden = !entry;
    place.replaceChildren(...(entry ? [judgmentElement(entry), " ", element("span", { class: "mono", text: entry.docno })] : []));
  }

  function dropRecent({ docno, topic, uuid }) {
    for (const row of document.querySelectorAll("#recent-list > li")) {
      const same = row.dataset.docno === docno && row.dataset.topic === topic;
      if (same || row.dataset.uuid === uuid) row.remove();
    }
  }

  function addRecent(entry) {
    dropRecent(entry);
    const link = element("a", { class: "mono", href: addressOf(entry, judge.dataset), title: texts.change, text: entry.docno });
    const data = { "data-uuid": entry.uuid, "data-docno": entry.docno, "data-token": entry.token, "data-topic": entry.topic };
    const list = document.getElementById("recent-list");
    const of = judge.dataset.topic ? [] : [element("span", { class: "quiet", text: `${entry.topic}:` }), " "];
    list.prepend(element("li", data, ...of, link, " ", judgmentElement(entry)));
    for (const row of [...list.children].slice(RECENT)) row.remove();
    document.getElementById("recent").hidden = false;
    offer(entry.docno);
  }

  function offer(docno) {
    const known = [...document.querySelectorAll("#last-docnos option")].map((option) => option.value);
    const latest = [docno, ...known.filter((value) => value !== docno)].slice(0, OFFERED);
    document.getElementById("last-docnos")?.replaceChildren(...latest.map((value) => element("option", { value })));
  }

  const count = document.getElementById("progress");
  const line = document.getElementById("progress-bar");
  let done = Number(count.dataset.done);
  let of = Number(count.dataset.of);
  let shared = "shared" in count.dataset; // Others may do what is left: how much of it is a forecast.

  function progress(fresh) {
    if (fresh) {
      ({ done, of, shared } = fresh);
      document.getElementById("pace").textContent = fresh.per_hour
        ? format(texts.pace, { pace: fresh.per_hour, left: fresh.left })
        : "";
    }
    count.textContent = format(shared && of > done ? texts.progressShared : texts.progress, { done, of, left: of - done });
    line.max = Math.max(of, 1);
    line.value = done;
  }

  function step(by) {
    done += by;
    of = Math.max(of, done);
    progress();
  }

  return { fill, read, showLast, addRecent, dropRecent, progress, step };
}

const STATES = {
  saved: "saved", sending: "sending", offline: "offline", server: "server",
  "signed-out": "signedOut", "other-account": "otherAccount",
};

// Unsent and refused acts and those of other accounts, on any page with a place for them.
export function showQueue(queue, places, again) {
  const line = document.getElementById("unsent");
  const n = queue.unsent.length;
  const trouble = n > 0 && queue.inTrouble;
  if (line) {
    line.textContent = format(texts[n ? (trouble ? STATES[queue.state] : "sending") : "saved"], { n });
    line.classList.toggle("trouble", trouble);
    if (n && queue.state === "signed-out") line.append(" ", signIn());
  }
  showNotes(queue);
  showRefused(queue, places, again);
}

function signIn() {
  const link = document.getElementById("judge-texts").content.querySelector("[data-text=signIn]");
  return link.cloneNode(true);
}

function showNotes(queue) {
  const place = document.getElementById("refusals");
  let note = place.querySelector(".queue-note");
  const lines = [];
  if (!queue.stored) lines.push(texts.notStored);
  if (queue.others) lines.push(format(texts.others, { n: queue.others }));
  if (!lines.length) return note?.remove();
  if (!note) place.append((note = element("p", { class: "queue-note" })));
  note.textContent = lines.join(" ");
}

function showRefused(queue, places, again) {
  const place = document.getElementById("refusals");
  const list = place.querySelector("ul");
  place.querySelector("h2").hidden = !queue.refused.length;
  place.hidden = !queue.refused.length && !place.querySelector(".queue-note");
  list.replaceChildren(
    ...queue.refused.map((record) => {
      const { act, refused } = record;
      const item = element("li", {}, element("span", { class: "mono", text: act.docno ?? "" }), " ");
      item.append(["judge", "skip"].includes(act.act) ? judgmentElement({ kind: act.act, grade: act.grade }) : (act.text ?? ""));
      item.append(element("p", { text: `${refused.message} ${refused.fix ?? refused.cure ?? ""}` }));
      const open = element("a", { class: "button slim", href: addressOf({ ...act, token: null }, places), text: texts.again });
      open.addEventListener("click", (event) => again?.(event, record));
      const discard = element("button", { class: "button quiet slim", type: "button", text: texts.discard });
      discard.addEventListener("click", async () => {
        await queue.forget(record);
        (list.querySelector("button") ?? document.querySelector(".judge-doc:not([hidden])"))?.focus();
      });
      item.append(open, " ", discard);
      return item;
    }),
  );
}
