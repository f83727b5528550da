// Requests to the server: JSON posts with the current CSRF token.

const PATIENCE_MS = 20_000;

export class Trouble extends Error {
  // `kind`: "offline" (no answer), "signed-out" (401, 403), "other-account" (409) or
  // "server" (anything else that is not 2xx).
  constructor(kind, status = 0) {
    super(`${kind} ${status}`);
    this.kind = kind;
    this.status = status;
  }
}

// Another tab may have signed in again since this page was loaded: the cookie has the token.
export function csrfToken() {
  const found = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie);
  return found ? found[1] : (document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "");
}

const KINDS = { 401: "signed-out", 403: "signed-out", 409: "other-account" };

export async function post(url, body) {
  let answer;
  try {
    answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch {
    throw new Trouble("offline");
  }
  if (!answer.ok) throw new Trouble(KINDS[answer.status] ?? "server", answer.status);
  let data;
  try {
    data = await answer.json();
  } catch {
    throw new Trouble("offline");
  }
  document.dispatchEvent(new CustomEvent("guidelines", { detail: data.guidelines }));
  const news = document.getElementById("errata-news");
  if (news && data.erratum > Number(news.dataset.shown)) news.hidden = news.querySelector("span").hidden = false;
  return data;
}

export function beacon(url, fields) {
  const form = new FormData();
  form.append("csrfmiddlewaretoken", csrfToken());
  for (const [name, value] of fields) form.append(name, value);
  navigator.sendBeacon?.(url, form);
}
