// The documents on the page: the current one, those prefetched, those submitted.
import { announce, format, showMessage, texts, whyWaiting } from "./bar.js";
import { newUuid, parseDocument, parseNode, parseParts, withPrevious } from "./documents.js";
import { beacon, post } from "./wire.js";

const LEAST_AHEAD = 3;
const AT_ONCE = 12; // Documents in one request, as in queries/screen.py.
const MOST_TOKENS = 80; // As in judging_sync.py. A document that comes twice is shown once.
const REMEMBERED = 30; // Documents kept in memory, so that undo works offline.
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const PROGRESS_MS = 30_000;
const READING_MS = 2_000; // Who has read for so long is not in the middle of a row of keys.

export function makeDesk({ judge, queue, onShow, onProgress }) {
  const { user, topic, purpose, review, single } = judge.dataset;
  const seen = []; // Documents that the page has had to look at again.
  let current = null;
  let ahead = [];
  let mostAhead = Number(judge.dataset.mostAhead) || LEAST_AHEAD;
  let submitted = []; // {uuid, docno, token, topic, kind, grade, doc}, the latest last
  let over = null;
  let acts = 0; // An answer that the server gave before the latest act does not know of it.
  let fetching = false;
  let fetchAgain = false;
  let failures = 0;
  let timer = 0;
  let reading = 0;
  let loading = false;
  let trouble = "";
  let progressAt = queue.unsent.length ? -Infinity : performance.now(); // When the server last sent the progress.

  const isAnswer = ({ act }) => ["judge", "skip", "keep"].includes(act);
  const samePair = (a, b) => a.topic === b.topic && a.docno === b.docno;
  const has = (row) =>
    [current, ...ahead].some((doc) => doc && !doc.over && (samePair(doc, row) || (row.token && doc.token === row.token))) ||
    queue.unsent.some(({ act }) => samePair(act, row) && isAnswer(act));

  function put(doc) {
    doc.node.hidden = true;
    if (!doc.node.isConnected) judge.querySelector(".judge-doc").after(doc.node);
  }

  // A frame that is put back loads again, which fails without a connection: it is only hidden.
  function leave(node) {
    if (node.querySelector("iframe[sandbox]")) node.hidden = true;
    else node.remove();
  }

  // Makes a document the current one; the one before is hidden but stays in memory.
  function show(doc, message) {
    const before = current?.node ?? judge.querySelector(".judge-doc:not([hidden])");
    current = doc;
    judge.toggleAttribute("data-waiting", Boolean(doc.waiting));
    if (!doc.node.isConnected) before.after(doc.node);
    doc.node.hidden = false;
    if (before !== doc.node) leave(before);
    for (const part of doc.parts ?? []) document.getElementById(part.id)?.replaceWith(part);
    count();
    onShow(doc);
    if (message) announce(message);
    clearTimeout(reading);
    reading = setTimeout(loadPages, READING_MS);
  }

  // Pages of PDFs that are not in sight yet, for a time without a connection: one after another, since
  // each has to be drawn, and the next document must not wait for them.
  async function loadPages() {
    if (loading) return;
    loading = true;
    const lazy = '.pdf-page img[loading="lazy"]';
    for (let image; (image = [current, ...ahead].map((it) => it?.node.querySelector(lazy)).find(Boolean)); ) {
      image.loading = "eager";
      if (!image.complete) await new Promise((resolve) => { image.onload = image.onerror = resolve; });
    }
    loading = false;
  }

  function count() {
    judge.dataset.ready = ahead.length;
    decode(ahead[0]);
  }

  // The picture that is seen first is ready to be painted, as one that cannot be drawn never is.
  function decode(doc) {
    doc?.node.querySelector("img")?.decode().catch(() => {});
  }

  function next(message = "") {
    const doc = ahead.shift();
    if (doc) show(doc, format(message || texts.current, { docno: doc.docno }));
    else if (single !== undefined && !busy()) location.assign(judge.dataset.judge);
    else if (over && !busy()) show(over, over.node.ariaLabel);
    else wait();
    if (!ahead.length) fetchAhead();
  }

  const busy = () => queue.unsent.length > 0 || fetching;

  // No document yet: show why.
  function wait() {
    const text = whyWaiting(trouble || queue.state);
    if (current?.waiting) return void (current.node.querySelector("p").textContent = text);
    const node = parseNode('<article class="judge-doc" tabindex="0" data-over><div class="over"><p role="status"></p></div></article>');
    node.querySelector("p").textContent = text;
    show({ node, over: true, waiting: true });
  }

  // Still to be judged; not one that is only reopened to be changed.
  const isOpen = (doc) => !doc.over && !doc.submitted && (!doc.previous || doc.undone);
  // Comes again after another that was reopened.
  const isWaiting = (doc) => !doc.over && !doc.submitted && (doc.queued || doc.undone);

  function tokens() {
    const docs = [current, ...ahead].filter((doc) => doc?.token && isOpen(doc));
    return [...docs.map((doc) => doc.token), ...queue.unsent.map(({ act }) => act.token)].filter(Boolean).slice(0, MOST_TOKENS);
  }

  // A request costs the server more than the documents in it: one brings the last quarter.
  const isStocked = () => ahead.length > mostAhead - Math.max(1, Math.floor(mostAhead / 4));
  const isFull = () => ahead.length >= mostAhead || (isStocked() && progressAt > -Infinity);

  async function fetchAhead() {
    clearTimeout(timer);
    if (fetching) {
      fetchAgain = true;
      return;
    }
    if (isFull() || single !== undefined) return;
    fetching = true;
    try {
      let more = false;
      do {
        fetchAgain = false;
        more = await fetchDocuments();
        if (current?.waiting && ahead.length) showArrived();
      } while (fetchAgain ? !isFull() : more && ahead.length < mostAhead);
      failures = 0;
      trouble = "";
    } catch (error) {
      if (!error.kind) throw error;
      trouble = error.kind;
      timer = setTimeout(fetchAhead, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures));
      failures += 1;
    } finally {
      fetching = false;
    }
    if (current?.waiting || (current?.over && ahead.length)) showArrived();
  }

  async function fetchDocuments() {
    // While acts are unsent, the server cannot know that no documents are left.
    const all = !queue.unsent.length;
    // The page updates its counts itself; now and then the server's counts correct them.
    const progress = all && performance.now() - progressAt > PROGRESS_MS;
    const request = { user: Number(user), topic, purpose, review, seen, have: tokens(), count: Math.min(AT_ONCE, mostAhead - ahead.length), progress };
    const actsBefore = acts;
    const answer = await post(judge.dataset.ahead, request);
    const before = ahead.length;
    for (const row of answer.documents) {
      if (review) seen.push([row.topic, row.docno]);
      if (has(row)) continue;
      const doc = parseDocument(parseNode(row.html), parseParts(row.parts));
      doc.queued = true;
      put(doc);
      ahead.push(doc);
    }
    over = answer.over && all && acts === actsBefore ? parseDocument(parseNode(answer.over), parseParts(answer.over_parts)) : null;
    if (answer.progress && !queue.unsent.length) {
      progressAt = performance.now();
      onProgress(answer.progress);
    }
    mostAhead = answer.ahead ?? mostAhead;
    count();
    return ahead.length > before;
  }

  // A document may have arrived while the page waits.
  function showArrived() {
    if (ahead.length || single !== undefined) next();
    else if (over && !busy()) show(over, over.node.ariaLabel);
    else wait();
  }

  // Records the current document as submitted, so that it can be undone, and shows the next.
  function submit(entry, message) {
    submitted = submitted.filter((it) => !samePair(it, entry));
    submitted.push(entry);
    for (const old of submitted.slice(0, -REMEMBERED)) {
      old.doc?.node.remove();
      old.doc = null;
    }
    over = null;
    acts += 1;
    if (current === entry.doc) next(message);
  }

  // Shows a document again, from memory or from the server; the current one follows it. `previous`
  // is its judgment now; if that is `undone`, what it was.
  async function reopen(entry, previous, undone, answer) {
    let doc = entry.doc;
    if (doc) {
      withPrevious(doc, previous, undone);
      answer?.then((result) => result?.token && !doc.submitted && (doc.token = result.token));
    } else {
      await answer;
      const request = { user: Number(user), topic: entry.topic, purpose, review, again: entry.docno, token: entry.token ?? "" };
      const found = (await post(judge.dataset.ahead, request)).documents[0];
      if (!found) return null;
      doc = parseDocument(parseNode(found.html), parseParts(found.parts));
    }
    // A refused document stays checked out: it may be prefetched or current again.
    const twin = (it) => it !== doc && Boolean(it.token) && it.token === doc.token;
    if (current && !current.over && twin(current) && isOpen(current) && !entry.doc) return current;
    showPrevious(doc);
    for (const other of ahead.filter(twin)) other.node.remove();
    ahead = ahead.filter((it) => !twin(it));
    if (current && current !== doc && !twin(current) && isWaiting(current)) {
      const last = current;
      show(doc);
      put(last);
      ahead.unshift(last);
      count();
    } else show(doc);
    return doc;
  }

  // Shows the previous judgment on the document.
  function showPrevious(doc) {
    if (!entryText(doc)) return;
    let line = doc.node.querySelector(".notice.before");
    if (!line) doc.node.prepend((line = parseNode('<p class="notice before"></p>')));
    line.replaceChildren(doc.undone ? texts.undoneBefore : texts.yourJudgment, " ", entryText(doc));
    if (doc.undone) return;
    const link = parseNode('<a data-go="next"></a>');
    link.href = judge.dataset.judge;
    link.append(texts.continueUnchanged, " ", parseNode("<kbd>j</kbd>"));
    link.dataset.key = "j";
    line.append(" ", link);
  }

  function entryText(doc) {
    if (!doc.previous) return "";
    return doc.previous.kind === "skip" ? texts.skipped : `${doc.previous.grade} ${labels(doc.previous.grade)}`;
  }

  const labels = (grade) => judge.querySelector(`#grades [data-grade="${grade}"]`)?.dataset.label ?? "";

  // On a list to look at again: the judgment stands. True if that is news.
  function keep() {
    if (!review || !current?.queued || current.kept) return false;
    current.kept = true;
    over = null;
    acts += 1;
    queue.add({ act: "keep", uuid: newUuid(), review, topic: current.topic, docno: current.docno, purpose });
    return true;
  }

  // Another window judged this document.
  function drop(other) {
    const { token } = other;
    const same = (doc) => doc && !doc.over && samePair(doc, other) && (!token || !doc.token || doc.token === token);
    for (const doc of ahead.filter(same)) doc.node.remove();
    ahead = ahead.filter((doc) => !same(doc));
    progressAt = -Infinity; // This page has not counted that judgment.
    count();
    if (!same(current) || current.submitted || current.previous) return;
    showMessage(texts.elsewhere);
    next();
  }

  async function renew() {
    const own = [current, ...ahead].filter((doc) => doc?.token && isOpen(doc)).map((doc) => doc.token);
    if (!own.length) return;
    const { held: renewed } = await post(judge.dataset.renew, { user: Number(user), tokens: own });
    const lost = ahead.filter((doc) => doc.token && !renewed.includes(doc.token) && !doc.previous);
    for (const doc of lost) doc.node.remove();
    ahead = ahead.filter((doc) => !lost.includes(doc));
    count();
    if (lost.length) fetchAhead();
    if (current?.token && !current.previous && own.includes(current.token) && !renewed.includes(current.token)) showMessage(texts.leaseGone);
  }

  function returnAhead() {
    if (review) return; // They are not checked out.
    const fresh = ahead.filter((doc) => !doc.previous && doc.token);
    if (fresh.length) beacon(judge.dataset.return, fresh.map((doc) => ["token", doc.token]));
    for (const doc of ahead) doc.node.remove();
    ahead = [];
    count();
  }

  return {
    get current() { return current; },
    get submitted() { return submitted; },
    begin(doc, entries) {
      current = doc;
      doc.queued = true;
      submitted = entries;
      if (review) seen.push([doc.topic, doc.docno]);
      if (doc.over) over = doc;
      count();
      onShow(doc);
      reading = setTimeout(loadPages, READING_MS);
    },
    show, next, keep, submit, reopen, drop, renew, returnAhead, fetchAhead,
    resume() {
      if (current?.waiting) showArrived();
      if (current?.waiting) fetchAhead();
    },
    tell: () => current?.waiting && wait(),
  };
}
