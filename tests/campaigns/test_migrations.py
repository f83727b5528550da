"""Data that earlier versions wrote, brought forward and back."""

from __future__ import annotations

import pytest

from campaigns.models.event_phrases import EVENT_PHRASES

BEFORE = [("campaigns", "0003_documents_and_guidelines")]
AFTER = [("campaigns", "0004_field_words")]


@pytest.mark.django_db(transaction=True)
def test_events_states_and_faults_get_their_words(migrate):
    old = migrate(BEFORE)
    user = old.get_model("campaigns", "User").objects.create(username="u")
    campaign = old.get_model("campaigns", "Campaign").objects.create(
        slug="s", title="S", created_by=user
    )
    team = old.get_model("campaigns", "Team").objects.create(campaign=campaign, name="T")
    fault = {"code": "E02", "message": "m", "cure": "Do it.", "line": 1}
    old.get_model("campaigns", "Run").objects.create(
        campaign=campaign, team=team, tag="a", file="f", file_name="f", size=1, sha256="0",
        submitted_by=user, state="refused", report={"file": "f", "faults": [fault]},
    )  # fmt: skip
    log = old.get_model("campaigns", "Event").objects
    verbs = ["created the campaign", "refused a run", "took documents back"]
    for verb in verbs:
        log.create(campaign=campaign, actor=user, verb=verb)

    new = migrate(AFTER)
    log = new.get_model("campaigns", "Event").objects.order_by("pk")
    assert [event.code for event in log] == ["campaign.created", "run.rejected", "slots.returned"]
    run = new.get_model("campaigns", "Run").objects.get()
    assert run.state == "rejected"
    assert run.report["faults"] == [{"code": "E02", "message": "m", "fix": "Do it.", "line": 1}]

    back = migrate(BEFORE)
    assert back.get_model("campaigns", "Run").objects.get().report["faults"] == [fault]
    log = back.get_model("campaigns", "Event").objects.order_by("pk")
    assert [event.verb for event in log] == [
        "created the campaign",
        "refused a run",
        "took documents back",
    ]


def test_every_code_of_the_migration_has_words():
    from importlib import import_module

    codes = import_module("campaigns.migrations.0004_field_words").CODES
    assert set(codes.values()) <= set(EVENT_PHRASES)


@pytest.mark.django_db(transaction=True)
def test_earlier_withdrawals_get_their_date_from_the_log(migrate):
    old = migrate([("campaigns", "0005_wording")])
    user = old.get_model("campaigns", "User").objects.create(username="u")
    campaign = old.get_model("campaigns", "Campaign").objects.create(
        slug="s", title="S", created_by=user
    )
    team = old.get_model("campaigns", "Team").objects.create(campaign=campaign, name="T")
    runs, log = old.get_model("campaigns", "Run").objects, old.get_model("campaigns", "Event")
    for tag, state in (("a", "withdrawn"), ("b", "accepted")):
        run = runs.create(
            campaign=campaign, team=team, tag=tag, file="f", file_name="f", size=1, sha256="0",
            submitted_by=user, state=state,
        )  # fmt: skip
        event = log.objects.create(
            campaign=campaign, actor=user, code="run.withdrawn", data={"run": run.pk}
        )
    new = migrate([("campaigns", "0009_run_withdrawn_at")])
    dates = dict(new.get_model("campaigns", "Run").objects.values_list("tag", "withdrawn_at"))
    assert dates == {"a": log.objects.get(pk=event.pk - 1).at, "b": None}
