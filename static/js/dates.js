// Dates of a public page in the visitor's time zone, below UTC and anywhere on Earth.

// The day before the month, as in the dates of the server.
const { lang } = document.documentElement;
const local = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "medium", timeStyle: "short" });
for (const place of document.querySelectorAll("[data-local-time]")) {
  place.textContent = place.dataset.text.replace("{moment}", local.format(new Date(place.dataset.localTime)));
  place.hidden = false;
}
