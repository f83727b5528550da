"""What disagreement does to a campaign's ranking: service, page, downloads, rounds, command.

Grades by two people (alpha-one and beta-secret retrieve as in conftest):

    topic 1: d1 2 and 2, d2 0 and 1, d3 0 and 2, d4 0 and 0;  topic 2: d1 1 and 0, d5 0 and 1
"""

import json
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command

from campaigns.errors import ActionRefused
from campaigns.models import Event, Role, Topic
from campaigns.models.history import name_snapshot
from campaigns.services.snapshots import compute_report
from evaluation.services.scoring import score_campaign
from judging.models import Plan
from judging.services.adjudication import record_meeting_decision
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from poolbench.judging.policies import DEFAULT_POLICY
from poolbench.reliability.disagreement.rankings import rankings_by_assessor
from reliability.queries.disagreement_studies import (
    EFFECT,
    DisagreementQuery,
    load_panel_unchecked,
    study_disagreement,
)
from reliability.services.disagreement import open_round_by_value
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.refusals import refusal
from tests.world.files import make_pool
from tests.world.people import joined

URL = "/c/small/judging/agreement/effect/"
GRADES = {
    "assessor": [
        *(("1", "d1", 2), ("1", "d2", 0), ("1", "d3", 0), ("1", "d4", 0)),
        *(("2", "d1", 1), ("2", "d5", 0)),
    ],
    "assessor2": [
        *(("1", "d1", 2), ("1", "d2", 1), ("1", "d3", 2), ("1", "d4", 0)),
        *(("2", "d1", 0), ("2", "d5", 1)),
    ],
}
ASKED = DisagreementQuery(policy="adjudicated-maximum", measure="map")


def import_grades(campaign, organizer, *people):
    for who in people:
        rows = GRADES[who.username]
        import_judgments(actor=organizer, campaign=campaign, assessor=who, rows=rows)


@pytest.fixture
def adjudicator(campaign):
    return joined(campaign, "judy", Role.ADJUDICATOR)


@pytest.fixture
def judged(campaign, organizer, assessor, assessor2, alpha, beta, beta2):
    make_pool(campaign, {"1": ["d1", "d2", "d3", "d4"], "2": ["d1", "d5"]})
    import_grades(campaign, organizer, assessor, assessor2)
    return campaign


@pytest.fixture
def ask(organizer, judged):
    return lambda **more: study_disagreement(
        actor=organizer, campaign=judged, query=DisagreementQuery(**{**ASKED.__dict__, **more})
    )


@pytest.fixture
def open_round(organizer, judged, adjudicator):
    def opened(most, by=organizer):
        return open_round_by_value(
            actor=by, campaign=judged, query=ASKED, most=most, adjudicators=[adjudicator]
        )

    return opened


def test_the_ranking_by_the_policy_is_that_of_a_release(ask, organizer, judged):
    report = ask().report
    qrels = freeze_qrels(actor=organizer, campaign=judged, policy="adjudicated-maximum")
    kept = score_campaign(actor=organizer, campaign=judged, qrels=qrels)
    means = {row.run.tag: row.means["map"] for row in kept.runs.select_related("run")}
    assert dict(zip(report.tags, report.rankings[0].scores, strict=True)) == pytest.approx(means)


def test_each_assessor_has_a_ranking(ask):
    report = ask().report
    assert [row.name for row in report.rankings[1:3]] == ["assessor", "assessor2"]
    assert (report.facts.disputed, report.facts.judged_by_several) == (4, 6)
    assert {(v.topic, v.docno) for v in report.values} == {
        *(("1", "d2"), ("1", "d3"), ("2", "d1"), ("2", "d5"))
    }


def test_withheld_topics_do_not_count(ask, judged):
    Topic.objects.filter(campaign=judged, number="2").update(withheld=True)
    assert {value.topic for value in ask().report.values} == {"1"}


def test_what_is_in_memory_is_renewed_by_a_judgment(ask, organizer, judged, assessor2):
    first = ask()
    assert ask().report.values is first.report.values
    import_judgments(actor=organizer, campaign=judged, assessor=assessor2, rows=[("1", "d2", 0)])
    assert ("1", "d2") not in {(v.topic, v.docno) for v in ask().report.values}


