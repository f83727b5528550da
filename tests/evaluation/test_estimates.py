"""Estimates of a sampled pool while people judge it: report, page, files, API, settings."""

import json
from uuid import uuid4

import numpy as np
import pytest
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Document, Event, Run, Team
from campaigns.models.history import name_snapshot
from campaigns.services import jobs
from campaigns.services.campaigns import update_campaign
from campaigns.services.snapshots import compute_report
from evaluation.queries.estimate_inputs import AsOf, load_estimate_inputs, load_machine
from evaluation.queries.estimate_report import (
    ESTIMATES,
    FIRST_ROUND,
    NO_SAMPLE,
    identify_estimates,
    load_sample_look,
)
from evaluation.services.estimating import estimate_campaign, request_estimate, verify_estimates
from judging.models import Judgment, Slot, StoppedTopic
from judging.services.automatic import (
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from judging.services.stopping import set_stopping_rule
from poolbench.estimation.report import TEXT
from poolbench.judging.stopping import StoppingCriteria
from poolbench.replay.verification import verify_archive
from tests.csv_reading import csv_rows
from tests.evaluation.samples import judge, list_order
from tests.pages import read_page
from tests.replay.archives import make_archive
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


def test_a_topic_that_a_rule_ends_is_a_sample_of_its_own_size(
    organizer, sampled, assessor, as_user, tmp_path
):
    """Without it the complete part would end at the first gap of topic 1."""
    campaign, order = sampled.campaign, list_order(sampled)
    create_plan(
        actor=organizer, pool=sampled, overlap=1, assessors={topic: [assessor] for topic in "123"}
    )
    first = [pair for pair in order if pair[0] == "1"]
    judge(sampled, assessor, [*first[:4], *(pair for pair in order if pair[0] != "1")])
    gap = order.index(first[4])
    assert load_sample_look(campaign).complete == gap
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria(documents=4))
    StoppedTopic.objects.exclude(topic__number="1").delete()
    look = load_sample_look(campaign)
    assert (look.complete, look.used, look.ended, look.skipped) == (32, 32, ("1",), 0)
    inputs = load_estimate_inputs(sampled, "majority")
    sample, topics = inputs.sample, inputs.sample.frame.topic_index
    own = topics == 0
    others = len(order) - len(first)
    assert len(sample.judged) == look.report.judged == others + 4
    assert (sample.pi[own].sum(), sample.pi[~own].sum()) == pytest.approx((4, others))
    assert (set(sample.strata[own]), set(sample.strata[~own])) == ({1}, {0})
    assert [each.why for each in look.report.measures] == [None, None]
    compute_report(campaign, ESTIMATES)
    page = read_page(as_user(organizer).get(reverse("estimates", args=[campaign.slug])))
    assert "Ended by the stopping rule: topic 1." in page
    # A set of estimates can be computed again after the topic is resumed, and from an archive.
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    made = estimate_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert made.conditions["estimate"]["ended"] == {"1": 4}
    StoppedTopic.objects.all().delete()
    assert verify_estimates(made)
    # A rule that reads grades chooses the sample by them: no interval.
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria(relevant=1))
    StoppedTopic.objects.exclude(topic__number="1").delete()
    why = "topics ended by a rule that reads grades: 1 of 3, more than 5%"
    assert [each.why for each in load_sample_look(campaign).report.measures] == [why, why]
    assert verify_estimates(made)
    archive = make_archive(campaign, tmp_path / "ended.zip")
    assert verify_archive(archive).list_lines() == []


