// The lines of PDF pages, placed below the pictures of the pages: so that terms, search, selection
// and passages work in them as in any text. Sizes are in parts of the page's width, so that nothing
// is placed again when the window changes. To lay out lines takes time: they are placed in pages that
// come into sight, after these are painted (lines are transparent), and where a line is scrolled to.
const UNIT = 10_000;

export function placePage(page) {
  if ("placed" in page.dataset) return;
  const { width, height } = page.querySelector("img");
  const ratio = page.querySelector("img").getAttribute("height") / page.querySelector("img").getAttribute("width");
  const pageWidth = page.clientWidth;
  if (!pageWidth || !width || !height) return;
  page.dataset.placed = "";
  inSight.unobserve(page);
  const lines = [...page.querySelectorAll("p[data-box]")];
  const boxes = lines.map((line) => line.dataset.box.split(" ").map(Number));
  lines.forEach((line, at) => {
    const [x, y, , high] = boxes[at];
    line.style.insetInlineStart = "auto";
    line.style.left = `${(100 * x) / UNIT}%`;
    line.style.top = `${(100 * y) / UNIT}%`;
    line.style.fontSize = `${(100 * high * ratio) / UNIT}cqi`;
  });
  const widths = lines.map((line) => line.offsetWidth);
  lines.forEach((line, at) => {
    if (widths[at]) line.style.transform = `scaleX(${((boxes[at][2] / UNIT) * pageWidth) / widths[at]})`;
  });
}

const inSight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) placePage(target);
}, { rootMargin: "50% 0px" });
const PLACES = [".judge-doc:not([hidden])", ".document-page", ".side", ".sheet"];
const PAGES = PLACES.map((place) => `${place} .pdf-page:not([data-placed])`).join();

function placeLines() {
  requestAnimationFrame(() => setTimeout(() => {
    for (const page of document.querySelectorAll(PAGES)) inSight.observe(page);
  }));
}

for (const event of ["appeared", "pieces", "htmx:afterSettle"]) document.addEventListener(event, placeLines);
if (document.readyState === "complete") placeLines();
else window.addEventListener("load", placeLines);
