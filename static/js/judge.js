// The judging screen. One key judges and shows the next document, which is there already; the
// judgment is kept in this browser first and sent then. Where the page wants plain posts
// (data-mode="plain") only the keys, the marking of words and the search are ours.
import { announce, makeBar, saidIn, say, showQueue, told, words } from "./judge/bar.js";
import { makeDesk } from "./judge/desk.js";
import { makeFind } from "./judge/find.js";
import { watchFrames } from "./judge/frames.js";
import { CLICK_SETTLE_MS, SETTLE_MS, inField, meant } from "./judge/keys.js";
import { makeReader, measure, newUuid, paperOf } from "./judge/papers.js";
import { makePassages } from "./judge/passages.js";
import * as presence from "./judge/presence.js";
import { makeQueue } from "./judge/queue.js";
import { makeTabs } from "./judge/tabs.js";
import { makeTerms } from "./judge/terms.js";
import { framed } from "./judge/text.js";

const judge = document.getElementById("judge");
const { topic, campaign, mode } = judge.dataset;
const user = Number(judge.dataset.user);
const article = () => judge.querySelector(".judge-doc:not([hidden])");

let shownAt = Infinity; // When the document in hand was painted.
let desk = null;
let plainPaper = { passages: [] };
let seen = null; // The paper whose time is counted.
const paper = () => (desk ? (desk.current?.over ? null : desk.current) : plainPaper);

// ---- what every judging page has: words of the topic, search, reading on ----

const reader = makeReader((node) => node === article() && terms.look(node));
const terms = makeTerms({ readOn: reader.readOn, say: announce, words });
const findBox = document.getElementById("find");
const finding = findBox && makeFind({
  box: findBox,
  current: article,
  readOn: reader.readOn,
  words,
  told,
  leave: focusDocument,
});
const passages = makePassages({ list: document.getElementById("passage-list"), say, words, current: paper });

function focusDocument() {
  const inside = framed(article());
  if (inside) inside.defaultView.focus();
  else article()?.focus({ preventScroll: true });
}

// A document has come into sight. Its clock starts when it is painted.
function appeared() {
  unsettle();
  if (seen) seen.activeSeconds = presence.activeSeconds();
  seen = paper();
  presence.begin(seen?.activeSeconds);
  const node = article();
  requestAnimationFrame(() => requestAnimationFrame(() => painted(node)));
  reader.watch(node);
  terms.look(node);
  passages.draw();
  const active = document.activeElement;
  if (!active || active === document.body || !inField(active) || !judge.contains(active)) focusDocument();
}

// From now to the next document no key counts.
function unsettle() {
  shownAt = Infinity;
  delete judge.dataset.settled;
}

function painted(node) {
  if (node !== article()) return;
  shownAt = performance.now();
  const after = (ms, by) => setTimeout(() => {
    if (node === article() && settled(ms)) judge.dataset.settled = by;
  }, ms + 10);
  after(SETTLE_MS, "keys");
  after(CLICK_SETTLE_MS, "keys clicks");
}

const settled = (ms) => performance.now() - shownAt >= ms;

// ---- keys ----

const commands = {
  n: () => terms.jump(1),
  "Shift+n": () => terms.jump(-1),
  h: () => terms.toggle(),
  p: () => passages.mark(),
  "/": () => finding?.open(),
  z: () => judge.querySelector("#undo button")?.click(),
};

function targetOf(key) {
  const place = document.querySelector(":popover-open") ?? judge;
  return [...place.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key && node.checkVisibility({ visibilityProperty: true }));
}

function pressed(event) {
  const field = event.composedPath?.()[0] ?? event.target;
  if (inField(field)) return pressedInField(event, field);
  const key = meant(event);
  if (!key) return;
  // A button or link that has the focus answers Enter itself.
  if (key === "Enter" && field.closest?.("button, a, summary")) return;
  const popover = document.querySelector(":popover-open");
  if (popover && key === "?") return void (event.preventDefault(), popover.hidePopover());
  const target = targetOf(key);
  const command = popover ? null : commands[key];
  if (!target && !command) return;
  event.preventDefault();
  if (!settled(SETTLE_MS)) return;
  if (!target) return command();
  if (target.matches("textarea, input:not([type=checkbox])")) return target.focus();
  keyAt = event.timeStamp;
  byKey = true;
  target.click();
  byKey = false;
}

let keyAt = 0;
let byKey = false;

// From a field Enter and Escape lead back to the document; neither gives a grade.
function pressedInField(event, field) {
  if (event.isComposing || event.keyCode === 229 || !judge.contains(field) || field.type === "checkbox") return;
  if (field.closest("#find")) return;
  const leaves = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
  if (!leaves) return;
  event.preventDefault();
  focusDocument();
}

document.addEventListener("keydown", pressed);

watchFrames({
  judge, article, pressed,
  focus: focusDocument,
  loaded() {
    terms.look(null);
    terms.look(article());
    passages.draw();
  },
});

judge.addEventListener("click", (event) => {
  if (event.target.closest("[data-read-on]")) {
    event.preventDefault();
    reader.readOn(article());
  }
});

