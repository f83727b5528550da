// How the text looks, remembered in this browser by campaign and person. It runs while the page is
// read, after the controls and before the document, so that nothing is painted twice.
{
  const { user, campaign } = document.getElementById("judge").dataset;
  const key = `poolbench-view-${user}-${campaign}`;
  const roomy = matchMedia("(min-width: 60rem) and (min-height: 34.01rem)");
  const flips = ["flip-columns", "flip-prose"]; // Remembered by kind of text.
  const details = document.getElementById("topic");
  let view = {};

  const control = (id) => document.getElementById(id);

  function read() {
    try {
      view = JSON.parse(localStorage.getItem(key)) ?? {};
    } catch {
      view = {}; // Without storage, or with what another program wrote.
    }
  }

  function keep(changes) {
    Object.assign(view, changes);
    try {
      localStorage.setItem(key, JSON.stringify(view));
    } catch {
      // The choice lasts as long as the page.
    }
  }

  function showTopic(isNew) {
    if (!details) return;
    details.open = isNew || (roomy.matches && !view.folded);
    details.toggleAttribute("data-new", isNew && !roomy.matches);
  }

  read();
  document.documentElement.dataset.scripted = "";
  const size = control(view.size);
  if (size?.name === "text-size") size.checked = true;
  if (control("show-pace")) control("show-pace").checked = view["show-pace"] === true;
  if (control("hint-break")) control("hint-break").checked = view["hint-break"] !== false;
  // Another document is shown.
  const kind = () => document.querySelector(".judge-doc:not([hidden]) .document-text")?.dataset.kind;
  const setFlips = () => flips.forEach((id) => { control(id).checked = view[`${id}:${kind()}`] === true; });
  document.addEventListener("appeared", setFlips);
  // A topic that was not seen before is unfolded.
  function meetTopic(topic) {
    showTopic(Boolean(topic) && view.topic !== topic);
    if (topic) keep({ topic });
  }
  meetTopic(details?.dataset.number);
  document.addEventListener("topic", ({ detail }) => detail !== view.topic && meetTopic(detail));

  control("view").addEventListener("change", ({ target }) => {
    const name = flips.includes(target.id) ? `${target.id}:${kind()}` : target.id;
    keep(target.name === "text-size" ? { size: target.id } : { [name]: target.checked });
    document.dispatchEvent(new CustomEvent("view"));
  });
  // Where the topic covers the document, folding it is not a choice for the next page.
  details?.addEventListener("toggle", () => {
    if (!details.open) details.removeAttribute("data-new");
    if (roomy.matches) keep({ folded: !details.open });
  });
  roomy.addEventListener("change", () => showTopic(false));
  // Where it covers the document, the topic folds when one turns to the document or has judged it.
  const fold = () => !roomy.matches && details && (details.open = false);
  document.addEventListener("judged", fold);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && !document.querySelector(":popover-open") && fold());
  document.addEventListener("click", (event) => event.target.closest?.(".judge-doc") && fold());
}
