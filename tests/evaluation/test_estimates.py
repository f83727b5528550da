"""Estimates of a sampled pool while people judge it: report, page, files, API, settings."""

from __future__ import annotations

import json
from uuid import uuid4

import numpy as np
from django.urls import reverse

from campaigns.models import Event
from campaigns.models.history import name_snapshot
from campaigns.services.campaigns import update_campaign
from campaigns.services.snapshots import compute_report
from evaluation.queries.estimate_inputs import load_estimate_inputs
from evaluation.queries.estimate_report import (
    ESTIMATES,
    FIRST_ROUND,
    NO_SAMPLE,
    identify_estimates,
    load_sample_look,
)
from judging.models import Slot
from judging.services.automatic import (
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)
from judging.services.plans import create_plan
from tests.csv_reading import csv_rows
from tests.evaluation.samples import judge, list_order
from tests.pages import read_page
from tests.world.judgments import submit_judgment


def test_a_look_uses_complete_rounds_and_nothing_after_a_gap(sampled, assessor):
    campaign, order = sampled.campaign, list_order(sampled)
    first = load_sample_look(campaign)
    assert (first.reason, first.planned, first.complete, first.to_next) == (FIRST_ROUND, 32, 0, 4)
    judge(sampled, assessor, [*order[:17], *order[20:23]])
    look = load_sample_look(campaign)
    assert (look.complete, look.beyond, look.used, look.look) == (17, 3, 16, 4)
    assert look.to_next == 3
    assert (look.report.judged, look.report.pairs) == (16, 60)
    # 16 judgments of 3 topics: above five a topic.
    assert [each.is_order_only for each in look.measures] == [False, False]
    # The judgments after the gap and those of the begun round change no estimate.
    judge(sampled, assessor, [order[25]])
    later = load_sample_look(campaign)
    assert (later.report, later.measures, later.beyond) == (look.report, look.measures, 4)
    judge(sampled, assessor, order)
    whole = load_sample_look(campaign)
    assert (whole.used, whole.look, whole.to_next, whole.beyond) == (32, 8, 0, 0)


def test_few_judgments_give_ratios_an_order_alone(sampled, assessor):
    judge(sampled, assessor, list_order(sampled)[:12])
    look = load_sample_look(sampled.campaign)
    orders = {each.measure: each.is_order_only for each in look.measures}
    assert orders == {"map": True, "P_5": False}


def test_pairs_that_everybody_asked_has_skipped_leave_no_gap(organizer, sampled, assessor):
    campaign, order = sampled.campaign, list_order(sampled)
    create_plan(
        actor=organizer, pool=sampled, overlap=1, assessors={topic: [assessor] for topic in "123"}
    )
    topic, docno = order[2]
    judge(sampled, assessor, [pair for pair in order[:9] if pair != order[2]])
    assert load_sample_look(campaign).complete == 2
    before = identify_estimates(campaign)
    submit_judgment(
        actor=assessor, campaign=campaign, topic=campaign.topics.get(number=topic), docno=docno,
        reason="broken",
    )  # fmt: skip
    look = load_sample_look(campaign)
    assert (look.complete, look.used, look.skipped, look.report.judged) == (9, 8, 1, 7)
    # Open again, it is a gap again, and the report is another one.
    assert identify_estimates(campaign) != before
    skipped = identify_estimates(campaign)
    Slot.objects.filter(item__docno=docno, topic__number=topic).update(
        state=Slot.State.OPEN, assessor=None
    )
    assert identify_estimates(campaign) != skipped
    assert load_sample_look(campaign).complete == 2


def test_too_many_skipped_pairs_settle_nothing_and_the_page_says_why(
    as_user, organizer, sampled, assessor
):
    campaign, order = sampled.campaign, list_order(sampled)
    create_plan(
        actor=organizer, pool=sampled, overlap=1, assessors={topic: [assessor] for topic in "123"}
    )
    judge(sampled, assessor, [pair for pair in order[:24] if pair not in order[2:5]])
    for topic, docno in order[2:5]:
        submit_judgment(
            actor=assessor, campaign=campaign, topic=campaign.topics.get(number=topic),
            docno=docno, reason="broken",
        )  # fmt: skip
    look = compute_report(campaign, ESTIMATES).report
    why = "sampled pairs without a grade: 3 of 24, more than 5%"
    assert [(each.why, each.settled_pairs, each.letters) for each in look.measures] == [
        (why, 0, ())
    ] * 2
    page = read_page(as_user(organizer).get(reverse("estimates", args=[campaign.slug])))
    assert f"No intervals for AP:</strong> {why}" in page
    assert "What is settled" not in page
    assert "Some sampled pairs have no grade." in page
    assert why in compute_report(campaign, "stopping").verdict.sentence


def test_machines_that_cover_the_pairs_are_used_unless_others_are_chosen(
    organizer, sampled, assessor
):
    campaign = sampled.campaign
    judge(sampled, assessor, list_order(sampled)[:16])
    frame = load_estimate_inputs(sampled, "majority").sample.frame
    pairs = [(frame.topics[t], str(frame.docnos[at])) for at, t in enumerate(frame.topic_index)]
    for name, share in (("whole", 60), ("part", 40)):
        user = create_automatic_assessor(actor=organizer, campaign=campaign, name=name).user
        give_automatic(organizer, campaign, user, pairs[:share])
    look = load_sample_look(campaign)
    assert look.report.machines == ("whole",)
    assert look.left_out == (("part", "it has 67\u00a0% of the pairs"),)
    assert all(row.drawn_in is not None for row in look.report.measures[0].runs)
    update_campaign(actor=organizer, campaign=campaign, estimate_machines=[])
    assert load_sample_look(campaign).report.machines == ()


