"""Words that come late, twice or by another door: each finds its purpose, its slot or a no."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from campaigns.errors import ActionRefused
from judging.models import Judgment, Slot, TrainingPair
from judging.services import judgments
from judging.services.assignments import assign_topics
from judging.services.judgments import claim_next, undo_judgment
from judging.services.plans import close_plan, create_plan
from judging.services.slots import reassign_work, return_all_slots
from judging.services.training import answer_training_pair
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment


@pytest.fixture
def trained(campaign, topic):
    """``trained(user)``: their answer to the training pair d1, which is in the pool too."""
    pair = {"campaign": campaign, "topic": topic, "docno": "d1", "grade": 1, "position": 0}

    def give(user) -> Judgment:
        known = TrainingPair.objects.create(**pair)
        return answer_training_pair(
            actor=user, campaign=campaign, pair=known, grade=1, client_uuid=uuid4()
        )

    return give


def test_training_gives_no_right_to_judge_the_pair(plan, assessor2, trained, grade):
    trained(assessor2)
    with pytest.raises(ActionRefused, match="not assigned to you"):
        grade(assessor2, "d1", 3)
    assert not Slot.objects.exclude(state="open").exists()


def test_a_number_is_of_one_act(plan, campaign, assessor, trained, grade):
    answered = trained(assessor)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        grade(assessor, "d1", 3, client_uuid=answered.client_uuid)
    given = grade(assessor, "d1", 3)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        undo_judgment(actor=assessor, campaign=campaign, client_uuid=given.client_uuid)
    back = undo_judgment(actor=assessor, campaign=campaign, judgment_uuid=given.client_uuid)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        grade(assessor, "d1", 2, client_uuid=back.client_uuid)


def test_a_repeat_that_is_judged_without_its_token_is_done(repeat_plan, campaign, assessor, topic):
    said = {"actor": assessor, "campaign": campaign, "topic": topic}
    seen = []
    while (slot := claim_next(**said)) is not None and len(seen) < 20:
        seen.append(submit_judgment(**said, docno=slot.item.docno, grade=1).purpose)
    assert sorted(seen) == ["judge"] * 6 + ["repeat"] * 3


def test_a_word_under_an_older_lease_is_no_repeat_before_one_was_shown(
    repeat_plan, assessor, grade, next_of
):
    first = next_of(assessor)
    Slot.objects.filter(pk=first.pk).update(expires_at=first.leased_at)
    other_tab = next_of(assessor)
    grade(assessor, "x00", 1, token=other_tab.token)
    late = grade(assessor, "x00", 2, token=first.token)
    assert (late.purpose, late.revision) == ("judge", 2)


def test_a_repeat_that_was_taken_back_stays_one(
    repeat_plan, campaign, organizer, assessor, grade, next_of
):
    for _ in range(4):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, 1, token=slot.token)
    again = next_of(assessor)
    assert again.purpose == "repeat"
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 1
    assert grade(assessor, again.item.docno, 0, token=again.token).purpose == "repeat"


@pytest.fixture
def long_topic(campaign, organizer, assessor, assessor2) -> None:
    pool = make_pool(campaign, {"1": [f"x{n:03}" for n in range(260)]})
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor, assessor2]})


def lapse(slots, user) -> None:
    past = timezone.now() - timedelta(hours=2)
    slots.update(state="leased", assessor=user, leased_at=past, expires_at=past)


def test_what_is_held_comes_first_though_many_leases_have_run_out(
    long_topic, assessor, assessor2, next_of
):
    lapse(Slot.objects.filter(position__lt=250), assessor2)
    held = next_of(assessor)
    assert next_of(assessor).pk == held.pk


def test_a_lapsed_lease_that_another_takes_at_this_moment_is_not_handed_out(
    plan, assessor, assessor2, monkeypatch, next_of
):
    mine = next_of(assessor)
    lapse(Slot.objects.filter(pk=mine.pk), assessor)
    look = judgments.priority_slots

    def look_and_lose(*args):
        found = look(*args)
        lapse(Slot.objects.filter(pk=mine.pk), assessor2)
        Slot.objects.filter(pk=mine.pk).update(token=uuid4())
        return found

    monkeypatch.setattr(judgments, "priority_slots", look_and_lose)
    assert next_of(assessor).item.docno == "d2"


def test_what_was_on_screen_when_the_topic_was_handed_on_is_kept(
    plan, organizer, assessor, assessor2, grade, next_of
):
    slot = next_of(assessor)
    reassign_work(actor=organizer, plan=plan, assessor=assessor, to=[assessor2])
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot_id == slot.pk
    assert next_of(assessor) is None


def test_what_was_unsent_when_somebody_else_was_assigned_is_kept_as_an_extra(
    plan, organizer, assessor, assessor2, topic, grade, next_of
):
    slot = next_of(assessor)
    lapse(Slot.objects.filter(pk=slot.pk), assessor)
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor2]})
    assert next_of(assessor2).pk == slot.pk
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot is None
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor]})
    back = next_of(assessor)
    assert back.item.docno != slot.item.docno


def test_what_was_unsent_when_the_plan_was_closed_is_kept(
    plan, organizer, assessor, grade, next_of
):
    slot = next_of(assessor)
    lapse(Slot.objects.filter(pk=slot.pk), assessor)
    close_plan(actor=organizer, plan=plan)
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot is None
