"""Scripts know the page's language: how it writes numbers and moments."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLE = """([texts, plain]) => {
  const table = document.createElement("table");
  table.className = "data";
  const cells = texts.map((text) => `<tr><td>${text}</td></tr>`).join("");
  table.innerHTML = `<thead><tr><th data-sort class="num"><button>n</button></th></tr></thead>
    <tbody>${cells}</tbody>`;
  const rows = [...table.tBodies[0].rows];
  rows.forEach((row, at) => { if (plain[at]) row.cells[0].dataset.value = plain[at]; });
  document.querySelector("main").replaceChildren(table);
  table.querySelector("button").click();
  return rows.length && [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
}"""


@pytest.mark.parametrize(
    ("locale", "texts", "sorted_down"),
    [
        ("de-DE", ["99,9", "–", "1.234,5", "0,25", "7 %"], ["1.234,5", "99,9", "7 %", "0,25", "–"]),
        ("en-GB", ["99.9", "–", "1,234.5", "0.25", "7 %"], ["1,234.5", "99.9", "7 %", "0.25", "–"]),
    ],
)
def test_tables_sort_numbers_as_the_language_writes_them(
    open_page, live_server, locale, texts, sorted_down
):
    page = open_page(locale=locale)
    page.goto(f"{live_server.url}/accounts/login/")
    assert page.evaluate("document.documentElement.lang") == locale[:2]
    assert page.evaluate(TABLE, [texts, []]) == sorted_down
    assert page.evaluate(TABLE, [["a", "b", "c"], ["2.5", "1000", "30"]]) == ["b", "c", "a"]


def test_the_language_is_chosen_below_the_page_and_stays(open_page, live_server):
    page = open_page(locale="en-GB")
    page.goto(f"{live_server.url}/accounts/login/")
    page.click(".footer button[lang=de]")
    page.wait_for_selector("html[lang=de]")
    assert page.url == f"{live_server.url}/accounts/login/"
    page.goto(f"{live_server.url}/")
    assert page.evaluate("document.documentElement.lang") == "de"
    page.click(".masthead details.menu summary")
    page.click(".masthead button[lang=en]")
    page.wait_for_selector("html[lang=en]")
