"""What people are told of a pool that grows; and documents that were judged without a plan."""

from collections import Counter

import pytest
from django.urls import reverse

from judging.models import Judgment, Slot
from judging.queries.judgments import load_pair_ballots
from judging.queries.progress import assessor_progress, plan_progress
from judging.services import judgments
from judging.services.assignments import assign_topics
from judging.services.plans import PlanOptions, close_plan, create_plan, pause_plan, preview_plan
from poolbench.pooling.spec_file import read_spec
from pooling.queries.adaptive_pools import future_documents
from pooling.services import adaptive_pools
from pooling.services.freeze import freeze_pool
from tests.judging.conftest import waiting
from tests.judging.test_growing import WHOLE, plan, pool, runs, said, worked
from tests.pages import read_page

__all__ = ["plan", "pool", "runs"]


def test_the_organizer_sees_what_is_to_come(
    plan, campaign, organizer, assessor, topic, as_user, next_of
):
    address = reverse("judging", args=[campaign.slug])
    (found,) = plan_progress(campaign)
    assert (found.tally.total, found.tally.coming, found.tally.left) == (3, 3, 6)
    assert "of 3, at most 3 more as the pool grows" in read_page(as_user(organizer).get(address))
    for _ in range(3):
        said(assessor, next_of(assessor), 0)
    (found,) = plan_progress(campaign)
    assert (found.tally.open, found.tally.percent) == (0, 50)
    (row,) = assessor_progress(campaign, [found])
    assert row.remaining == 3
    assert "+ ≤ 3" in read_page(as_user(organizer).get(address))
    worked(assessor, campaign, topic)
    (found,) = plan_progress(campaign)
    assert (found.tally.total, found.tally.coming, found.tally.percent) == (6, 0, 100)
    assert "as the pool grows" not in read_page(as_user(organizer).get(address))


def test_a_plan_tells_what_is_to_come(pool, organizer, assessor):
    seen = preview_plan(
        actor=organizer,
        pool=pool,
        scheme=PlanOptions("overlap", {"n": 1}),
        assessors={"1": [assessor]},
    )
    assert (len(seen.allocation.pairs), seen.coming, seen.planned_before) == (3, 3, 0)


def test_a_plan_without_any_document_yet_is_at_work(
    campaign, organizer, assessor, topic, runs, as_user
):
    spec = read_spec("{budget: {per_topic: 4}, steps: [{method: maxmean}]}")
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    plan = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    (found,) = plan_progress(campaign)
    assert pool.size == 0
    assert [(row.topic, row.tally.coming) for row in found.topics] == [(topic, 4)]
    client = as_user(organizer)
    head = read_page(client.get(campaign.get_absolute_url()))
    assert "The pool has no assessors" not in head
    assert "Monitor judging" in head
    assigning = read_page(client.get(reverse("plan-assign", args=[campaign.slug, plan.pk])))
    assert f"judges topic {topic.number}" in assigning
    assert len(worked(assessor, campaign, topic)) == 4


def test_two_plans_on_one_pool_expect_its_documents_once(
    plan, pool, campaign, organizer, assessor, assessor2, topic
):
    again = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    assert waiting(assessor, campaign) == {topic.pk: 6}
    coming = {found.plan: found.tally.coming for found in plan_progress(campaign)}
    assert coming == {plan: 3, again: 0}
    worked(assessor, campaign, topic)
    assert waiting(assessor, campaign) == {}
    assert Counter(Slot.objects.values_list("plan", flat=True)) == {plan.pk: 6}


def test_the_plan_that_has_people_on_the_topic_asks(
    plan, pool, campaign, organizer, assessor2, topic
):
    again = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor2]})

    def coming() -> list[int]:
        return [found.tally.coming for found in reversed(plan_progress(campaign))]

    assign_topics(actor=organizer, plan=plan, assessors={topic.number: []})
    assert coming() == [0, 3]
    assign_topics(actor=organizer, plan=again, assessors={topic.number: []})
    assert coming() == [3, 0]
    pause_plan(actor=organizer, plan=plan)
    assert coming() == [3, 0]  # a pause is no end
    close_plan(actor=organizer, plan=plan)
    assert coming() == [0, 0]


def test_nothing_is_to_come_of_what_is_complete_or_does_not_grow(
    plan, pool, campaign, assessor, topic
):
    assert (
        future_documents([pool.pk])
        == future_documents([pool.pk], [topic.pk])
        == {(pool.pk, topic.pk): 3}
    )
    assert future_documents([pool.pk], [topic.pk + 1]) == future_documents([]) == {}
    worked(assessor, campaign, topic)
    assert future_documents([pool.pk]) == {}


