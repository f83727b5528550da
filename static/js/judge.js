// The judging screen. One key judges and shows the next, prefetched document; the judgment is
// stored in this browser first, then sent. On pages with plain forms (data-mode="plain") the
// script handles only the keys, highlighting and the search.
import { announce, format, lastJudgments, makeBar, readSkip, showMessage, showQueue, texts, whyWaiting } from "./judge/bar.js";
import { makeDesk } from "./judge/desk.js";
import { makeDrafts } from "./judge/drafts.js";
import { watchDuplicates } from "./judge/duplicates.js";
import { makeFind } from "./judge/find.js";
import { watchFrames } from "./judge/frames.js";
import { makeGuidelines } from "./judge/guidelines.js";
import { makeNotebook } from "./judge/notebook.js";
import { SETTLE_MS, inField } from "./judge/keys.js";
import { addressOf, makeReader, measure, newUuid, parseDocument } from "./judge/documents.js";
import { makePanels } from "./judge/panels.js";
import { makePassages } from "./judge/passages.js";
import { stopPicking } from "./judge/pick.js";
import { plain } from "./judge/plain.js";
import * as presence from "./judge/presence.js";
import { makePress } from "./judge/press.js";
import { makeQueue } from "./judge/queue.js";
import { makeTabs } from "./judge/tabs.js";
import { makeTerms } from "./judge/terms.js";
import { framed } from "./judge/text.js";
import { changeLayout, foldTopic, turnPdf, widenPicture } from "./judge/view.js";
import { zoom } from "./judge/zoom.js";

const judge = document.getElementById("judge");
const { topic, campaign, mode, purpose, review, work } = judge.dataset;
const user = Number(judge.dataset.user);
const article = () => judge.querySelector(".judge-doc:not([hidden])");

let desk = null;
let plainDocument = { passages: [] };
let seen = null; // The document whose time is counted.
const currentDocument = () => (desk ? (desk.current?.over ? null : desk.current) : plainDocument);

// ---- on every judging page: topic terms, search, loading more text ----

const reader = makeReader((node) => node === article() && terms.look(node));
const terms = makeTerms({ readOn: reader.readOn, announce, texts });
const findBox = document.getElementById("find");
const finding = findBox && makeFind({
  box: findBox,
  current: article,
  readOn: reader.readOn,
  texts,
  format,
  leave: focusDocument,
});
const guidelines = makeGuidelines({ leave });
const passages = makePassages({
  list: document.getElementById("passage-list"), showMessage, texts, current: currentDocument, changed: saveDraft,
});
const panels = makePanels({ judge, focusDocument });
const drafts = makeDrafts({ user, campaign });

function saveDraft() {
  const own = currentDocument();
  if (own?.docno && !own.submitted) drafts.save(own, own.topic);
}

// Where a new topic covers the document, it is a step before it: nothing is judged unseen.
const findStep = () => judge.querySelector("#topic[open][data-new] .to-document button");

function focusDocument() {
  const step = findStep();
  if (step) return step.focus();
  const inside = framed(article());
  if (inside) inside.defaultView.focus();
  else article()?.focus({ preventScroll: true });
}

// A document is shown. Its clock starts when it is painted.
function appeared() {
  press.unsettle();
  if (seen) seen.activeSeconds = presence.activeSeconds();
  seen = currentDocument();
  presence.begin(seen?.activeSeconds);
  const node = article();
  document.dispatchEvent(new CustomEvent("appeared"));
  if (seen?.topic) document.dispatchEvent(new CustomEvent("topic", { detail: seen.topic }));
  requestAnimationFrame(() => requestAnimationFrame(() => press.painted(node)));
  reader.watch(node);
  terms.look(node);
  passages.draw();
  const active = document.activeElement;
  if (!active || active === document.body || !inField(active) || !judge.contains(active)) focusDocument();
}

// ---- keys ----

const commands = {
  n: () => terms.jump(1),
  "Shift+n": () => terms.jump(-1),
  h: () => terms.toggle(),
  p: () => passages.highlight(),
  "/": () => finding?.open(),
  z: () => judge.querySelector("#undo button")?.click(),
  t: () => foldTopic(focusDocument),
  w: () => changeLayout(article()),
  "+": () => zoom(article(), 1),
  "-": () => zoom(article(), -1),
};

const press = makePress({ judge, article, commands, turn: (by) => turnPdf(article(), by), leave });

// Back to the document: from a panel, a field, or the topic where it lies over the document.
function leave() {
  if (stopPicking() || (!panels.close() && finding?.close())) return;
  document.dispatchEvent(new CustomEvent("leave"));
  focusDocument();
}

watchFrames({
  judge, article, pressed: press.handle,
  focus: focusDocument,
  loaded() {
    terms.look(null);
    terms.look(article());
    passages.draw();
  },
});

