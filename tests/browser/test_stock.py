"""How the judging screen asks for documents ahead."""

from __future__ import annotations

import pytest

from tests.browser.desk import said, settle, unsent

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_last_quarter_of_the_stock_comes_in_one_request(at_work):
    asked = []

    def note(route):
        asked.append(route.request.post_data_json["count"])
        route.continue_()

    def widen(route):
        body = route.fetch().text()
        assert 'data-most-ahead="3"' in body
        route.fulfill(body=body.replace('data-most-ahead="3"', 'data-most-ahead="8"'),
                      content_type="text/html")  # fmt: skip

    page = at_work(20, strict=False, ahead=3)
    page.route("**/judge/1/", widen)
    page.route("**/judge-ahead/", note)
    page.reload()
    settle(page, 8)
    assert sum(asked) >= 8
    for left, expected in ((7, []), (8, [2]), (7, []), (8, [2])):
        asked.clear()
        page.keyboard.press("1")
        unsent(page, 0)
        settle(page, left)
        assert asked == expected
    assert said() == [(f"w{n:02}", 1) for n in range(1, 5)]
