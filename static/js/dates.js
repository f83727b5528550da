// Dates of a public page in the visitor's time zone, below UTC and anywhere on Earth.

const local = new Intl.DateTimeFormat(document.documentElement.lang, {
  dateStyle: "medium", timeStyle: "short",
});
for (const place of document.querySelectorAll("[data-local-time]")) {
  place.textContent = place.dataset.text.replace("{moment}", local.format(new Date(place.dataset.localTime)));
  place.hidden = false;
}
