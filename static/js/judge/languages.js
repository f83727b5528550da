// A document and its translation: both where two columns have room, otherwise one at a time. What
// has been shown of the document goes with its judgment.
import { announce } from "./bar.js";

const VIEWS = ["both", "original", "translation"];
const seen = new WeakMap(); // Of an article, which of the two have been on the screen.
let chosen = "both"; // Where the plan leaves the choice to the assessor.

const current = () => document.querySelector(".judge-doc:not([hidden])");

// The style sheet decides how many columns have room; an empty one counts too.
const hasRoom = (place) => getComputedStyle(place.querySelector(".language-row")).gridTemplateColumns.split(" ").length > 1;

const possible = (view, place) => (view === "both" && !hasRoom(place) ? "translation" : view);

function nameLanguages(article) {
  for (const node of article.querySelectorAll("[data-tag]")) {
    try {
      const names = new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" });
      node.textContent = names.of(node.dataset.tag);
    } catch {
      // A tag that the browser does not know stays.
    }
  }
}

// Keeps what is read in its place: the row at the top, else the same share of the text.
function holdPlace(article) {
  const top = article.getBoundingClientRect().top;
  const findAt = (nodes) => [...(nodes ?? [])].find((it) => it.getBoundingClientRect().bottom > top);
  const row = findAt(findAt(article.querySelectorAll(".language-rows"))?.children);
  const at = row?.getBoundingClientRect().top;
  const share = article.scrollTop / Math.max(1, article.scrollHeight - article.clientHeight);
  if (!article.scrollTop) return () => {};
  return () => {
    if (row) article.scrollTop += row.getBoundingClientRect().top - at;
    else article.scrollTop = share * (article.scrollHeight - article.clientHeight);
  };
}

// Shows `view` of each pair of texts of the article, where there is room for it.
function show(article, view) {
  const places = [...article.querySelectorAll(".translated")];
  const own = seen.get(article) ?? new Set();
  for (const place of places) {
    const now = possible(view ?? place.dataset.view ?? place.dataset.first, place);
    place.dataset.view = now;
    for (const side of now === "both" ? VIEWS.slice(1) : [now]) own.add(side);
    drawChoice(place.parentElement.querySelector(".language-choice"), now, hasRoom(place));
  }
  if (places.length) seen.set(article, own);
  const field = document.querySelector("#grades [name=language_shown]");
  if (field) field.value = own.size > 1 ? "both" : ([...own][0] ?? "");
}

// The key is with the button that it presses: the next one.
function drawChoice(choice, view, roomy) {
  if (!choice) return;
  choice.hidden = false;
  const buttons = [...choice.querySelectorAll("button")];
  buttons[0].hidden = !roomy;
  const offered = buttons.filter((it) => !it.hidden);
  const next = offered[(offered.findIndex((it) => it.dataset.language === view) + 1) % offered.length];
  for (const button of buttons) {
    button.ariaPressed = String(button.dataset.language === view);
    if (button === next) button.dataset.key = "k";
    else delete button.dataset.key;
  }
}

function appear() {
  const article = current();
  if (!article) return;
  const first = article.querySelector(".translated")?.dataset.first;
  show(article, seen.has(article) ? undefined : first === "both" ? chosen : first);
  nameLanguages(article);
}

function choose(button) {
  const article = current();
  const { language } = button.dataset;
  const release = holdPlace(article);
  if (article.querySelector(".translated").dataset.first === "both") chosen = language;
  show(article, language);
  release();
  announce(button.textContent);
  for (const event of ["pieces", "words", "languages"]) document.dispatchEvent(new CustomEvent(event));
}

document.addEventListener("appeared", appear);
document.addEventListener("click", ({ target, detail }) => {
  const button = target.closest?.(".language-choice button");
  if (!button || !current()?.contains(button)) return;
  choose(button);
  if (detail > 0) current().focus({ preventScroll: true }); // The keys stay with the document.
});
window.addEventListener("resize", () => {
  const article = current();
  const place = article?.querySelector(".translated");
  if (!place) return;
  const wanted = place.dataset.first === "both" ? chosen : place.dataset.view;
  const before = place.dataset.view;
  show(article, wanted);
  if (place.dataset.view !== before) document.dispatchEvent(new CustomEvent("words"));
});