def test_runs_of_a_favoured_team_are_placed_by_their_estimates_alone(
    organizer, sampled, assessor, as_user, tmp_path
):
    campaign = sampled.campaign
    other = Team.objects.create(campaign=campaign, name="Other")
    Run.objects.filter(tag="r4").update(team=other)
    judge(sampled, assessor, list_order(sampled))
    frame = load_estimate_inputs(sampled, "majority").sample.frame
    liked = set(frame.pair[(frame.segment // 3 == 4) & (frame.rank <= 10)])
    robot = create_automatic_assessor(actor=organizer, campaign=campaign, name="robot")
    rows = [
        SubmittedJudgment(frame.topics[t], d, 3 if at in liked else int(int(d[1:]) <= 7), uuid4())
        for at, (t, d) in enumerate(zip(frame.topic_index, map(str, frame.docnos), strict=True))
    ]
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=robot, judgments=rows)
    look = compute_report(campaign, ESTIMATES).report
    assert look.report.gain > 0.01
    assert look.order_remark.text.startswith(
        "robot favours Other: documents of these teams get more"
    )
    rows = look.report.measures[0].runs
    assert [row.run for row in rows if row.drawn_in is None] == ["r4"]
    by_value = [row.drawn_in or row.estimate.value for row in rows]
    assert by_value == sorted(by_value, reverse=True)
    client, url = as_user(organizer), reverse("estimates", args=[campaign.slug])
    assert "robot favours Other" in read_page(client.get(url))
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    made = estimate_campaign(actor=organizer, campaign=campaign, qrels=qrels, machines=["robot"])
    # Teams read the manifest: it names none.
    assert made.conditions["estimate"]["order"] == "order-favoured"
    assert "Other" not in json.dumps(made.conditions)
    assert "an automatic assessor favours a team" in read_page(client.get(made.get_absolute_url()))
    assert verify_estimates(made)
    archive = make_archive(campaign, tmp_path / "favoured.zip")
    assert verify_archive(archive).list_lines() == []
    Run.objects.update(team=other)
    assert load_sample_look(campaign).order_remark is None


def test_machines_count_as_of_the_row(organizer, sampled, assessor):
    campaign = sampled.campaign
    judge(sampled, assessor, list_order(sampled))
    robot = create_automatic_assessor(actor=organizer, campaign=campaign, name="robot")
    pairs = [(t, f"d{n}") for t in "123" for n in range(1, 21)]
    give_automatic(organizer, campaign, robot.user, pairs)
    last = Judgment.objects.latest("pk").pk
    frame = load_estimate_inputs(sampled, "majority").sample.frame
    before = load_machine(campaign, "robot", frame).grades
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    made = estimate_campaign(actor=organizer, campaign=campaign, qrels=qrels, machines=["robot"])
    assert made.conditions["estimate"]["machines"][0]["rows"] == 60
    rows = [SubmittedJudgment(t, d, 2, uuid4()) for t, d in pairs[:30]]
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=robot, judgments=rows)
    assert not np.array_equal(load_machine(campaign, "robot", frame).grades, before)
    for as_of in (AsOf(last), AsOf(rows={"robot": 60})):
        assert np.array_equal(load_machine(campaign, "robot", frame, as_of).grades, before)
    assert verify_estimates(made)


def test_the_text_classifier_reads_the_documents(organizer, sampled, assessor, as_user, tmp_path):
    campaign = sampled.campaign
    for document in campaign.documents.all():
        words = "solar panel roof energy" if int(document.docno[1:]) <= 7 else "tax law court"
        Document.objects.filter(pk=document.pk).update(body=f"{words} {document.docno}")
    judge(sampled, assessor, list_order(sampled)[:24])
    client, url = as_user(organizer), reverse("estimates", args=[campaign.slug])
    sent = {"looks": "8", "use": "chosen", "machines": [TEXT]}
    assert client.post(url, sent).status_code == 302
    campaign.refresh_from_db()
    look = compute_report(campaign, ESTIMATES).report
    assert look.report.machines == (TEXT,)
    assert look.report.gain > 0.2
    assert f"With the grades of {TEXT} as an aid" in read_page(client.get(url))
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    answer = client.post(
        reverse("score-evaluate", args=[campaign.slug]),
        {"qrels": qrels.pk, "estimate": "on", "machines": [TEXT], "measures": ""},
    )
    assert answer.status_code == 302
    jobs.run_here(campaign.jobs.get(kind="evaluation.estimate"))
    made = campaign.score_sets.get()
    manifest = made.conditions["estimate"]
    assert (manifest["texts"]["coverage"], manifest["machines"]) == (1.0, [])
    assert manifest["penalties"] == {"ranks": 0.5, "topics": 1.0, "texts": 0.3}
    assert "with a text classifier as an aid" in made.label_reading
    assert verify_estimates(made)
    archive = make_archive(campaign, tmp_path / "texts.zip")
    assert verify_archive(archive).list_lines() == []
    without = verify_archive(make_archive(campaign, tmp_path / "bare.zip", documents=False))
    assert "the archive has no texts" in "".join(without.notes)
    Document.objects.filter(docno="d1").update(body="other")
    assert not verify_estimates(made)


def test_without_texts_the_text_classifier_is_refused(organizer, sampled, assessor, as_user):
    campaign = sampled.campaign
    judge(sampled, assessor, list_order(sampled))
    campaign.documents.update(format=Document.Format.PDF, body="", file="a.pdf")
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    with pytest.raises(ActionRefused, match="needs texts, and no document of the sample has one"):
        request_estimate(actor=organizer, campaign=campaign, qrels=qrels, machines=[TEXT])
    client, url = as_user(organizer), reverse("estimates", args=[campaign.slug])
    answer = client.post(url, {"looks": "8", "use": "chosen", "machines": [TEXT]})
    assert answer.status_code == 422
    assert "no document of the sample has one" in read_page(answer)
    update_campaign(actor=organizer, campaign=campaign, estimate_machines=[TEXT])
    assert load_sample_look(campaign).reason.startswith("The text classifier needs texts")
