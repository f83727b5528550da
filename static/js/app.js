// For every page: menus that close, sortable and filterable tables, rows added to a formset.
import { addCopyButtons } from "./copy.js";
import { dressTables } from "./tables.js";

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details:is(.menu, .drop)[open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  closeMenus(event.target.closest("details:is(.menu, .drop)"));
  const adder = event.target.closest("[data-add-row]");
  if (adder) addRow(adder.dataset.addRow);
});

// What an assessor has not judged yet stays in this browser, but not for the next person.
document.addEventListener("submit", (event) => {
  if (!new URL(event.target.action, location.href).pathname.endsWith("/logout/")) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("poolbench-draft-")) localStorage.removeItem(key);
  } catch {
    // Without storage there are no drafts.
  }
});

document.addEventListener("keydown", (event) => {
  // A field with its own button, in a form whose first button does something else.
  if (event.key === "Enter" && event.target.dataset.enter) {
    event.preventDefault();
    document.getElementById(event.target.dataset.enter).click();
  }
  if (event.key !== "Escape") return;
  const open = document.querySelector("details:is(.menu, .drop)[open]");
  closeMenus();
  open?.querySelector("summary").focus();
});

function addRow(prefix) {
  const total = document.getElementById(`id_${prefix}-TOTAL_FORMS`);
  const blank = document.getElementById(`${prefix}-empty`);
  const row = blank.content.firstElementChild.cloneNode(true);
  row.innerHTML = row.innerHTML.replaceAll("__prefix__", total.value);
  document.querySelector(`#${CSS.escape(prefix)}-rows tbody`).append(row);
  total.value = Number(total.value) + 1;
  row.querySelector("input:not([type=hidden]), select, textarea")?.focus();
}

// Pages show UTC; pointing at a time shows it in the visitor's time zone.
function addLocalTimes(root) {
  const local = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "long" });
  for (const time of root.querySelectorAll("time[data-local]")) {
    const moment = local.format(new Date(time.dateTime));
    time.title = time.dataset.local.replace("{moment}", moment);
  }
}

function dress(root) {
  dressTables(root);
  addLocalTimes(root);
  addCopyButtons(root);
  for (const adder of root.querySelectorAll("[data-add-row]")) adder.hidden = false;
}

dress(document);
document.addEventListener("htmx:load", (event) => dress(event.detail.elt));
document.querySelector(".error-summary")?.focus();
