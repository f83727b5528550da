"""Pools that grow by documents that somebody has judged without any plan."""

from __future__ import annotations

import pytest

from judging.models import Judgment, Slot
from judging.queries.judgments import load_pair_ballots
from judging.queries.progress import plan_progress
from judging.services import judgments
from judging.services.judgments import claim_next
from judging.services.plans import create_plan
from pooling.services import adaptive_pools
from tests.judging.test_growing import plan, pool, runs, said, worked

__all__ = ["plan", "pool", "runs"]


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
    assert sorted(worked(assessor, campaign, topic)) == [f"d{n}" for n in (1, 2, 3, 4, 5, 7, 8, 9)]
    assert held_by("d6") == [("judged", "assessor"), ("open", None)]
    assert sorted(worked(assessor2, campaign, topic)) == [f"d{n}" for n in range(1, 10)]
    assert held_by("d6") == [("judged", "assessor"), ("judged", "assessor2")]
    (ballot,) = (b for b in load_pair_ballots(campaign).list_ballots() if b.docno == "d6")
    assert (ballot.people, ballot.extra) == ({"assessor": 1, "assessor2": 0}, {})
    assert adaptive_pools.verify_pool_log(pool) == 9


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
    assert (found.tally.total, found.tally.coming) == (18, 0)


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
    assert plan_progress(campaign)[0].tally.judged == 9


def test_however_many_the_actor_has_judged_the_next_is_found_at_once(
    both, campaign, assessor, topic, loose, monkeypatch
):
    for number in (1, 5, 8):
        said(assessor, claim_next(actor=assessor, campaign=campaign, topic=topic), number == 5)
    for docno in ("d2", "d3", "d4", "d6", "d9"):
        loose(assessor, docno)
    monkeypatch.setattr(judgments, "CLAIMS", 2)
    assert claim_next(actor=assessor, campaign=campaign, topic=topic).item.docno == "d7"


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