def test_an_adjudicated_pair_is_settled(ask, judged, adjudicator):
    topic = judged.topics.get(number="1")
    record_meeting_decision(
        actor=adjudicator, campaign=judged, topic=topic, docno="d3", grade=0, client_uuid=uuid4()
    )
    report = ask().report
    assert ("1", "d3") not in {(v.topic, v.docno) for v in report.values}
    assert (report.facts.adjudicated, report.facts.to_settle) == (1, 3)
    deaf = ask(policy="maximum").report
    assert (deaf.facts.disputed, deaf.facts.to_settle) == (4, 3)


def test_between_two_runs(ask, alpha, beta2):
    study = ask(between=(beta2.pk, alpha.pk))
    found = study.report.turning
    assert (found.better, found.worse) == ("alpha-one", "beta-other")
    assert found.needed is None


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"policy": "nobody's"}, "no-policy"),
        ({"measure": "num_rel"}, "unknown-measure"),
        ({"between": (0, 1)}, "no-runs"),
    ],
)
def test_what_there_is_not_is_refused(ask, more, code):
    assert refusal(ask, **more) == code


def test_too_much_work_for_a_page_is_refused(organizer, judged):
    with pytest.raises(ActionRefused) as refused:
        study_disagreement(actor=organizer, campaign=judged, query=ASKED, most_work=10)
    assert refused.value.code == "too-large"
    assert "manage.py disagreement" in refused.value.fix


def test_only_organizers_may(judged, assessor, adjudicator, open_round):
    for who in (assessor, adjudicator):
        with pytest.raises(PermissionDenied):
            study_disagreement(actor=who, campaign=judged, query=ASKED)
        with pytest.raises(PermissionDenied):
            open_round(1, by=who)


def test_a_round_has_the_most_valuable_pairs_in_their_order(ask, open_round):
    values = [value for value in ask().report.values if value.value > 0]
    plan = open_round(2)
    slots = plan.slots.order_by("position").values_list("topic__number", "item__docno", "value")
    assert [*slots] == [(v.topic, v.docno, v.value) for v in values[:2]]
    assert (plan.kind, plan.blind, plan.order) == (Plan.Kind.ADJUDICATE, True, Plan.Order.VALUE)
    assert Event.objects.filter(code="round.opened").count() == 1
    assert open_round(9).slots.count() == len(values) - 2
    with pytest.raises(ActionRefused, match="outside of rounds"):
        open_round(9)


def test_the_page_shows_rankings_bands_and_pairs(judged, adjudicator, page):
    answer = page.get(URL, {"policy": "adjudicated-maximum", "measure": "map"})
    text = read_page(answer)
    assert answer.context["rows"][0]["tag"] in text
    assert answer.context["facts"].measure == "map"
    assert "Rank bands" in text
    assert "<svg" in text
    assert len(answer.context["pairs"]) == 4
    assert "judy" in text


def test_the_page_tells_what_turns_the_order_of_two_runs(judged, alpha, beta, page):
    asked = {"policy": "maximum", "measure": "map", "a": alpha.pk, "b": beta.pk}
    answer = page.get(URL, asked)
    text = " ".join(read_page(answer).split())
    found = answer.context["report"].turning
    assert (found.better, found.worse) == ("beta-secret", "alpha-one")
    lead = f"<strong>beta-secret</strong> leads <strong>alpha-one</strong> by {found.gap:.4f}"
    assert lead in text
    assert found.needed is not None
    shown = answer.context["steps"]
    assert [step for step, _ in shown] == [*found.steps[: found.needed]]
    assert shown[-1][1].startswith("−")
    assert shown[-1][1] in text


def test_unknown_choices_are_the_usual_ones(judged, page):
    assert page.get(URL, {"policy": "x"}).status_code == 409
    answer = page.get(URL, {"treat": "y", "a": "one"})
    assert answer.status_code == 200
    assert answer.context["choice"] == DisagreementQuery()


