// Plain posts: training, meetings and comparisons, which have neither flags nor passages. The script keeps double presses
// apart, adds the time, and keeps the draft until the server has taken it.
import { readSkip } from "./bar.js";
import { parseDocument } from "./documents.js";
import * as presence from "./presence.js";

const SENT = "poolbench-sent"; // In this window: the document that was posted last.

export function plain({ judge, article, drafts, panels, settled, appeared, begin }) {
  const form = document.getElementById("grades");
  const node = article();
  const { topic } = judge.dataset;
  const own = node && form ? parseDocument(node) : { passages: [], previous: null };
  // A comparison has no docno, but an identifier of its own.
  own.docno ??= form?.elements.display?.value ?? "";
  own.comment ||= form?.elements.comment?.value ?? "";
  begin(own);

  function restore() {
    // Sent and not shown again: the server has taken it. Shown again: it was refused.
    const [sentTopic, sentDocno] = JSON.parse(sessionStorage.getItem(SENT) ?? "[]");
    sessionStorage.removeItem(SENT);
    if (sentDocno && !(sentTopic === topic && sentDocno === own.docno)) drafts.clear(sentTopic, sentDocno);
    if (!form || !own.docno || !drafts.restore(own, topic)) return;
    if (form.elements.comment) form.elements.comment.value = own.comment;
  }

  let sent = false;
  document.addEventListener("submit", (event) => {
    if (!judge.contains(event.target)) return;
    if (event.target.id === "judge-skip" && !readSkip(event.target, event.submitter?.value)) return event.preventDefault();
    if (sent || !settled()) return event.preventDefault();
    sent = true;
    const fields = event.target.elements;
    if (fields.active_seconds) fields.active_seconds.value = presence.activeSeconds();
    if (fields.served_at) fields.served_at.value = own.servedAt;
    if (own.docno && event.target.id !== "undo") sessionStorage.setItem(SENT, JSON.stringify([topic, own.docno]));
  }, true);
  judge.addEventListener("input", () => {
    if (!form || !own.docno) return;
    own.comment = form.elements.comment?.value ?? "";
    drafts.save(own, topic);
  });
  window.addEventListener("pageshow", () => { sent = false; });
  if (form) {
    own.servedAt = new Date().toISOString();
    restore();
    panels.describe();
  }
  appeared();
}
