// How large a picture or the pages of a PDF are. A picture starts whole, or as wide as the desk where
// it is tall; pages start as wide as the desk. How wide pages are stays for the next PDF.
import { announce, format, texts } from "./bar.js";

const STEP = 1.25;
const [LEAST, MOST] = [0.05, 5]; // Of the width of the desk.
const SHARP = 1.3; // From here on, pages are drawn with more pixels.
const LOOK_MS = 400;
const TALL = 2; // Height by width from which a picture in the window's height is too narrow to read.
const judge = document.getElementById("judge");
const key = judge && `poolbench-zoom-${judge.dataset.user}-${judge.dataset.campaign}`;
let pageZoom = 1;

const clamp = (zoom) => Math.min(MOST, Math.max(LEAST, zoom));
const tell = (zoom) => announce(format(texts.zoom, { n: Math.round(100 * zoom) }));

try {
  pageZoom = clamp(Number(localStorage.getItem(key)) || 1);
} catch {
  // Without storage it is chosen anew on each page.
}

// Changes sizes; the upper line of the page that is read, or the middle of a picture, stays in place.
function keepPlace(article, change) {
  const pages = [...article.querySelectorAll(".pdf-page")];
  const at = article.getBoundingClientRect().top + (pages.length ? 0 : article.clientHeight / 2);
  const part = pages.find((it) => it.getBoundingClientRect().bottom > at) ?? article.querySelector("img") ?? article;
  const before = part.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, at - before.top) / before.height);
  const middle = (article.scrollLeft + article.clientWidth / 2) / article.scrollWidth;
  change();
  const after = part.getBoundingClientRect();
  if (share) article.scrollTop += after.top + share * after.height - at;
  article.scrollLeft = middle * article.scrollWidth - article.clientWidth / 2;
}

// Pages that are looked at for a moment, not those that are only passed.
const inSight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    clearTimeout(timers.get(target));
    if (isIntersecting) timers.set(target, setTimeout(sharpen, LOOK_MS, target));
  }
});
const timers = new WeakMap();

function sharpen(image) {
  inSight.unobserve(image);
  if (!image.checkVisibility()) return;
  image.dataset.sharp = "";
  image.src += "&sharp=1";
}

function watchPages() {
  inSight.disconnect();
  if (pageZoom < SHARP) return;
  for (const image of judge.querySelectorAll(".judge-doc:not([hidden]) .pdf-page img:not([data-sharp])")) inSight.observe(image);
}

function zoomPages(article, zoom) {
  pageZoom = clamp(zoom);
  keepPlace(article, drawPages);
  watchPages();
  tell(pageZoom);
  try {
    localStorage.setItem(key, pageZoom);
  } catch {
    // As above.
  }
}

function drawPages() {
  judge.style.setProperty("--zoom", pageZoom);
  judge.toggleAttribute("data-zoom", pageZoom !== 1);
}

// A page as high as what is seen of the document.
function wholePage(article) {
  const page = article.querySelector(".pdf-page");
  return clamp((pageZoom * (article.clientHeight - 24)) / page.offsetHeight);
}

function zoomPicture(article, by) {
  keepPlace(article, () => {
    for (const picture of article.querySelectorAll(".document-picture")) {
      const zoom = clamp((picture.querySelector("img").offsetWidth / picture.offsetWidth) * STEP ** by);
      picture.style.setProperty("--zoom", zoom);
      picture.classList.add("zoomed");
      tell(zoom);
    }
  });
}

// A tall picture comes as wide as the desk, to be scrolled.
export function fitPicture(image) {
  const isTall = image.naturalHeight > TALL * image.naturalWidth;
  if (isTall) image.closest(".judge-doc .document-picture")?.classList.add("wide");
}

// Whole, or as wide as the desk.
export function turnPicture(picture) {
  const wide = picture.classList.contains("wide") && !picture.classList.contains("zoomed");
  picture.classList.remove("zoomed");
  picture.classList.toggle("wide", !wide);
  announce(wide ? texts.whole : texts.wide);
}

// False where there is neither a picture nor a page.
export function changeFit(article) {
  const pictures = article?.querySelectorAll(".document-picture") ?? [];
  for (const picture of pictures) turnPicture(picture);
  const hasPages = Boolean(article?.querySelector(".pdf-page"));
  if (hasPages) zoomPages(article, pageZoom === 1 ? wholePage(article) : 1);
  return pictures.length > 0 || hasPages;
}

// Larger or smaller: a picture, the pages of a PDF, else the text.
export function zoom(article, by) {
  if (article?.querySelector(".pdf-page")) return zoomPages(article, pageZoom * STEP ** by);
  if (article?.querySelector(".document-picture")) return zoomPicture(article, by);
  const sizes = [...document.querySelectorAll("[name=text-size]")];
  const size = sizes[sizes.findIndex((it) => it.checked) + by];
  size?.click();
  if (size) announce(size.ariaLabel);
}

if (judge) {
  drawPages();
  for (const event of ["appeared", "pieces"]) document.addEventListener(event, watchPages);
}
