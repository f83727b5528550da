// What is not judged yet: comment, flags and passages of a document, in this browser's storage only
// and never sent. A draft survives a reload or a crash; it goes with the judgment or skip, when the
// assessor signs out (app.js), or after a week.

const PREFIX = "poolbench-draft-";
const LONGEST_MS = 7 * 24 * 3_600_000;

export function makeDrafts({ user, campaign }) {
  const keyOf = (topic, docno) => PREFIX + JSON.stringify([user, campaign, topic, docno]);

  function attempt(act) {
    try {
      return act();
    } catch {
      return null; // No storage, or it is full: the draft is on the page only.
    }
  }

  const read = (key) => attempt(() => JSON.parse(localStorage.getItem(key)));
  const clear = (topic, docno) => attempt(() => localStorage.removeItem(keyOf(topic, docno)));

  function dropOld() {
    const own = attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)));
    for (const key of own ?? []) {
      if (!(read(key)?.at > Date.now() - LONGEST_MS)) attempt(() => localStorage.removeItem(key));
    }
  }

  // Stores what the document has, unless that is what it came with.
  function save(doc, topic) {
    const { comment, flags, duplicateOf, passages } = doc;
    const before = doc.previous ?? {};
    const same = JSON.stringify([comment, flags, duplicateOf, passages]) ===
      JSON.stringify([before.comment ?? "", before.flags ?? [], before.duplicate_of ?? "", before.passages ?? []]);
    if (same) return clear(topic, doc.docno);
    const draft = { comment, flags, duplicateOf, passages, at: Date.now() };
    return attempt(() => localStorage.setItem(keyOf(topic, doc.docno), JSON.stringify(draft)));
  }

  // Puts a stored draft into a document that is shown for the first time on this page.
  function restore(doc, topic) {
    const draft = read(keyOf(topic, doc.docno));
    if (!draft) return false;
    const { comment = "", flags = [], duplicateOf = "", passages = [] } = draft;
    Object.assign(doc, { comment, flags, duplicateOf, passages });
    return true;
  }

  dropOld();
  return { save, restore, clear };
}