presence.watch(document);

// ---- plain posts ----

function plain() {
  const form = document.getElementById("grades");
  const node = article();
  plainPaper = node && "docno" in node.dataset ? paperOf(node) : plainPaper;
  let sent = false;
  document.addEventListener("submit", (event) => {
    if (!judge.contains(event.target)) return;
    if (sent || !settled(byKey ? SETTLE_MS : CLICK_SETTLE_MS)) return event.preventDefault();
    sent = true;
    const fields = event.target.elements;
    if (fields.active_seconds) fields.active_seconds.value = presence.activeSeconds();
    if (fields.served_at) fields.served_at.value = plainPaper.servedAt;
    if (fields.passages) fields.passages.value = JSON.stringify(plainPaper.passages);
  }, true);
  window.addEventListener("pageshow", () => { sent = false; });
  if (form) plainPaper.servedAt = new Date().toISOString();
  appeared();
}

// ---- the queue ----

async function queued() {
  const bar = makeBar(judge);
  const placeOf = (number) => `${judge.dataset.work}${encodeURIComponent(number)}/`;
  let taking = false;
  let patient = false; // An undo waits for the server to say which document comes back.
  const queue = await makeQueue({ user, campaign, url: judge.dataset.acts, changed: queueChanged, sent: queueSent });

  function queueChanged(it) {
    judge.dataset.unsent = it.unsent.length;
    showQueue(it, { addresses: addressOf, again: judgeAgain });
    if (!it.unsent.length) desk?.settle();
    if (patient && shownAt === Infinity && it.inTrouble) {
      say(words.waitingOffline);
      painted(article());
    }
  }

  function queueSent() {
    desk?.fetchAhead();
  }

  function addressOf(act) {
    return `${placeOf(act.topic ?? topic)}change/?${new URLSearchParams({ docno: act.docno ?? "" })}`;
  }

  desk = makeDesk({
    judge, queue,
    onProgress: bar.progress,
    onShow(next) {
      bar.fill(next.over ? null : next);
      if (!next.over) next.servedAt ??= new Date().toISOString();
      if (!next.marks && location.pathname + location.search !== judge.dataset.judge) history.replaceState(null, "", judge.dataset.judge);
      appeared();
      if (keyAt) measure(keyAt);
      keyAt = 0;
    },
  });

  async function give(act, kind) {
    const own = paper();
    if (!own || own.given || !settled(byKey ? SETTLE_MS : CLICK_SETTLE_MS)) return;
    const said = bar.read();
    if (said.flags.includes("duplicate") && !said.duplicateOf) return ask(words.needsOriginal, () => bar.showOriginal(true));
    if (act.relevant && judge.dataset.rationale === "relevant" && !own.passages.length && own.node.querySelector(".reading, iframe[sandbox]")) {
      return ask(words.needsPassage);
    }
    own.given = true;
    unsettle();
    say("");
    Object.assign(own, said);
    const sent = {
      act: act.act, uuid: own.uuid, topic, docno: own.docno, token: own.token || null,
      grade: act.grade ?? null, reason: act.reason ?? null, comment: said.comment, flags: said.flags,
      duplicate_of: said.duplicateOf, passages: own.passages,
      active_seconds: presence.activeSeconds(), served_at: own.servedAt,
    };
    try {
      await queue.add(sent, null);
    } catch {
      own.given = false;
      painted(own.node);
      return say(words.failed);
    }
    const entry = { uuid: own.uuid, docno: own.docno, token: own.token, topic, kind, grade: act.grade };
    const marks = { kind, grade: act.grade, comment: said.comment, flags: said.flags, duplicate_of: said.duplicateOf, passages: own.passages };
    if (!own.marks || own.takenBack) bar.step(1);
    forgetRefused(own);
    bar.showLast(entry);
    bar.addRecent(entry);
    tabs.tell({ docno: own.docno, token: own.token, topic });
    const grade = kind === "grade" ? document.querySelector(`#grades [data-grade="${act.grade}"]`).dataset.label : "";
    desk.give({ ...entry, marks, paper: own }, told(kind === "grade" ? words.given : words.skippedNext, { grade, docno: "{docno}" }));
  }

  const ask = (text, then) => void (say(text), then?.());

  function forgetRefused(own) {
    for (const record of queue.refused) {
      if (record.act.docno === own.docno && record.act.topic === topic) queue.forget(record);
    }
  }

  async function takeBack() {
    if (taking) return;
    taking = true;
    let shown = false;
    try {
      shown = await takeLastBack();
    } catch (error) {
      if (!error.kind) throw error;
      say(words.waitingOffline);
    } finally {
      taking = patient = false;
      if (!shown && shownAt === Infinity) painted(article());
    }
  }

  // True if another document, or another page, comes into sight.
  async function takeLastBack() {
    say("");
    unsettle();
    const last = desk.given.pop();
    const uuid = newUuid();
    await queue.add({ act: "undo", uuid, of: last?.uuid ?? null, topic: last?.topic ?? topic, docno: last?.docno ?? "" }, null);
    const answer = queue.answerTo(uuid);
    if (last?.paper) return withdrawn(last, await desk.again(last, last.marks, true, answer));
    patient = true;
    const result = await answer;
    if (!result) return location.assign(judge.dataset.judge) ?? true; // It comes first there.
    if (!result.ok) return say(result.code === "nothing-to-undo" ? words.nothing : result.message);
    if (result.topic !== topic) {
      location.assign(`${placeOf(result.topic)}?${new URLSearchParams({ docno: result.docno })}`);
      return true;
    }
    const entry = { docno: result.docno, token: result.token ?? last?.token, topic, uuid: last?.uuid };
    return withdrawn(entry, await desk.again(entry, null, true));
  }

  function withdrawn(entry, back) {
    bar.dropRecent(entry);
    bar.showLast(desk.given.at(-1));
    if (!back) return false;
    back.takenBack = true;
    bar.step(-1);
    announce(told(words.undone, { docno: back.docno }));
    return true;
  }

  // Change one of the last, or judge again what was refused.
  async function open(entry, event) {
    event.preventDefault();
    const own = paper();
    if (own && !own.given && own.token && own.token === entry.token) return focusDocument();
    const known = desk.given.find((it) => it.docno === entry.docno && it.paper);
    try {
      const found = known?.paper === desk.current ? known.paper : await desk.again(known ?? entry, known?.marks ?? null, false);
      if (!found) location.assign(event.target.closest("a").href);
    } catch (error) {
      if (!error.kind) throw error;
      say(words.waitingOffline);
    }
  }

  function judgeAgain(event, record) {
    if ((record.act.topic ?? topic) !== topic) return;
    open({ docno: record.act.docno, token: record.act.token, topic }, event);
  }

  judge.addEventListener("submit", (event) => {
    const form = event.target;
    event.preventDefault();
    const pick = event.submitter;
    if (form.id === "grades" && pick?.name === "grade") {
      give({ act: "judge", grade: Number(pick.value), relevant: "relevant" in pick.dataset }, "grade");
    } else if (form.id === "judge-skip" && pick?.name === "reason") {
      form.hidePopover();
      give({ act: "skip", reason: pick.value }, "skip");
    } else if (form.id === "undo" && settled(SETTLE_MS)) takeBack();
  });

  judge.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link?.dataset.go === "next") {
      event.preventDefault();
      desk.next();
    } else if (link?.closest("#recent-list") && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      const row = link.closest("li").dataset;
      open({ docno: row.docno, token: row.token, topic, uuid: row.uuid }, event);
    } else if (event.target.closest("#mark")) passages.mark();
  });
  judge.addEventListener("change", (event) => {
    if (event.target.name !== "flags") return;
    bar.showOriginal(event.target.value === "duplicate");
  });
  judge.addEventListener("click", (event) => {
    // A flag set by pointer leaves the keys with the document.
    const box = event.target.closest("label.flag")?.querySelector("input");
    if (box && event.detail > 0 && !(box.value === "duplicate" && box.checked)) focusDocument();
  });
  judge.addEventListener("input", () => paper() && Object.assign(paper(), bar.read()));

  const tabs = makeTabs({ user, campaign }, (other) => other.topic === topic && desk.drop(other.docno, other.token));
  let renewedAt = performance.now();
  const third = (1000 * Number(judge.dataset.lease)) / 3;
  setInterval(() => {
    if (!presence.wasThere(performance.now() - renewedAt)) return;
    renewedAt = performance.now();
    desk.renew().catch((error) => { if (!error.kind) throw error; });
  }, third);
  window.addEventListener("pagehide", () => {
    if (tabs.alone()) desk.release();
    tabs.leave();
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) desk.fetchAhead(); });
  window.addEventListener("online", () => desk.fetchAhead());

  const mark = document.getElementById("mark");
  if (mark) mark.hidden = false;
  const first = paperOf(article());
  first.takenBack = "takenBack" in first.node.dataset;
  desk.begin(first, lastGiven());
  showQueue(queue, { addresses: addressOf, again: judgeAgain });
  judge.dataset.unsent = queue.unsent.length;
  // What an earlier visit left: the document on screen may be among it.
  const left = queue.unsent.some(({ act }) => act.topic === topic && act.docno === first.docno && act.act !== "undo");
  await queue.flush();
  if (left) desk.next();
  else desk.fetchAhead();
  judge.dataset.live = "";

  // What the page shows as judged last, to be taken back one after another.
  function lastGiven() {
    const rows = [...document.querySelectorAll("#recent-list > li")].reverse();
    const entries = rows.map((row) => ({ ...row.dataset, topic, ...saidIn(row), paper: null }));
    const uuid = document.getElementById("undo").elements.of.value;
    const last = document.getElementById("last");
    if (uuid && last.dataset.topic !== topic) entries.push({ uuid, topic: last.dataset.topic, ...saidIn(last), paper: null });
    return entries;
  }
}

if (mode === "queue") queued();
else plain();