@pytest.fixture
def loose(campaign, topic):
    """``loose(user, docno, grade)``: an imported judgment that no plan wanted."""

    def imported(user, docno: str, grade: int | None = 0) -> Judgment:
        return Judgment.objects.create(
            campaign=campaign,
            topic=topic,
            docno=docno,
            assessor=user,
            revision=1,
            kind="skip" if grade is None else "grade",
            grade=grade,
            source="import",
        )

    return imported


@pytest.fixture
def both(pool, organizer, assessor, assessor2):
    """A plan that asks two people for each document."""
    people = {"1": [assessor, assessor2]}
    return create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)


def held_by(docno: str) -> list[tuple[str, str | None]]:
    slots = Slot.objects.filter(item__docno=docno).order_by("k")
    return list(slots.values_list("state", "assessor__username"))


def test_who_has_judged_a_document_that_comes_is_not_asked_again(
    both, campaign, assessor, assessor2, topic, loose, pool
):
    loose(assessor, "d6", 1)
    came = worked(assessor, campaign, topic)
    assert (len(came), "d6" in came) == (5, False)
    assert held_by("d6") == [("judged", "assessor"), ("open", None)]
    assert sorted(worked(assessor2, campaign, topic)) == sorted([*came, "d6"])
    assert held_by("d6") == [("judged", "assessor"), ("judged", "assessor2")]
    (ballot,) = (b for b in load_pair_ballots(campaign).list_ballots() if b.docno == "d6")
    assert (ballot.people, ballot.extra) == ({"assessor": 1, "assessor2": 0}, {})
    assert adaptive_pools.verify_pool_log(pool) == 6


def test_what_another_has_said_leaves_one_slot(
    both, campaign, organizer, assessor, assessor2, topic, loose
):
    loose(organizer, "d6", 1)
    came = worked(assessor, campaign, topic)
    assert "d6" in came
    assert "d6" not in worked(assessor2, campaign, topic)
    assert held_by("d6") == [("judged", "organizer"), ("judged", "assessor")]


def test_as_many_as_are_wanted_are_taken_and_nobody_is_asked(
    both, campaign, organizer, assessor, assessor3, topic, loose
):
    for user in (organizer, assessor3, assessor):
        loose(user, "d6", 1)
    assert "d6" not in worked(assessor, campaign, topic)
    assert held_by("d6") == [("judged", "organizer"), ("judged", "assessor3")]
    (found,) = plan_progress(campaign)
    assert (found.tally.total, found.tally.coming) == (12, 0)


def test_a_skip_or_a_grade_below_0_fills_no_slot(
    both, campaign, organizer, assessor, assessor2, topic, loose
):
    loose(organizer, "d6", None)
    loose(organizer, "d2", -1)
    worked(assessor, campaign, topic)
    worked(assessor2, campaign, topic)
    for docno in ("d2", "d6"):
        assert held_by(docno) == [("judged", "assessor"), ("judged", "assessor2")]


def test_with_one_judgment_each_what_is_judged_is_passed_over(
    plan, campaign, organizer, assessor, topic, loose
):
    loose(organizer, "d6", 1)
    assert "d6" not in worked(assessor, campaign, topic)
    assert held_by("d6") == [("judged", "organizer")]
    assert plan_progress(campaign)[0].tally.judged == 6


def test_however_many_the_actor_has_judged_the_next_is_found_at_once(
    campaign, runs, organizer, assessor, assessor2, loose, monkeypatch, next_of
):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(WHOLE), runs=runs)
    people = {"1": [assessor, assessor2]}
    create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    for number in (1, 5, 8):
        said(assessor, next_of(assessor), number == 5)
    for docno in ("d2", "d3", "d4", "d6", "d9"):
        loose(assessor, docno)
    monkeypatch.setattr(judgments, "CLAIMS", 2)
    assert next_of(assessor).item.docno == "d7"


def test_a_third_is_asked_where_what_was_said_before_disagrees(
    pool, campaign, organizer, assessor, assessor2, assessor3, topic, loose
):
    people = {"1": [assessor, assessor2, assessor3]}
    made = create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    made.third_from = 1
    made.save()
    loose(assessor, "d6", 0)
    loose(assessor2, "d6", 3)
    assert "d6" in worked(assessor3, campaign, topic)
