// The bar under the document: what is said of it, what was said last, what is unsent.

const RECENT = 5;

export const words = {};
for (const word of document.getElementById("judge-words")?.content.children ?? []) {
  words[word.dataset.word] = word.textContent;
}

export function told(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export function say(text) {
  const line = document.getElementById("said");
  if (line) line.textContent = text ?? "";
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

// A grade as digit, word and colour, or the tag of a skip.
export function verdict({ kind, grade }) {
  if (kind === "skip") return element("span", { class: "tag skipped", text: words.skipped });
  const shown = element("span", { class: "grade", "data-grade": grade }, element("b", { text: grade }));
  shown.append(` ${gradeLabel(grade)}`);
  return shown;
}

// The same, read from what the server has written.
export function saidIn(place) {
  const grade = place.querySelector("[data-grade]")?.dataset.grade;
  const docno = place.querySelector(".mono")?.textContent ?? "";
  return { docno, kind: grade === undefined ? "skip" : "grade", grade };
}

export function makeBar(judge) {
  const form = document.getElementById("grades");
  const skip = document.getElementById("judge-skip");
  const fields = form.elements;
  const change = judge.dataset.change;

  const boxes = () => [...document.querySelectorAll("input[form=grades][name=flags]")];

  // The duplicate's field is there only while its flag is.
  function showOriginal(focus = false) {
    const place = document.getElementById("duplicate-of");
    const wanted = boxes().some((box) => box.value === "duplicate" && box.checked);
    place.hidden = !wanted;
    if (wanted && focus) place.querySelector("input").focus();
  }

  function fill(paper) {
    form.inert = document.getElementById("more").inert = !paper;
    const shown = paper ?? { docno: "", uuid: "", token: "", comment: "", flags: [], duplicateOf: "" };
    for (const inputs of [fields, skip.elements]) {
      inputs.docno.value = shown.docno;
      inputs.client_uuid.value = shown.uuid;
      inputs.token.value = shown.token;
    }
    fields.comment.value = shown.comment;
    for (const box of boxes()) box.checked = shown.flags.includes(box.value);
    fields.duplicate_of.value = shown.duplicateOf;
    showOriginal();
    for (const button of form.querySelectorAll("button[data-grade]")) {
      if (shown.marks?.kind === "grade" && `${shown.marks.grade}` === button.value) {
        button.setAttribute("aria-pressed", "true");
      } else button.removeAttribute("aria-pressed");
    }
  }

  function read() {
    const flags = boxes().filter((box) => box.checked).map((box) => box.value);
    return {
      comment: fields.comment.value,
      flags,
      duplicateOf: flags.includes("duplicate") ? fields.duplicate_of.value.trim() : "",
    };
  }

  function changeUrl({ docno, token }) {
    return `${change}?${new URLSearchParams(token ? { docno, token } : { docno })}`;
  }

  function showLast(entry) {
    const place = document.getElementById("last");
    document.getElementById("undo").hidden = false;
    document.getElementById("nothing-done")?.remove();
    place.closest("p").hidden = !entry;
    place.replaceChildren(...(entry ? [verdict(entry), " ", element("span", { class: "mono", text: entry.docno })] : []));
  }

  function dropRecent({ docno, uuid }) {
    for (const row of document.querySelectorAll("#recent-list > li")) {
      if (row.dataset.docno === docno || row.dataset.uuid === uuid) row.remove();
    }
  }

  function addRecent(entry) {
    dropRecent(entry);
    const link = element("a", { class: "mono", href: changeUrl(entry), title: words.change, text: entry.docno });
    const data = { "data-uuid": entry.uuid, "data-docno": entry.docno, "data-token": entry.token };
    const list = document.getElementById("recent-list");
    list.prepend(element("li", data, link, " ", verdict(entry)));
    for (const row of [...list.children].slice(RECENT)) row.remove();
    document.getElementById("recent").hidden = false;
    const offered = document.getElementById("last-docnos");
    offered.prepend(element("option", { value: entry.docno }));
  }

  const count = document.getElementById("progress");
  let done = Number(count.dataset.done);
  let of = Number(count.dataset.of);

  function progress(fresh) {
    if (fresh) {
      ({ done, of } = fresh);
      document.getElementById("pace").textContent = fresh.per_hour
        ? ` · ${told(words.pace, { pace: fresh.per_hour, left: fresh.left })}`
        : "";
    }
    count.textContent = told(words.progress, { done, of });
  }

  function step(by) {
    done += by;
    of = Math.max(of, done);
    progress();
  }

  return { fill, read, showLast, addRecent, dropRecent, progress, step, showOriginal, boxes };
}

const STATES = {
  saved: "saved", sending: "sending", offline: "offline", server: "server",
  "signed-out": "signedOut", "other-account": "otherAccount",
};

// What is unsent, refused or another's, wherever a page has a place for it.
export function showQueue(queue, { addresses, again } = {}) {
  const line = document.getElementById("unsent");
  const n = queue.unsent.length;
  const trouble = n > 0 && queue.inTrouble;
  if (line) {
    line.textContent = told(words[n ? (trouble ? STATES[queue.state] : "sending") : "saved"], { n });
    line.classList.toggle("trouble", trouble);
    if (n && queue.state === "signed-out") line.append(" ", signIn());
  }
  showNotes(queue);
  showRefused(queue, addresses, again);
}

function signIn() {
  const link = document.getElementById("judge-words").content.querySelector("[data-word=signIn]");
  return link.cloneNode(true);
}

function showNotes(queue) {
  const place = document.getElementById("refusals");
  let note = place.querySelector(".queue-note");
  const lines = [];
  if (!queue.kept) lines.push(words.notKept);
  if (queue.others) lines.push(told(words.others, { n: queue.others }));
  if (!lines.length) return note?.remove();
  if (!note) place.append((note = element("p", { class: "queue-note" })));
  note.textContent = lines.join(" ");
}

function showRefused(queue, addresses, again) {
  const place = document.getElementById("refusals");
  const list = place.querySelector("ul");
  place.querySelector("h2").hidden = !queue.refused.length;
  place.hidden = !queue.refused.length && !place.querySelector(".queue-note");
  list.replaceChildren(
    ...queue.refused.map((record) => {
      const { act, refused } = record;
      const item = element("li", {}, element("span", { class: "mono", text: act.docno ?? "" }), " ");
      item.append(act.act === "undo" ? "" : verdict({ kind: act.act, grade: act.grade }));
      item.append(element("p", { text: `${refused.message} ${refused.fix}` }));
      const open = element("a", { class: "button slim", href: addresses(act), text: words.again });
      open.addEventListener("click", (event) => again?.(event, record));
      const away = element("button", { class: "button quiet slim", type: "button", text: words.putAside });
      away.addEventListener("click", () => queue.forget(record));
      item.append(open, " ", away);
      return item;
    }),
  );
}
