// The guidelines beside the document: which version the page shows, and whether there is a newer
// one. A judgment holds the version that the assessor has had open; a newer one is announced until
// it is opened. What came with the page but lies in the folded topic is not open.
import { announce, format, showMessage, texts } from "./bar.js";

export function makeGuidelines({ leave }) {
  const pane = document.getElementById("guidelines");
  const notice = document.getElementById("guidelines-news");
  if (!pane) return { get version() { return null; } };
  let shown = Number(pane.dataset.version);
  let newest = shown;
  let read = Number(pane.dataset.read);
  let loading = false;
  let unfolded = false; // Was the topic folded before the guidelines were opened?
  const topic = document.getElementById("topic");

  function heard(version) {
    if (!notice || !(version > newest)) return;
    newest = version;
    notice.hidden = false;
    announceTime();
    announce(notice.textContent);
  }

  // The time stays beside the guidelines until they are opened.
  function announceTime() {
    const summary = pane.querySelector("summary");
    const tag = summary.querySelector(".tag") ?? summary.appendChild(document.createElement("span"));
    const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(new Date());
    tag.className = "tag waiting";
    tag.textContent = format(texts.changedAt, { time });
  }

  async function load() {
    if (loading) return false;
    loading = true;
    try {
      const answer = await fetch(pane.dataset.url);
      if (!answer.ok || answer.redirected) return false;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const latest = page.querySelector(".guideline[data-version]");
      const text = latest?.querySelector(".prose");
      if (!text) return false;
      pane.querySelector(".prose").replaceWith(text);
      shown = Number(latest.dataset.version);
      for (const place of pane.querySelectorAll(".version")) place.textContent = shown;
      newest = Math.max(newest, shown);
      return true;
    } catch {
      return false;
    } finally {
      loading = false;
    }
  }

  // Opens the newest version; closes the guidelines if it is open already.
  async function open() {
    const news = Boolean(notice) && !notice.hidden;
    if (newest > shown && !(await load())) return showMessage(texts.guidelinesOffline);
    pane.hidden = false;
    pane.open = news || !(pane.open && topic.open);
    if (!pane.open) return leave();
    unfolded = !topic.open;
    topic.open = true;
    read = shown;
    pane.querySelector("summary .tag")?.remove();
    if (notice) notice.hidden = newest <= shown;
    pane.focus({ preventScroll: true });
    pane.scrollIntoView({ block: "start" });
    announce(format(texts.guidelinesShown, { n: shown }));
  }

  // What is open in its newest version needs no notice over the document.
  function seen() {
    if (notice && newest <= shown && pane.open && topic.open) notice.hidden = true;
  }

  document.addEventListener("leave", () => {
    if (unfolded) topic.open = unfolded = false;
  });
  seen();
  topic.addEventListener("toggle", seen);
  pane.querySelector("summary").addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  notice?.querySelector("a").addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  document.addEventListener("guidelines", (event) => heard(event.detail));
  return {
    open,
    get version() {
      if (pane.open && topic.open) read = shown;
      return read;
    },
  };
}