def test_a_refusal_is_told_on_the_page(judged, page):
    answer = page.get(URL, {"measure": "num_rel"})
    assert "The campaign does not rank runs by num_rel." in read_page(answer)


@pytest.mark.parametrize("treat", ["own", "filled"])
def test_pages_without_runs_judgments_or_disputes(campaign, treat, page):
    compute_report(campaign, EFFECT)
    answer = page.get(URL, {"treat": treat})
    assert "No ranking" in read_page(answer)


def test_one_assessor_is_told_why(organizer, campaign, assessor, alpha, beta, page):
    import_grades(campaign, organizer, assessor)
    compute_report(campaign, EFFECT)
    text = read_page(page.get(URL))
    assert "Fewer than two human assessors have judged" in text
    assert "No unresolved disagreements." in text


def test_a_job_computes_what_the_page_shows_as_it_opens(ask, organizer, judged, assessor2, page):
    answer = page.get(URL)
    assert "report" not in answer.context
    assert answer.context["state"].job.args["name"] == name_snapshot(EFFECT)
    usual = {"policy": DEFAULT_POLICY, "treat": "filled"}
    stored = compute_report(judged, EFFECT).report
    assert stored == ask(policy=DEFAULT_POLICY, measure="").report
    rows = [("1", "d2", 0)]
    import_judgments(actor=organizer, campaign=judged, assessor=assessor2, rows=rows)
    for asked in ({}, usual, {**usual, "measure": stored.facts.measure}):
        answer = page.get(URL, asked)
        assert answer.context["report"] == stored, asked
        assert "Something has changed since" in read_page(answer)
    own = page.get(URL, {"treat": "own"}).context
    assert (own["state"], own["facts"].disputed) == (None, stored.facts.disputed - 1)
    assert (
        compute_report(judged, EFFECT).report.facts
        == ask(policy=DEFAULT_POLICY, measure="").report.facts
    )


def test_downloads(judged, page):
    runs = read_page(page.get(f"{URL}runs.csv"))
    assert {row["run"] for row in csv_rows(runs)} == {*("alpha-one", "beta-secret", "beta-other")}
    pairs = read_page(page.get(f"{URL}pairs.csv"))
    assert len(csv_rows(pairs)) == 4
    told = json.loads(page.get(f"{URL}report.json").content)
    assert told["policy"] == "adjudicated-median-floor"
    assert page.get(f"{URL}runs.json").status_code == 404


def test_the_button_opens_a_round(judged, adjudicator, page):
    sent = {"most": 3, "adjudicators": [adjudicator.pk], "blind": "on"}
    answer = page.post(f"{URL}round/?policy=adjudicated-maximum&measure=map", sent)
    assert (answer.status_code, answer.url) == (302, "/c/small/judging/adjudication/#rounds")
    plan = Plan.objects.get(kind=Plan.Kind.ADJUDICATE)
    assert (plan.blind, plan.slots.count() <= 3) == (True, True)
    after = read_page(page.get("/c/small/judging/adjudication/"))
    assert "by effect on ranking" in after
    assert f"Round opened: {plan.slots.count()} pair" in after
    shown = page.get(URL, {"policy": "adjudicated-maximum", "measure": "map"})
    assert "in a round" in read_page(shown)


def test_a_round_of_nobody_is_sent_back(judged, adjudicator, page):
    answer = page.post(f"{URL}round/", {"most": 0})
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {"most", "adjudicators"}
    assert not Plan.objects.filter(kind=Plan.Kind.ADJUDICATE).exists()


def test_the_command_says_the_same_of_a_campaign(judged, capsys):
    chosen = {"policy": "adjudicated-maximum", "measure": "map", "format": "json", "swaps": 100}
    call_command("disagreement", "small", **chosen)
    told = json.loads(capsys.readouterr().out)
    panel = load_panel_unchecked(judged, "adjudicated-maximum", "map")
    assert [row["ranks"] for row in told["rankings"]] == [
        [*row.ranks] for row in rankings_by_assessor(panel, "filled")
    ]
