"""The pages of agreement: what they show, what they cost, what they never mix."""

import json
import re
from dataclasses import replace
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils.html import escape

from campaigns.models import User
from campaigns.models.history import name_snapshot
from campaigns.services.snapshots import compute_report, refresh_snapshot
from crowd.models import WorkUnit
from judging.models import AutomaticAssessor, Judgment, Plan, Purpose, Slot
from judging.queries.agreement import load_labels
from judging.queries.quality import load_judging_record
from judging.views.agreement_choice import MOST_ASSESSORS
from poolbench.judging.agreement.labels import build_labels
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.variation import measure_variation
from poolbench.reliability.verdicts.agreement import AGREEMENT
from tests.crowd.crowd_work import make_crowd
from tests.crowd.worker_study import make_study
from tests.csv_reading import csv_rows
from tests.pages import read_page, run_command

PAGES = (
    "agreement",
    "agreement-pair",
    "agreement-topics",
    "agreement-variation",
    "assessor-quality",
)


@pytest.fixture
def say(campaign):
    """``say(user, topic, docno, grade)``: one row of the log, for whatever purpose."""

    def append(user: User, number: str, docno: str, grade: int | None, **more) -> Judgment:
        topic = campaign.topics.get(number=number)
        purpose = more.pop("purpose", Purpose.JUDGE)
        before = Judgment.objects.filter(
            campaign=campaign, topic=topic, docno=docno, assessor=user, purpose=purpose
        )
        kind = Judgment.Kind.WITHDRAWN if grade is None else Judgment.Kind.GRADE
        source = more.pop("source", Judgment.Source.SCREEN)
        return Judgment.objects.create(
            campaign=campaign, topic=topic, docno=docno, assessor=user, purpose=purpose,
            revision=before.count() + 1, kind=kind, grade=grade, source=source,
            client_uuid=uuid4(), **more,
        )  # fmt: skip

    return append


@pytest.fixture
def machine(campaign, organizer) -> User:
    user = User.objects.create(username="small.bot", is_active=False)
    AutomaticAssessor.objects.create(campaign=campaign, name="bot", user=user, created_by=organizer)
    return user


@pytest.fixture
def judged(say, assessor, assessor2, machine):
    """Two people on three topics, in random order and with times; repeats and a machine."""
    for topic in "123":
        for at in range(1, 8):
            more = {"order": Plan.Order.RANDOM, "active_seconds": 2.0 + at}
            say(assessor, topic, f"d{at}", at % 3, **more)
            say(assessor2, topic, f"d{at}", (at + (at > 4)) % 3, **more)
            say(machine, topic, f"d{at}", 3 - at % 3, purpose=Purpose.AUTOMATIC)
    for topic in "123":
        say(assessor, topic, "d1", 1, purpose=Purpose.REPEAT)
        say(assessor, topic, "d2", 0, purpose=Purpose.REPEAT)


def page(client, name: str, query: str = "", *args: str) -> str:
    return read_page(client.get(f"{reverse(name, args=['small', *args])}?{query}"))


def test_empty_pages_say_what_comes_next(campaign, organizer, as_user):
    client = as_user(organizer)
    for name in ("agreement", "agreement-topics"):
        assert "No agreement yet" in page(client, name)
    assert "Fewer than 2 assessors" in page(client, "agreement-pair")
    assert "No judgments yet" in page(client, "assessor-quality")
    assert json.loads(page(client, "agreement-download", "", "json"))["pairs"] == []
    told = json.loads(page(client, "assessor-quality-download", "", "json"))
    assert told["assessors"] == []


def test_the_panel_shows_every_coefficient_with_interval_and_links(judged, organizer, as_user):
    told = page(as_user(organizer), "agreement", "by=ac1&level=2")
    for name, coefficient in COEFFICIENTS.items():
        assert f"{reverse('coefficients')}#{name}" in told
        assert escape(coefficient.card.title) in told
    assert "21 pairs judged by 2 assessors; relevant: grade 2 or higher" in told
    assert "assessor and assessor2: " in told
    assert "small.bot" not in told
    assert "a=assessor&amp;b=assessor2" in told
    assert "0.5714" in told  # 12 of 21 pairs
    cut = page(as_user(organizer), "agreement", "cut=1&topic=2")
    assert "7 pairs of topic 2" in cut
    assert "grades made binary" in cut
    assert "fewer than 5 topics" in cut


def test_topics_that_share_fewer_than_ten_documents_are_not_blamed(
    judged, say, assessor, assessor2, organizer, as_user
):
    for at in range(8, 13):
        say(assessor, "1", f"d{at}", at % 2)
        say(assessor2, "1", f"d{at}", (at + 1) % 2)
    told = page(as_user(organizer), "agreement")
    (low,) = re.findall(r"Below 0\.667:(.*?)</p>", told, re.DOTALL)
    assert re.findall(r"topic (\d)<", low) == ["1"]
    assert "2 topics with fewer than 10 shared documents" in told
    assert "are left out" in told


