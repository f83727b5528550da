// The papers on the desk: the one in hand, those fetched ahead, those given.
import { announce, say, told, words } from "./bar.js";
import { nodeOf, paperOf, withMarks } from "./papers.js";
import { beacon, post } from "./wire.js";

const AHEAD = 3;
const REMEMBERED = 30; // Papers kept whole, to be taken back also without a connection.
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const PROGRESS_MS = 30_000;

export function makeDesk({ judge, queue, onShow, onProgress }) {
  const { user, topic } = judge.dataset;
  let current = null;
  let ahead = [];
  let given = []; // {uuid, docno, token, topic, kind, grade, paper}, the last given last
  let over = null;
  let asking = false;
  let askAgain = false;
  let failures = 0;
  let timer = 0;
  let trouble = "";
  let toldAt = queue.unsent.length ? -Infinity : performance.now(); // When the server last said how far the topic is.

  const has = (docno, token) =>
    [current, ...ahead].some((paper) => paper && !paper.over && (paper.token === token || paper.docno === docno)) ||
    queue.unsent.some(({ act }) => act.topic === topic && act.docno === docno && act.act !== "undo");

  function put(paper) {
    paper.node.hidden = true;
    judge.querySelector(".judge-doc").after(paper.node);
  }

  // The paper comes into hand; whatever was there goes from sight, not from memory.
  function show(paper, message) {
    const before = current?.node ?? judge.querySelector(".judge-doc:not([hidden])");
    current = paper;
    judge.toggleAttribute("data-waiting", Boolean(paper.waiting));
    if (!paper.node.isConnected) before.after(paper.node);
    paper.node.hidden = false;
    if (before !== paper.node) before.remove();
    count();
    onShow(paper);
    if (message) announce(message);
  }

  function count() {
    judge.dataset.ready = ahead.length;
  }

  function next(message = "") {
    const paper = ahead.shift();
    if (paper) show(paper, told(message || words.shown, { docno: paper.docno }));
    else if (over && !busy()) show(over, over.node.ariaLabel);
    else wait();
    if (!ahead.length) fetchAhead();
  }

  const busy = () => queue.unsent.length > 0 || asking;

  // Nothing is there yet: say what is waited for.
  function wait() {
    const troubles = { offline: words.waitingOffline, server: words.waitingOffline, "signed-out": words.waitingSignedOut };
    const text = troubles[trouble || queue.state] ?? words.waiting;
    if (current?.waiting) return void (current.node.querySelector("p").textContent = text);
    const node = nodeOf('<article class="judge-doc" tabindex="0" data-over><div class="over"><p role="status"></p></div></article>');
    node.querySelector("p").textContent = text;
    show({ node, over: true, waiting: true });
  }

  // Still to be judged; what is only looked at again to be changed is not.
  const isOpen = (paper) => !paper.over && !paper.given && (!paper.marks || paper.takenBack);

  function tokens() {
    const papers = [current, ...ahead].filter((paper) => paper?.token && isOpen(paper));
    return [...papers.map((paper) => paper.token), ...queue.unsent.map(({ act }) => act.token)].filter(Boolean);
  }

  async function fetchAhead() {
    clearTimeout(timer);
    if (asking) {
      askAgain = true;
      return;
    }
    if (ahead.length >= AHEAD) return;
    asking = true;
    try {
      do {
        askAgain = false;
        await ask();
      } while (askAgain && ahead.length < AHEAD);
      failures = 0;
      trouble = "";
    } catch (error) {
      if (!error.kind) throw error;
      trouble = error.kind;
      timer = setTimeout(fetchAhead, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures));
      failures += 1;
    } finally {
      asking = false;
    }
    if (current?.waiting || (current?.over && ahead.length)) settle();
  }

  async function ask() {
    // While acts are unsent the server cannot say that nothing is left.
    const all = !queue.unsent.length;
    // The page counts on by itself; now and then the server's count puts it right.
    const progress = all && performance.now() - toldAt > PROGRESS_MS;
    const asked = { user: Number(user), topic, have: tokens(), count: AHEAD - ahead.length, progress };
    const answer = await post(judge.dataset.ahead, asked);
    for (const found of answer.documents) {
      if (has(found.docno, found.token)) continue;
      const paper = paperOf(nodeOf(found.html));
      put(paper);
      ahead.push(paper);
    }
    over = answer.over && all ? paperOf(nodeOf(answer.over)) : null;
    if (answer.progress && !queue.unsent.length) {
      toldAt = performance.now();
      onProgress(answer.progress);
    }
    count();
  }

  // Something may have come for a desk that waits.
  function settle() {
    if (ahead.length) next();
    else if (over && !busy()) show(over, over.node.ariaLabel);
    else wait();
  }

  // The paper in hand is given; the entry stands in what can be taken back.
  function give(entry, message) {
    given = given.filter((it) => it.docno !== entry.docno || it.topic !== entry.topic);
    given.push(entry);
    for (const old of given.slice(0, -REMEMBERED)) old.paper = null;
    over = null;
    if (current === entry.paper) next(message);
  }

  // A paper once more: from memory, else from the server. What was in hand comes after it.
  async function again(entry, marks, takenBack, answer) {
    let paper = entry.paper;
    if (paper) {
      withMarks(paper, marks ?? entry.marks);
      answer?.then((result) => result?.token && !paper.given && (paper.token = result.token));
    } else {
      await answer;
      const asked = { user: Number(user), topic: entry.topic, again: entry.docno, token: entry.token ?? "" };
      const found = (await post(judge.dataset.ahead, asked)).documents[0];
      if (!found) return null;
      paper = paperOf(nodeOf(found.html));
    }
    // A refused one stays leased: it may have come ahead, or into hand, once more.
    const twin = (it) => it !== paper && Boolean(it.token) && it.token === paper.token;
    if (current && !current.over && twin(current) && isOpen(current) && !entry.paper) return current;
    note(paper, takenBack);
    for (const other of ahead.filter(twin)) other.node.remove();
    ahead = ahead.filter((it) => !twin(it));
    if (current && !current.over && current !== paper && !twin(current) && isOpen(current)) {
      const last = current;
      show(paper);
      put(last);
      ahead.unshift(last);
      count();
    } else show(paper);
    return paper;
  }

  // Says on the paper itself what was said of it.
  function note(paper, takenBack) {
    if (!entryText(paper)) return;
    let line = paper.node.querySelector(".notice.before");
    if (!line) paper.node.prepend((line = nodeOf('<p class="notice before"></p>')));
    line.replaceChildren(takenBack ? words.tookBack : words.youSaid, " ", entryText(paper));
    if (takenBack) return;
    const link = nodeOf('<a data-go="next"></a>');
    link.href = judge.dataset.judge;
    link.textContent = words.goOn;
    line.append(" ", link);
  }

  function entryText(paper) {
    if (!paper.marks) return "";
    return paper.marks.kind === "skip" ? words.skipped : `${paper.marks.grade} ${labels(paper.marks.grade)}`;
  }

  const labels = (grade) => judge.querySelector(`#grades [data-grade="${grade}"]`)?.dataset.label ?? "";

  // Another window gave this document.
  function drop(docno, token) {
    const same = (paper) => paper && !paper.over && paper.docno === docno && (!token || !paper.token || paper.token === token);
    for (const paper of ahead.filter(same)) paper.node.remove();
    ahead = ahead.filter((paper) => !same(paper));
    toldAt = -Infinity; // What is done there this page has not counted.
    count();
    if (!same(current) || current.given || current.marks) return;
    say(words.elsewhere);
    next();
  }

  async function renew() {
    const own = [current, ...ahead].filter((paper) => paper?.token && isOpen(paper)).map((paper) => paper.token);
    if (!own.length) return;
    const { held } = await post(judge.dataset.renew, { user: Number(user), tokens: own });
    const lost = ahead.filter((paper) => paper.token && !held.includes(paper.token) && !paper.marks);
    for (const paper of lost) paper.node.remove();
    ahead = ahead.filter((paper) => !lost.includes(paper));
    count();
    if (lost.length) fetchAhead();
    if (current?.token && !current.marks && own.includes(current.token) && !held.includes(current.token)) say(words.leaseGone);
  }

  function release() {
    const fresh = ahead.filter((paper) => !paper.marks && paper.token);
    if (fresh.length) beacon(judge.dataset.release, fresh.map((paper) => ["token", paper.token]));
    for (const paper of ahead) paper.node.remove();
    ahead = [];
    count();
  }

  return {
    get current() { return current; },
    get given() { return given; },
    begin(paper, entries) {
      current = paper;
      given = entries;
      if (paper.over) over = paper;
      count();
      onShow(paper);
    },
    show, next, give, again, drop, renew, release, fetchAhead,
    settle() {
      if (current?.waiting) settle();
      if (current?.waiting) fetchAhead();
    },
  };
}
