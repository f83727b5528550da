// Documents as the screen holds them: made from what the server rendered, read on in pieces.

export function newUuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Over plain HTTP browsers keep randomUUID to themselves.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function nodeOf(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}

// From the key to the next document painted.
export function measure(start) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => performance.measure("judge:next", { start, end: performance.now() });
    channel.port2.postMessage(null);
  });
}

// What the assessor said of it before fills the bar again.
export function paperOf(node) {
  if ("over" in node.dataset) return { node, over: true };
  const marks = node.dataset.marks ? JSON.parse(node.dataset.marks) : null;
  return withMarks({ node, docno: node.dataset.docno, token: node.dataset.token, topic: node.dataset.topic }, marks);
}

export function withMarks(paper, marks) {
  return Object.assign(paper, {
    marks,
    uuid: newUuid(),
    given: false,
    comment: marks?.comment ?? "",
    flags: marks?.flags ?? [],
    duplicateOf: marks?.duplicate_of ?? "",
    passages: marks?.passages ?? [],
    servedAt: null,
    activeSeconds: 0,
  });
}

// The next piece of a long text, in place of its "Read on"; false where there is none. One at
// a time: whoever asks meanwhile waits for the same.
const reading = new WeakMap();

export function readOn(article) {
  const link = article.querySelector("[data-read-on]");
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
  link.closest(".read-on").replaceWith(holder.content);
  return true;
}

export function makeReader(added) {
  let watched = null;
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) go(entry.target.closest(".judge-doc"));
      }
    },
    { rootMargin: "2000px 0px" },
  );

  async function go(article) {
    const more = article ? await readOn(article) : false;
    if (more) added(article);
    if (article === watched) watch(article);
    return more;
  }

  function watch(article) {
    watched = article;
    near.disconnect();
    const link = article?.querySelector("[data-read-on]");
    if (link) near.observe(link);
  }

  return { watch, readOn: go };
}
