"""The public page and API of worked examples: the lecture's numbers."""

import re

import pytest
from django.urls import reverse

from tests.pages import read_page
from tests.poolbench.evaluation.lectures import BOOK

GIVEN = BOOK["cs276-interleaving"]["given"]
EXPECTED = BOOK["cs276-interleaving"]["expect"]
pytestmark = pytest.mark.django_db
PICKS = ["SVM-light", "Lucent SVM demo", "Royal Holl. SVM", "Archives of SVM"]


def listed_documents(page: str) -> list[str]:
    table = page.split('aria-label="Documents of the interleaved list"')[1]
    return re.findall('<th scope="row">(.*?)</th>', table)[: page.count('name="pick"')]


def test_the_page_works_the_lectures_example(client) -> None:
    page = read_page(client.get(reverse("interleaving")))
    assert listed_documents(page) == EXPECTED["shown"]
    for side, credit in EXPECTED["credit_example"].items():
        assert f"<dt>credit of {side}</dt><dd>{credit}</dd>" in page
    assert page.count("checked") == 4
    assert "<dd>0.3333 = 1/3</dd>" in page


def test_rankings_and_picks_of_ones_own_are_credited(client) -> None:
    query = {
        "part": "lists", "a": "x\ny\nz", "b": "y\r\n<b>", "method": "balanced", "first": "A",
        "seed": "0", "pick": ["y", "gone"],
    }  # fmt: skip
    page = read_page(client.get(reverse("interleaving"), query))
    assert listed_documents(page) == ["x", "y", "&lt;b&gt;"]
    assert "<dt>credit of A</dt><dd>0</dd>" in page
    assert "<dt>credit of B</dt><dd>1</dd>" in page


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"part": "lists", "a": "x\nx", "b": "y", "method": "balanced", "seed": "0"},
         "Duplicate document: x."),
        ({"part": "lists", "a": "\n".join(map(str, range(51))), "b": "y", "method": "balanced",
          "seed": "0"}, "51 documents entered; at most 50 are allowed."),
        ({"part": "lists", "a": "x", "b": "y", "method": "none", "seed": "-1"},
         "Select a valid choice."),
        ({"part": "clicks", "documents": "x", "clicked": "z", "ranking": "x"},
         "Clicked but not shown: z."),
    ],
)  # fmt: skip
def test_errors_are_explained(client, query, message: str) -> None:
    answered = client.get(reverse("interleaving"), query)
    assert answered.status_code == 200
    assert message in read_page(answered)


def test_without_a_skipped_document_the_share_is_undefined(client) -> None:
    query = {"part": "clicks", "documents": "x\ny", "clicked": "x", "ranking": "y"}
    page = read_page(client.get(reverse("interleaving"), query))
    assert "<dd>undefined</dd>" in page
    assert "The clicks imply no preference" in page


def test_the_api_works_the_lectures_examples(client) -> None:
    lists = {"a": GIVEN["A"], "b": GIVEN["B"], "first": GIVEN["first"]}
    body = lists | {"method": "alternating", "picks": PICKS}
    response = client.post(reverse("api-interleaving-list"), body, content_type="application/json")
    assert response.status_code == 200, response.content
    answered = response.json()
    assert answered["documents"] == EXPECTED["shown"]
    assert answered["credit"] == EXPECTED["credit_example"]
    shown = [f"result{at}" for at in range(1, 6)]
    body = {"documents": shown, "clicked": ["result1", "result3"], "ranking": shown}
    url = reverse("api-click-preferences-list")
    answered = client.post(url, body, content_type="application/json").json()
    assert answered == {
        "preferences": [{"better": "result3", "worse": "result2", "satisfied": False}],
        "share": 0.0,
    }  # fmt: skip
    bad = client.post(url, body | {"clicked": ["x"]}, content_type="application/json")
    assert bad.status_code == 400
    assert "not shown" in bad.content.decode()
