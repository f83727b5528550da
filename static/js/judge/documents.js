// Documents on the screen: parsed from rendered HTML, with long texts loaded in pieces.

export function newUuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Browsers offer randomUUID over HTTPS only.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function parseNode(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}

// Measures the time from the key press to the next document painted.
export function measure(start) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => performance.measure("judge:next", { start, end: performance.now() });
    channel.port2.postMessage(null);
  });
}

// What of the page changes with its documents, where these are of several topics.
export function parseParts(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html ?? "";
  return [...holder.content.children];
}

// Where an act was done: the assessor's page of its topic, or the adjudicator's.
export function addressOf({ topic, docno, token, purpose }, { work, adjudicate }) {
  const query = new URLSearchParams(token ? { docno, token } : { docno });
  if (purpose !== "adjudicate") return `${work}${encodeURIComponent(topic)}/?${query}`;
  return `${adjudicate}?${query}&${new URLSearchParams({ topic })}`;
}

// A previous judgment fills the bar again.
export function parseDocument(node, parts) {
  if ("over" in node.dataset) return { node, parts, over: true };
  const previous = node.dataset.previous ? JSON.parse(node.dataset.previous) : null;
  const doc = { node, parts, docno: node.dataset.docno, token: node.dataset.token, topic: node.dataset.topic };
  return withPrevious(doc, previous, "undone" in node.dataset);
}

// `undone`: the previous judgment is not current.
export function withPrevious(doc, previous, undone) {
  return Object.assign(doc, {
    previous,
    undone,
    uuid: newUuid(),
    submitted: false,
    comment: previous?.comment ?? "",
    flags: previous?.flags ?? [],
    duplicateOf: previous?.duplicate_of ?? "",
    passages: previous?.passages ?? [],
    servedAt: null,
    activeSeconds: 0,
  });
}

// Replaces "Read on" (the first in the article, if not given) by the next piece of a long text;
// false if there is none. One request at a time: concurrent calls share it.
const reading = new WeakMap();
const loaded = new WeakMap(); // Of an article, the parts that came after its first piece.

export function partsOf(article) {
  if (!loaded.has(article)) loaded.set(article, []);
  return loaded.get(article);
}

export function readOn(article, link = article.querySelector("[data-read-on]")) {
  if (!link) return Promise.resolve(false);
  if (!reading.has(link)) reading.set(link, fetchPiece(link).finally(() => reading.delete(link)));
  return reading.get(link);
}

async function fetchPiece(link) {
  let answer;
  try {
    answer = await fetch(link.dataset.readOn);
  } catch {
    return false;
  }
  if (!answer.ok || answer.redirected) return false;
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text();
  partsOf(link.closest(".judge-doc")).push(...holder.content.children);
  link.closest(".read-on").replaceWith(holder.content);
  document.dispatchEvent(new CustomEvent("pieces"));
  return true;
}

export function makeReader(added) {
  let watched = null;
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) go(entry.target.closest(".judge-doc"), entry.target);
      }
    },
    { rootMargin: "2000px 0px" },
  );

  async function go(article, link) {
    const more = article ? await readOn(article, link) : false;
    if (more) added(article);
    if (article === watched) watch(article);
    return more;
  }

  function watch(article) {
    watched = article;
    near.disconnect();
    for (const link of article?.querySelectorAll("[data-read-on]") ?? []) near.observe(link);
  }

  return { watch, readOn: go };
}