def test_two_assessors_are_shown_grade_by_grade_and_topic_by_topic(judged, organizer, as_user):
    told = page(as_user(organizer), "agreement-pair", "a=assessor2&b=assessor&by=kappa")
    assert "21 documents judged by both" in told
    # d5, d6, d7 of each topic: 0 against 2, 1 against 0, 2 against 1.
    assert "0 and 2: 3 of 6" in told
    assert told.count('<th scope="row" class="mono">') == 3
    assert "Judgments of assessor and assessor2" in page(as_user(organizer), "agreement-pair")
    assert "Choose two different" in page(as_user(organizer), "agreement-pair", "a=assessor&b=x")


def test_topics_are_compared(judged, organizer, as_user):
    client = as_user(organizer)
    told = page(client, "agreement-topics", "by=kappa")
    assert told.count('<th scope="row"><a class="mono"') == 3
    text = read_page(client.get(reverse("agreement-topics-download", args=["small"])))
    rows = csv_rows(text)
    found = [
        r for r in rows if (r["topic"], r["coefficient"], r["between"]) == ("2", "percent", "all")
    ]
    assert [(r["value"], r["n"]) for r in found] == [("0.571429", "7")]


def strip_tags(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_variation_is_told_by_document_topic_and_assessor(judged, campaign, organizer, as_user):
    variation = measure_variation(load_labels(campaign))
    told = strip_tags(page(as_user(organizer), "agreement-variation"))
    assert f"intraclass correlation is {variation.whole.icc:.3f}" in told
    assert f"{variation.whole.deviation:.3f} grades" in told
    for row in variation.assessors:
        assert f"{row.name} {row.judged} {row.shared} {row.observed:.3f}" in told
    rows = csv_rows(page(as_user(organizer), "agreement-variation-download"))
    assert [(row["topic"], row["docno"]) for row in rows] == [row.pair for row in variation.pairs]
    assert [float(row["variance"]) for row in rows] == pytest.approx(
        [row.variance for row in variation.pairs], abs=1e-6
    )


def test_a_crowd_is_not_compared_two_by_two(say, organizer, as_user):
    people = [User.objects.create(username=f"worker-{at:03d}") for at in range(MOST_ASSESSORS + 1)]
    for at, user in enumerate(people):
        say(user, "1", "doc-1", at % 2)
        say(user, "1", "doc-2", 1)
    told = strip_tags(page(as_user(organizer), "agreement"))
    assert "41 assessors are too many to be compared two by two" in told
    assert "worker-000, worker-001" not in told
    told = strip_tags(page(as_user(organizer), "agreement-variation"))
    # doc-1: 21 give 0 and 20 give 1; doc-2: all give 1. worker-000 agrees with 20 and 40 of 40.
    assert "worker-000 2 2 0.750" in told
    # worker-001 gives 1 to doc-1, as 19 of the 40 others do.
    assert "worker-001 2 2 0.738" in told


def test_assessors_are_told_one_by_one(judged, organizer, as_user):
    client = as_user(organizer)
    told = page(client, "assessor-quality")
    for words in ("Self-consistency", "<strong>bot</strong>, automatic: 21"):
        assert words in told
    content = json.loads(page(client, "assessor-quality-download", "", "json"))
    first, second = content["assessors"]
    assert (first["name"], first["bias"]["n"]) == ("assessor", 21)
    assert first["bias"]["value"] == pytest.approx(-second["bias"]["value"])
    assert first["consistency"]["percent"]["value"] == 0.5
    assert first["pace"]["median"] == 6.0
    assert first["drift"]["slope"]["n"] == 21
    (bot,) = content["automatic"]
    assert (bot["name"], bot["judged"], [row["name"] for row in bot["people"]]) == (
        "bot",
        21,
        ["assessor", "assessor2"],
    )
    text = page(client, "assessor-quality-download", "", "csv")
    rows = {(r["assessor"], r["figure"]): r for r in csv_rows(text)}
    assert rows["assessor", "median seconds"]["value"] == "6.000000"
    assert rows["bot", "consensus percent"]["n"] == "21"


def test_what_is_current_counts_where_it_was_first_given(say, campaign, assessor, assessor2):
    """A later revision keeps the place and the time of the first; what is taken back is out."""
    more = {"order": Plan.Order.RANDOM}
    say(assessor, "1", "d1", 0, active_seconds=9.0, **more)
    say(assessor, "1", "d2", 2, **more)
    say(assessor2, "1", "d1", 1, source=Judgment.Source.IMPORT)
    say(assessor, "1", "d1", 3, active_seconds=1.0)
    say(assessor, "1", "d2", None)
    say(assessor, "1", "d3", 1, **more)
    found = load_judging_record(campaign).grades
    assert found.grade.tolist() == [3, 1, 1]
    assert [found.assessors[at] for at in found.assessor] == ["assessor", "assessor2", "assessor"]
    assert found.seconds.tolist()[0] == 9.0
    assert found.ordered.tolist() == [True, False, True]


def test_a_repeat_is_compared_with_what_stood_before_it(say, campaign, assessor, assessor2):
    """Not with a first grade that was changed after it; not where the first is taken back."""
    again = {"purpose": Purpose.REPEAT}
    say(assessor, "1", "d1", 0)
    say(assessor, "1", "d1", 3)
    say(assessor, "1", "d1", 2, **again)
    say(assessor, "1", "d1", 2)
    say(assessor, "1", "d1", 1, **again)
    say(assessor, "1", "d2", 1)
    say(assessor, "1", "d2", 1, **again)
    say(assessor, "1", "d2", None)
    say(assessor, "1", "d3", 1)
    say(assessor, "1", "d3", 2, **again)
    say(assessor, "1", "d3", None, **again)
    say(assessor2, "1", "d4", 1)
    say(assessor, "1", "d4", 1, **again)
    record = load_judging_record(campaign)
    assert (record.repeats, record.near_repeats) == ([], [("assessor", "1", 3, 1)])


def test_repeats_within_twelve_documents_are_reported_apart(say, campaign, assessor, assessor2):
    """Eleven other documents in between are too few, skips and revisions count once."""
    say(assessor, "1", "near", 1)
    say(assessor, "2", "far", 1)
    for at in range(11):
        say(assessor, "1", f"d{at}", None if at % 2 else 1)
        say(assessor, "1", f"d{at}", 1)
        say(assessor2, "1", f"e{at}", 1)
    again = {"purpose": Purpose.REPEAT}
    say(assessor, "2", "far", 0, **again)
    say(assessor, "2", "far", 1, **again)
    say(assessor, "1", "near", 1)
    say(assessor, "3", "d1", 1)
    say(assessor, "1", "near", 0, **again)
    record = load_judging_record(campaign)
    assert (record.repeats, record.near_repeats) == (
        [],
        [("assessor", "1", 1, 0), ("assessor", "2", 1, 1)],
    )
    for at in range(12):
        say(assessor, "3", f"f{at}", 1)
    say(assessor, "3", "d1", 1, **again)
    assert load_judging_record(campaign).repeats == [("assessor", "3", 1, 1)]


def test_near_repeats_stand_apart_on_the_page_and_in_downloads(judged, organizer, as_user):
    client = as_user(organizer)
    told = page(client, "assessor-quality")
    assert "Repeats within 12 documents" in told
    found = json.loads(page(client, "assessor-quality-download", "", "json"))["assessors"][0]
    assert found["consistency"]["percent"]["n"] == 4
    assert found["near_consistency"]["percent"]["n"] == 2
    table = page(client, "assessor-quality-download", "", "csv")
    assert "assessor,near repeats percent,0.500000," in table


def test_labels_are_the_current_judgments(say, campaign, assessor, assessor2, machine):
    say(assessor, "1", "d1", 0)
    say(assessor, "1", "d1", 2)
    say(assessor, "1", "d2", 1)
    say(assessor, "1", "d2", None)
    say(assessor2, "2", "d2", 3)
    say(machine, "2", "d2", 1, purpose=Purpose.AUTOMATIC)
    found = load_labels(campaign)
    cast = {
        (found.assessors[row], *found.pairs[at]): int(found.grades[row, at])
        for row, at in zip(*found.judged.nonzero(), strict=True)
    }
    assert cast == {("assessor", "1", "d1"): 2, ("assessor2", "2", "d2"): 3}


def test_the_record_has_the_labels_that_the_panel_has(judged, campaign):
    record, labels = load_judging_record(campaign), load_labels(campaign)
    assert record.people.assessors == labels.assessors == ("assessor", "assessor2")
    assert record.people.pairs == labels.pairs
    assert (record.people.grades == labels.grades).all()
    machines = load_labels(campaign, Purpose.AUTOMATIC)
    assert record.automatic is not None
    assert (record.automatic.grades == machines.grades).all()
    assert load_labels(campaign, Purpose.REPEAT).assessors == ("assessor",)


def test_the_command_tells_of_a_campaign_what_the_page_downloads(judged, organizer, as_user):
    file = page(as_user(organizer), "agreement-download", "", "json")
    assert json.loads(run_command("agreement", "small", "--format", "json")) == json.loads(file)
    told = run_command("agreement", "small")
    assert "bot ~ consensus" in told
    assert "median active seconds" in told


def test_the_figures_are_explained_to_everybody(client, db):
    told = read_page(client.get(reverse("coefficients")))
    for name in (*COEFFICIENTS, "bias", "drift", "consistency", "pace", "automatic"):
        assert f'id="{name}"' in told


@pytest.fixture
def with_crowd(judged, campaign):
    """Three workers, one at random, on a topic of their own, beside two staff assessors."""
    make_crowd(make_study(campaign), ["honest", "honest", "random"])
    return campaign


def alpha_by_hand(campaign, *, units: tuple[bool, ...]) -> float | None:
    """Of the judgments with and without a unit, read row by row."""
    rows = campaign.judgments.filter(purpose=Purpose.JUDGE).order_by("pk")
    grades = {
        (row.assessor.username, (row.topic.number, row.docno)): row.grade
        for row in rows
        if (row.unit_id is not None) in units
    }
    labels = build_labels({key: grade for key, grade in grades.items() if grade is not None})
    report = agreement_report(replace(labels, scale=(0, 1, 2, 3)), 1)
    return report.overall["alpha-ordinal"].value


def test_staff_and_crowd_are_compared_apart(with_crowd, organizer, as_user):
    client = as_user(organizer)
    wanted = {"": (False,), "staff": (False,), "crowd": (True,), "all": (False, True)}
    shown = {}
    for who, units in wanted.items():
        answer = client.get(reverse("agreement", args=["small"]), {"who": who})
        shown[who] = answer.context["report"].overall["alpha-ordinal"].value
        assert shown[who] == pytest.approx(alpha_by_hand(with_crowd, units=units)), who
    assert len(set(shown.values())) == 3
    told = read_page(client.get(reverse("agreement", args=["small"])))
    assert "21 documents judged by 2 staff assessors; 21 of them by at least two" in told
    assert 'aria-current="page">Staff assessors</a>' in told
    crowd = read_page(client.get(reverse("agreement", args=["small"]), {"who": "crowd"}))
    assert "judged by 3 crowd workers" in crowd
    assert "crowd workers only" in crowd
    for name in PAGES:
        for who, count in (("staff", 2), ("crowd", 3), ("all", 5)):
            answer = client.get(reverse(name, args=["small"]), {"who": who})
            assert len(answer.context["names"]) == count


def test_the_verdict_names_whose_judgments_it_judged(with_crowd, alpha, beta, organizer, as_user):
    stored = compute_report(with_crowd, AGREEMENT)
    assert stored.report.who == "staff"
    assert {each.name for each in stored.report.assessors} == {"assessor", "assessor2"}
    assert set(stored.report.effect.by_assessor) == {"assessor", "assessor2"}
    assert stored.verdict.sentence.startswith(
        "Agreement of staff assessors cannot be determined: two assessors share 21 documents"
    )
    refresh_snapshot(with_crowd, name_snapshot(AGREEMENT))
    client, sentence = as_user(organizer), escape(stored.verdict.sentence)
    for who in ("", "crowd"):
        assert sentence in read_page(client.get(reverse("agreement", args=["small"]), {"who": who}))
    assert sentence in read_page(client.get(with_crowd.get_absolute_url()))
    assert stored.verdict.sentence in run_command("agreement", "small")
    verdicts = client.get("/api/verdicts/", {"campaign": "small"}).json()
    assert stored.verdict.sentence in json.dumps(verdicts, ensure_ascii=False)


def test_without_crowd_nothing_is_told_apart(judged, organizer, as_user):
    told = read_page(as_user(organizer).get(reverse("agreement", args=["small"]), {"who": "crowd"}))
    assert "judged by 2 assessors;" in told
    assert "Crowd workers" not in told


def test_progress_has_the_crowd_on_one_line(with_crowd, organizer, as_user):
    slots = Slot.objects.filter(purpose=Purpose.JUDGE, state="open", k=0).order_by("pk")
    for at, unit in enumerate(WorkUnit.objects.all()):
        first = list(slots.values_list("pk", flat=True)[: at + 1])
        worked = {"state": "judged", "assessor": unit.worker.user, "unit": unit}
        Slot.objects.filter(pk__in=first).update(**worked)
    answer = as_user(organizer).get(reverse("judging", args=["small"]))
    told = read_page(answer)
    assert "worker-t" not in told
    assert "no assessors:" not in told
    assert '<span class="quiet">crowd workers</span>' in told
    assert f'<a href="{reverse("studies", args=["small"])}">3 crowd workers</a>' in told
    assert {row.user.username for row in answer.context["people"]} >= {"assessor", "assessor2"}
    assert (len(answer.context["crowd"]), answer.context["crowd_total"]["judged"]) == (3, 6)
    assert answer.context["people_total"]["judged"] == 6
