// The queue of acts: stored in the browser first, then sent in order until the server has
// accepted or refused each. The uuid of an act makes sending it twice harmless; a lock shared by
// all tabs makes that rare.
import { openStore } from "./store.js";
import { Trouble, post } from "./wire.js";

const BATCH = 20;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export async function makeQueue({ user, campaign, url, changed, sent }) {
  const store = await openStore();
  const waiting = new Map(); // uuid → resolver waiting for the server's answer
  const removed = new Set(); // Records that a concurrent read of the store may still return.
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("poolbench-queue") : null;
  let records = [];
  let others = 0;
  let state = "saved";
  let running = false;
  let again = false;
  let failures = 0;
  let timer = 0;
  let batch = BATCH;

  const isMine = (record) => record.user === user && record.campaign === campaign;
  const unsent = () => records.filter((record) => !record.refused);

  async function read() {
    const all = (await store.all()).filter((record) => !removed.has(record.seq));
    records = all.filter(isMine);
    others = all.filter((record) => record.user !== user && !record.refused).length;
    // Another window has sent the missing records: their answers are unknown here.
    const here = new Set(records.map(({ act }) => act.uuid));
    for (const uuid of [...waiting.keys()]) if (!here.has(uuid)) answered(uuid, null);
  }

  async function refresh() {
    await read();
    changed(queue);
  }

  function notify() {
    channel?.postMessage("changed");
    changed(queue);
  }

  // Resolves once the act is stored; sending starts then.
  async function add(act) {
    const record = { user, campaign, act, refused: null };
    record.seq = await store.add(record);
    records.push(record);
    if (state === "saved") state = "sending";
    notify();
    flush();
  }

  // The server's answer to an act that is stored; null if another window got it.
  function answerTo(uuid) {
    return new Promise((resolve) => waiting.set(uuid, resolve));
  }

  function answered(uuid, result) {
    waiting.get(uuid)?.(result);
    waiting.delete(uuid);
  }

  async function flush() {
    clearTimeout(timer);
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      do {
        again = false;
        await locked(drain);
      } while (again);
      failures = 0;
      state = "saved";
    } catch (error) {
      failed(error);
    } finally {
      running = false;
      changed(queue);
    }
  }

  function locked(work) {
    const name = `poolbench-queue-${user}`;
    return navigator.locks ? navigator.locks.request(name, work) : work();
  }

  function failed(error) {
    if (!(error instanceof Trouble)) throw error;
    state = error.kind;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
    failures += 1;
    timer = setTimeout(flush, wait * (0.75 + Math.random() / 2));
  }

  async function drain() {
    await read();
    let did = false;
    for (let next = unsent(); next.length; next = unsent()) {
      state = "sending";
      changed(queue);
      await send(next.slice(0, batch));
      did = true;
    }
    if (did) {
      state = "saved";
      sent();
    }
  }

  async function send(some) {
    let answer;
    try {
      answer = await post(url, { user, acts: some.map((record) => record.act) });
    } catch (error) {
      if (![400, 413].includes(error.status)) throw error;
      // At least one act is unreadable: find out which, and store the reason with it.
      if (some.length > 1) return void (batch = 1);
      return applyResult(some[0], { ok: false, code: "unreadable", message: `${error.status}`, fix: "" });
    }
    const results = new Map(answer.results.map((result) => [result.uuid, result]));
    for (const record of some) {
      const result = results.get(record.act.uuid);
      if (result) await applyResult(record, result);
    }
    if (!results.size) throw new Trouble("server");
    batch = BATCH;
  }

  async function applyResult(record, result) {
    answered(record.act.uuid, result);
    const { docno, grade } = record.act;
    const found = result.contradiction;
    if (found) document.dispatchEvent(new CustomEvent("contradiction", { detail: { docno, grade, found } }));
    if (result.extra) document.dispatchEvent(new CustomEvent("extra", { detail: record.act.docno }));
    if (result.ok || undoesRefused(record) || isNothing(result)) await forget(record);
    else {
      record.refused = { code: result.code, message: result.message, fix: result.fix };
      await store.put(record);
    }
    notify();
  }

  const isNothing = (result) => result.code === "nothing-to-undo";

  // A refused act was never saved: the undo and the act are both removed.
  function undoesRefused(record) {
    const target = records.find((it) => it.refused && it.act.uuid === record.act.of);
    if (target) forget(target);
    return Boolean(target);
  }

  async function forget(record) {
    removed.add(record.seq);
    await store.remove(record.seq);
    records = records.filter((it) => it.seq !== record.seq);
    notify();
  }

  function forgetRefused(docno, topic) {
    for (const record of queue.refused) {
      if (record.act.docno === docno && record.act.topic === topic) forget(record);
    }
  }

  const queue = {
    add,
    forgetRefused,
    flush,
    forget,
    answerTo,
    refresh,
    get stored() { return store.stored; },
    get state() { return state; },
    get inTrouble() { return state !== "sending" && state !== "saved"; },
    get unsent() { return unsent(); },
    get refused() { return records.filter((record) => record.refused); },
    get others() { return others; },
  };
  channel?.addEventListener("message", refresh);
  window.addEventListener("online", () => { failures = 0; flush(); });
  window.addEventListener("focus", () => { if (state !== "saved") flush(); });
  window.addEventListener("beforeunload", (event) => {
    if (!store.stored && unsent().length) event.preventDefault();
  });
  await refresh();
  return queue;
}
