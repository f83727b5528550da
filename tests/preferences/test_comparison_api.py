"""Comparisons through the REST API."""

import json
from uuid import uuid4

import pytest

from preferences.api.comparisons import ComparisonViewSet
from preferences.models import Preference
from tests.confirming import call_view


@pytest.fixture
def call(assessor):
    """``call(action, data)``: status and answer for the assessor."""

    def ask(action, data=None, *, method="post", user=assessor):
        served = call_view(ComparisonViewSet, user, action, method, data)
        return served.status_code, json.loads(served.content)

    return ask


def reply(served: dict, **fields) -> dict:
    given = {"display": served["display"], "token": served["token"], "client_uuid": str(uuid4())}
    return {"campaign": "small", **given, **fields}


def test_documents_are_compared_through_the_api(pairs_plan, call, assessor2):
    status, served = call("next", {"campaign": "small"})
    assert (status, served["kind"], served["plan"]) == (200, "documents", pairs_plan.pk)
    comparison = pairs_plan.comparisons.order_by("position").first()
    assert {*served["left"], *served["right"]} == {comparison.docno_a, comparison.docno_b}
    sent = reply(served, side="left", comment="newer")
    status, made = call("create", sent)
    assert (status, made["side"], made["comment"], made["revision"]) == (200, "left", "newer", 1)
    assert call("create", sent) == (200, made)
    choice = Preference.objects.get().choice
    assert served["left"] == [comparison.docno_a if choice == "a" else comparison.docno_b]
    assert call("list", method="get")[1]["results"] == [made]
    assert call("list", method="get", user=assessor2)[1]["results"] == []
    status, undone = call("undo", {"campaign": "small"})
    assert (status, undone["kind"], undone["side"]) == (200, "withdrawn", "")
    assert call("next", {"campaign": "small"})[1]["display"] == served["display"]


def test_picks_skips_and_what_fits_neither(list_plan, call):
    served = call("next", {"campaign": "small", "plan": list_plan.pk})[1]
    assert (served["left"], served["right"]) == (None, None)
    assert "by" not in served
    made = call("create", reply(served, picks=[2]))[1]
    assert made["picks"] == [served["documents"][1]]
    assert "choice" not in made
    assert call("create", reply(served))[0] == 400
    assert call("create", reply(served, side="left"))[0] == 409
    assert call("create", reply(served, side="left", picks=[1]))[0] == 400
    assert call("skip", reply(served, reason="broken"))[1]["kind"] == "skip"


def test_when_nothing_is_left_everything_is_null(campaign, call):
    status, served = call("next", {"campaign": "small"})
    assert (status, set(served.values())) == (200, {None})