def give_automatic(organizer, campaign, user, pairs) -> None:
    rows = [SubmittedJudgment(t, d, int(int(d[1:]) <= 9), uuid4()) for t, d in pairs]
    submit_automatic_judgments(
        actor=organizer, campaign=campaign, automatic=user.automatic, judgments=rows
    )


def test_without_a_sample_there_is_nothing_to_compute(campaign, as_user, organizer):
    assert load_sample_look(campaign).reason == NO_SAMPLE
    page = read_page(as_user(organizer).get(reverse("estimates", args=[campaign.slug])))
    assert "No sample" in page
    assert "Looks planned" not in page
    assert not campaign.snapshots.exists()


def test_the_page_shows_runs_what_is_settled_and_the_scope(as_user, organizer, sampled, assessor):
    campaign, order = sampled.campaign, list_order(sampled)
    client, url = as_user(organizer), reverse("estimates", args=[sampled.campaign.slug])
    assert "estimates are being computed" in read_page(client.get(url))
    compute_report(campaign, ESTIMATES)
    page = read_page(client.get(url))
    assert "No estimates yet" in page
    assert "The next look is due after 4 more" in page
    judge(sampled, assessor, order[:24])
    look = compute_report(campaign, ESTIMATES).report
    page = read_page(client.get(url, {"measure": "map"}))
    for part in (
        "allow for documents outside the pool", "of 32 in pool", "pairs of runs",
        "2.73 standard errors", "No automatic assessor is used.",
    ):  # fmt: skip
        assert part in page
    for row in look.report.measures[0].runs:
        assert row.run in page
    assert "Fewer than five judgments" not in page


def test_files_and_api_hold_the_report(as_user, organizer, sampled, assessor):
    campaign = sampled.campaign
    judge(sampled, assessor, list_order(sampled)[:12])
    look = compute_report(campaign, ESTIMATES).report
    client = as_user(organizer)
    files = {ending: reverse("estimates-download", args=[campaign.slug, ending])
             for ending in ("csv", "json")}  # fmt: skip
    rows = csv_rows(client.get(files["csv"]).content.decode())
    assert len(rows) == 10
    first = rows[0]
    assert (first["measure"], first["run"]) == ("map", look.report.measures[0].runs[0].run)
    assert (first["low"], first["group"]) == ("", "–")  # the order alone
    assert float(rows[5]["low"]) <= float(rows[5]["estimate"])
    told = json.loads(client.get(files["json"]).content)
    assert told["conditions"]["scope"].startswith("Estimates of what judging every pair")
    assert told["used"] == 12
    answer = client.get("/api/estimates/", {"campaign": campaign.slug}).json()
    assert answer["is_current"]
    assert (answer["estimates"]["used"], answer["estimates"]["looks"]) == (12, 8)
    assert np.isclose(
        answer["estimates"]["report"]["measures"][0]["runs"][0]["estimate"]["value"],
        look.report.measures[0].runs[0].estimate.value,
    )


def test_when_to_stop_says_what_the_look_says(as_user, organizer, sampled, assessor):
    campaign = sampled.campaign
    judge(sampled, assessor, list_order(sampled)[:17])
    stopping = compute_report(campaign, "stopping")
    look = campaign.snapshots.get(name=name_snapshot(ESTIMATES)).data
    found = stopping.report.sample
    assert (found.measure, found.used, found.look, look["used"]) == ("map", 16, 4, 16)
    assert stopping.verdict.figures[2].note == "16 of 32 pairs used"
    assert "first 5 runs by MAP" in stopping.verdict.sentence
    client = as_user(organizer)
    for name in ("stopping", "interim-scores"):
        page = read_page(client.get(reverse(name, args=[campaign.slug])))
        assert stopping.verdict.sentence in page
    assert "The newest pool is a sample" in page


def test_settings_are_saved_with_an_event_and_change_the_report(as_user, organizer, sampled):
    campaign = sampled.campaign
    create_automatic_assessor(actor=organizer, campaign=campaign, name="one")
    client, url = as_user(organizer), reverse("estimates", args=[campaign.slug])
    before = identify_estimates(campaign)
    answer = client.post(url, {"looks": "4", "use": "chosen", "machines": ["one"]})
    assert answer.status_code == 302
    campaign.refresh_from_db()
    assert (campaign.estimate_looks, campaign.estimate_machines) == (4, ["one"])
    assert identify_estimates(campaign) != before
    assert Event.objects.filter(code="campaign.updated").exists()
    client.post(url, {"looks": "4", "use": "covering", "machines": ["one"]})
    campaign.refresh_from_db()
    assert campaign.estimate_machines is None
    for wrong in ({"looks": "0", "use": "covering"}, {"looks": "4", "use": "x"}):
        assert client.post(url, wrong).status_code == 422
