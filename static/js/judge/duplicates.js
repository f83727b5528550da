// Documents with the same or nearly the same text: side by side on `v`; and after a grade, what
// was given to the other one, if that is another grade. Never before it.
import { announce, format, gradeLabel, showMessage, texts, whyWaiting } from "./bar.js";

export function watchDuplicates({ judge, focusDocument }) {
  const panel = document.getElementById("duplicate-panel");
  const news = document.getElementById("duplicate-news");
  if (!panel || !news) return;
  const place = panel.querySelector(".duplicate-place");
  const changes = panel.querySelector(".button-row");
  const judged = new Map(); // Of this page, by topic and docno: documents with a group.
  let contradiction = null;

  async function open(address, isNews) {
    let answer;
    try {
      answer = await fetch(address);
    } catch {
      return showMessage(whyWaiting("offline"));
    }
    if (!answer.ok || answer.redirected) return showMessage(whyWaiting("server"));
    place.innerHTML = await answer.text();
    changes.hidden = !isNews;
    // The grades are those of the document on the screen, which is another one by then.
    panel.classList.toggle("panel", !isNews);
    panel.showPopover();
    (isNews ? changes.querySelector("a") : panel).focus();
    announce(texts.sideBySide);
  }

  function tell({ docno, grade, found }) {
    contradiction = { own: docno, docno: found.docno };
    const values = {
      docno, grade: `${grade} ${gradeLabel(grade)}`, other: found.docno, given: `${found.grade} ${gradeLabel(found.grade)}`,
    };
    news.querySelector("span").textContent = format(found.same ? texts.sameText : texts.nearText, values);
    news.querySelector("a").href = found.both;
    const [own, other] = changes.querySelectorAll("a");
    own.href = found.change;
    other.href = found.change_other;
    own.textContent = format(texts.changeGrade, { docno });
    other.textContent = format(texts.changeGrade, { docno: found.docno });
    news.hidden = false;
    announce(news.querySelector("span").textContent);
  }

  function dismiss() {
    contradiction = null;
    news.hidden = true;
  }

  // A document that was fetched before another of its group was judged does not know of that.
  function draw() {
    const node = judge.querySelector(".judge-doc:not([hidden])");
    const { group, text, topic, docno } = node?.dataset ?? {};
    if (!group) return;
    if (contradiction && [contradiction.own, contradiction.docno].includes(docno)) dismiss();
    judged.delete(`${topic} ${docno}`);
    const own = [...judged.values()].filter((it) => it.topic === topic && it.group === group);
    const other = own.find((it) => it.text === text) ?? own.at(-1);
    if (!other || node.querySelector(".notice.duplicates")) return;
    const line = panel.querySelector("template").content.firstElementChild.cloneNode(true);
    line.querySelector(other.text === text ? "[data-near]" : "[data-same]").remove();
    line.querySelector(".mono").textContent = other.docno;
    const query = new URLSearchParams({ docno, other: other.docno });
    line.querySelector("a").href = `${judge.dataset.work}${encodeURIComponent(topic)}/duplicate/?${query}`;
    node.prepend(line);
  }

  function remember({ node, act }) {
    if (panel.matches(":popover-open")) panel.hidePopover();
    const { group, text, topic, docno } = node.dataset;
    if (group && act === "judge") judged.set(`${topic} ${docno}`, { group, text, topic, docno });
  }

  // The flag "duplicate of" begins with the document that the line names.
  judge.addEventListener("change", ({ target }) => {
    if (target.name !== "flags" || target.value !== "duplicate" || !target.checked) return;
    const field = judge.querySelector("[name=duplicate_of]");
    const other = judge.querySelector(".judge-doc:not([hidden]) .notice.duplicates .mono");
    if (!other || field.value) return;
    field.value = other.textContent;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  // Beside the last ten, those of the topic that begin with what is typed.
  let asked = 0;
  judge.addEventListener("input", ({ target }) => {
    if (target.name !== "duplicate_of") return;
    clearTimeout(asked);
    asked = setTimeout(() => suggest(target), 200);
  });
  async function suggest(field) {
    const text = field.value.trim();
    const { topic } = judge.querySelector(".judge-doc:not([hidden])")?.dataset ?? {};
    const address = `${judge.dataset.work}${encodeURIComponent(topic)}/docnos/?${new URLSearchParams({ q: text })}`;
    const answer = topic && text.length > 1 ? await fetch(address).catch(() => null) : null;
    const options = answer?.ok && !answer.redirected ? await answer.text() : "";
    if (field.value.trim() !== text) return;
    for (const option of field.list.querySelectorAll("[data-found]")) option.remove();
    field.list.insertAdjacentHTML("beforeend", options);
  }
  document.addEventListener("appeared", draw);
  document.addEventListener("contradiction", ({ detail }) => tell(detail));
  document.addEventListener("judged", ({ detail }) => remember(detail));
  judge.addEventListener("click", (event) => {
    const link = event.target.closest("[data-both]");
    if (link && !(event.ctrlKey || event.metaKey || event.shiftKey && event.detail > 0)) {
      event.preventDefault();
      if (panel.matches(":popover-open")) return panel.hidePopover();
      open(link.href, Boolean(contradiction) && news.contains(link));
    } else if (event.target.closest("[data-dismiss]")) {
      dismiss();
      if (panel.matches(":popover-open")) panel.hidePopover();
      focusDocument();
    }
  });
}
