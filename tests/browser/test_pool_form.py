"""The form of a pool in a browser."""

import pytest

from tests.world.files import ranked_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_enter_in_a_rule_ticks_by_it_and_forgets_nothing(visit, campaign, organizer, team):
    for priority in (1, 2):
        ranked_run(team, f"alpha{priority}", {"1": "d1"}, priority)
    page = visit(organizer, f"/c/{campaign.slug}/pool/")
    page.fill("[name=depth]", "7")
    page.fill("[name=priority]", "1")
    page.press("[name=priority]", "Enter")
    page.wait_for_function("() => document.querySelectorAll('[name=run]:checked').length == 1")
    assert page.input_value("[name=depth]") == "7"
    assert "1 of 2 accepted runs" in page.inner_text("#poolable caption")