judge.addEventListener("submit", (event) => {
  if (!findStep() || event.target.closest("#topic")) return;
  event.preventDefault();
  event.stopPropagation();
  focusDocument();
}, true);
judge.addEventListener("click", (event) => {
  widenPicture(event);
  if (event.target.closest(".to-document")) foldTopic(focusDocument);
  const more = event.target.closest("[data-read-on]");
  if (more) {
    event.preventDefault();
    reader.readOn(article(), more);
  }
});

presence.watch(document);
watchDuplicates({ judge, focusDocument });

// ---- the queue ----

async function queued() {
  const bar = makeBar(judge);
  let undoing = false;
  let awaitingUndo = false; // An undo waits for the server's answer: which document.
  const queue = await makeQueue({ user, campaign, url: judge.dataset.acts, changed: queueChanged, sent: queueSent });

  function queueChanged(it) {
    judge.dataset.unsent = it.unsent.length;
    showQueue(it, judge.dataset, reopenRefused);
    if (it.unsent.length) desk?.tell();
    else desk?.resume();
    if (awaitingUndo && !press.isShown && it.inTrouble) {
      showMessage(whyWaiting(it.state));
      press.painted(article());
    }
  }

  function queueSent() {
    desk?.fetchAhead();
  }

  desk = makeDesk({
    judge, queue,
    onProgress: bar.progress,
    onShow(next) {
      if (!next.over && !next.servedAt) drafts.restore(next, next.topic);
      bar.fill(next.over ? null : next);
      panels.describe();
      if (!next.over) next.servedAt ??= new Date().toISOString();
      const here = review && !next.over ? `${work}${encodeURIComponent(next.topic)}/change/?${new URLSearchParams({ docno: next.docno, review })}` : judge.dataset.judge;
      if ((review || !next.previous) && location.pathname + location.search !== here) history.replaceState(null, "", here);
      appeared();
      const keyAt = press.takeKeyTime();
      if (keyAt) measure(keyAt);
    },
  });

  async function submit(act, kind) {
    const own = currentDocument();
    if (!own || own.submitted || !press.isReadable()) return;
    const fields = { ...bar.read(), ...act.fields };
    if (fields.flags.includes("duplicate") && !fields.duplicateOf) return ask(texts.needsOriginal, panels.askForOriginal);
    const rationale = own.node.dataset.rationale ?? judge.dataset.rationale;
    if (act.relevant && rationale === "relevant" && !own.passages.length && own.node.querySelector(".reading, iframe[sandbox]")) {
      return ask(texts.needsPassage);
    }
    own.submitted = true;
    press.unsettle();
    showMessage("");
    panels.close();
    Object.assign(own, fields);
    const record = {
      act: act.act, purpose, uuid: own.uuid, topic: own.topic, docno: own.docno, token: own.token || null,
      grade: act.grade ?? null, reason: act.reason ?? null, comment: fields.comment, flags: fields.flags,
      duplicate_of: fields.duplicateOf, passages: own.passages,
      active_seconds: presence.activeSeconds(), served_at: own.servedAt, language_shown: fields.languageShown,
      guideline_version: guidelines.version, erratum: Number(document.getElementById("errata-news")?.dataset.shown ?? 0),
    };
    try {
      await queue.add(record);
    } catch {
      own.submitted = false;
      press.painted(own.node);
      return showMessage(texts.failed);
    }
    drafts.clear(own.topic, own.docno);
    document.dispatchEvent(new CustomEvent("judged", { detail: { ...record, kind, node: own.node } }));
    const entry = { uuid: own.uuid, docno: own.docno, token: own.token, topic: own.topic, purpose, kind, grade: act.grade };
    const previous = { kind, grade: act.grade, comment: fields.comment, flags: fields.flags, duplicate_of: fields.duplicateOf, passages: own.passages };
    // What an undo brings back: the grade that this one changes.
    const former = own.undone || own.previous?.kind !== "grade" ? null : own.previous;
    if (isCounted(own)) bar.step(1);
    queue.forgetRefused(own.docno, own.topic);
    bar.showLast(entry);
    bar.addRecent(entry);
    tabs.announce({ docno: own.docno, token: own.token, topic: own.topic });
    const grade = kind === "grade" ? document.querySelector(`#grades [data-grade="${act.grade}"]`).dataset.label : "";
    desk.submit({ ...entry, previous, former, doc: own }, format(kind === "grade" ? texts.judged : texts.skippedNext, { grade, docno: "{docno}" }));
  }

  // Does a judgment of it, or an undo of that, change how many are done?
  const isCounted = (own) => (review ? own.queued : !own.previous || own.undone);

  const ask = (text, then) => void (showMessage(text), then?.());

  async function undo() {
    if (undoing) return;
    undoing = true;
    let shown = false;
    try {
      shown = await undoLast();
    } catch (error) {
      showMessage(error.kind ? whyWaiting(error.kind) : texts.failed);
    } finally {
      undoing = awaitingUndo = false;
      if (!shown && !press.isShown) press.painted(article());
    }
  }

  // True if another document or page is shown.
  async function undoLast() {
    showMessage("");
    press.unsettle();
    const last = desk.submitted.at(-1);
    const uuid = newUuid();
    await queue.add({ act: "undo", purpose, uuid, of: last?.uuid ?? null, topic: last?.topic ?? topic, docno: last?.docno ?? "" });
    desk.submitted.pop();
    const answer = queue.answerTo(uuid);
    if (last?.doc) return showUndone(last, await desk.reopen(last, last.former ?? last.previous, !last.former, answer));
    awaitingUndo = true;
    const result = await answer;
    if (!result) return location.assign(judge.dataset.judge) ?? true; // That page starts with it.
    if (!result.ok) return showMessage(result.code === "nothing-to-undo" ? texts.nothing : result.message);
    const entry = { docno: result.docno, token: result.token ?? last?.token, topic: result.topic, uuid: last?.uuid, purpose };
    if (topic && result.topic !== topic) return location.assign(addressOf(entry, judge.dataset)) ?? true;
    return showUndone(entry, await desk.reopen(entry));
  }

  function showUndone(entry, doc) {
    bar.dropRecent(entry);
    bar.showLast(desk.submitted.at(-1));
    if (!doc) return false;
    if (isCounted(doc)) bar.step(-1);
    announce(format(texts.undone, { docno: doc.docno }));
    return true;
  }

  // Change a recent judgment, or judge a refused document again.
  async function open(entry, event) {
    event.preventDefault();
    const own = currentDocument();
    if (own && !own.submitted && own.token && own.token === entry.token) return focusDocument();
    const known = desk.submitted.find((it) => it.docno === entry.docno && it.topic === entry.topic && it.doc);
    try {
      if (known && known.doc !== desk.current) known.doc.queued = false;
      const found = known?.doc === desk.current ? known.doc : await desk.reopen(known ?? entry, known?.previous, false);
      if (found) announce(format(texts.current, { docno: found.docno }));
      else location.assign(event.target.closest("a").href);
    } catch (error) {
      if (!error.kind) throw error;
      showMessage(whyWaiting(error.kind));
    }
  }

  function reopenRefused(event, record) {
    const { act } = record;
    if ((act.purpose ?? "judge") === purpose && [act.topic, ""].includes(topic)) open(act, event);
  }

  judge.addEventListener("submit", (event) => {
    const form = event.target;
    event.preventDefault();
    const pick = event.submitter;
    if (form.id === "grades" && pick?.name === "grade") {
      submit({ act: "judge", grade: Number(pick.value), relevant: "relevant" in pick.dataset }, "grade");
    } else if (form.id === "judge-skip" && pick?.name === "reason") {
      const fields = readSkip(form, pick.value, bar.read().comment);
      if (fields) submit({ act: "skip", reason: pick.value, fields }, "skip");
    } else if (form.id === "undo" && press.isReadable(SETTLE_MS)) undo();
  });

  judge.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link?.dataset.go === "next") {
      event.preventDefault();
      if (desk.keep()) bar.step(1);
      desk.next();
    } else if (link?.closest("#recent-list") && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      const row = link.closest("li").dataset;
      open({ ...row }, event);
    } else if (event.target.closest("#highlight")) passages.highlight();
  });
  judge.addEventListener("input", () => {
    if (currentDocument()) Object.assign(currentDocument(), bar.read());
    saveDraft();
  });

  const tabs = makeTabs({ user, campaign }, (other) => desk.drop(other));
  let renewedAt = performance.now();
  const third = (1000 * Number(judge.dataset.lease)) / 3;
  setInterval(() => {
    if (!presence.wasThere(performance.now() - renewedAt)) return;
    renewedAt = performance.now();
    desk.renew().catch((error) => { if (!error.kind) throw error; });
  }, third);
  window.addEventListener("pagehide", () => {
    if (tabs.alone()) desk.returnAhead();
    tabs.leave();
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) judge.dataset.single === undefined ? desk.fetchAhead() : location.reload();
  });
  window.addEventListener("online", () => desk.fetchAhead());

  makeNotebook({ queue, current: currentDocument, purpose, leave });
  const highlightButton = document.getElementById("highlight");
  if (highlightButton) highlightButton.hidden = false;
  const first = parseDocument(article(), topic ? [] : [...judge.querySelectorAll("[data-part]")]);
  desk.begin(first, lastJudgments());
  showQueue(queue, judge.dataset, reopenRefused);
  judge.dataset.unsent = queue.unsent.length;
  // The document on screen may have an unsent act from an earlier visit.
  const judgedBefore = queue.unsent.some(({ act }) => act.topic === first.topic && act.docno === first.docno && ["judge", "skip"].includes(act.act));
  await queue.flush();
  if (judgedBefore) desk.next();
  else desk.fetchAhead();
  judge.dataset.live = "";
}

if (mode === "queue") queued();
else {
  plain({
    judge, article, drafts, panels, appeared,
    settled: () => press.isReadable(),
    begin: (own) => { plainDocument = own; },
  });
}
