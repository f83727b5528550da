"""Shares handed on, people and topics paused, documents taken back."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.models import Slot
from judging.queries.invariants import list_violations
from judging.services.judgments import claim_ahead, claim_next
from judging.services.slots import pause_work, reassign_work, return_all_slots


def whose(plan) -> Counter[str]:
    return Counter(plan.slots.values_list("reserved_for__username", flat=True))


def test_handing_on_deals_the_reserved_to_who_has_no_part(
    dealt, campaign, organizer, assessor, assessor2, assessor3, grade, next_of
):
    own = dealt.slots.filter(reserved_for=assessor).order_by("position")
    grade(assessor, own[0].item.docno, 1)
    held = next_of(assessor)
    told = reassign_work(actor=organizer, plan=dealt, assessor=assessor, to=[assessor2, assessor3])
    assert told == {"returned": 1, "moved": 3, "topics": 1}
    held.refresh_from_db()
    assert (held.state, held.assessor) == ("open", None)
    assert held.reserved_for != assessor
    assert whose(dealt)["assessor"] == 1
    for pair in dealt.pool.items.all():
        people = list(dealt.slots.filter(item=pair).values_list("reserved_for", flat=True))
        assert len(set(people)) == 2
    assert not dealt.assignments.filter(assessor=assessor).exists()
    assert next_of(assessor) is None
    assert not any(count for _, count in list_violations(campaign))
    event = Event.objects.get(code="assignment.reassigned")
    assert event.data["moved"] == 3


def test_what_nobody_may_take_stays(dealt, organizer, assessor, assessor2, next_of):
    told = reassign_work(actor=organizer, plan=dealt, assessor=assessor, to=[assessor2])
    # Of the four documents of assessor two are shared with assessor2.
    assert (told["moved"], told["stayed"]) == (2, 2)
    assert whose(dealt)["assessor"] == 2
    assert dealt.assignments.filter(assessor=assessor).exists()
    assert next_of(assessor) is not None


def test_handing_topics_on_leaves_enough_people(
    double_plan, organizer, assessor, assessor2, assessor3, topic
):
    with pytest.raises(ActionRefused, match="too few would remain for 1, 2, 3"):
        reassign_work(actor=organizer, plan=double_plan, assessor=assessor, to=[assessor2])
    told = reassign_work(
        actor=organizer, plan=double_plan, assessor=assessor, to=[assessor3], topics=[topic]
    )
    assert told["topics"] == 1
    names = double_plan.assignments.filter(topic=topic).values_list("assessor__username", flat=True)
    assert sorted(names) == ["assessor2", "assessor3"]
    assert double_plan.assignments.filter(assessor=assessor).count() == 2


def test_handing_on_needs_an_assessor_who_is_another(
    double_plan, organizer, assessor, participant, assessor2
):
    with pytest.raises(ActionRefused, match="No assessor to reassign to"):
        reassign_work(actor=organizer, plan=double_plan, assessor=assessor, to=[assessor])
    with pytest.raises(ActionRefused, match="Not an assessor"):
        reassign_work(actor=organizer, plan=double_plan, assessor=assessor, to=[participant])
    with pytest.raises(PermissionDenied):
        reassign_work(actor=assessor, plan=double_plan, assessor=assessor, to=[assessor2])


def test_a_paused_assessor_gets_nothing_and_finishes_what_is_shown(
    double_plan, organizer, assessor, assessor2, grade, next_of
):
    held = next_of(assessor)
    assert pause_work(actor=organizer, plan=double_plan, assessor=assessor) == 3
    grade(assessor, held.item.docno, 1, token=held.token)
    assert next_of(assessor) is None
    assert next_of(assessor2) is not None
    assert pause_work(actor=organizer, plan=double_plan, assessor=assessor, paused=False) == 3
    assert next_of(assessor) is not None


def test_a_paused_topic_is_handed_to_nobody(
    double_plan, campaign, organizer, assessor, assessor2, topic, next_of
):
    assert pause_work(actor=organizer, plan=double_plan, topic=topic) == 2
    other = campaign.topics.get(number="2")
    for user in (assessor, assessor2):
        assert next_of(user) is None
        assert claim_next(actor=user, campaign=campaign, topic=other) is not None
    assert pause_work(actor=organizer, plan=double_plan, topic=topic) == 0
    with pytest.raises(ActionRefused, match="an assessor or a topic"):
        pause_work(actor=organizer, plan=double_plan)


def test_all_that_is_out_comes_back_at_once(
    double_plan, campaign, organizer, assessor, assessor2, grade, topic, next_of
):
    ahead = claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=3)
    next_of(assessor2)
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 3
    assert Slot.objects.filter(state="leased").count() == 1
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 0
    assert Event.objects.filter(code="slots.returned").count() == 1
    # What is judged all the same is kept, and fills the slot again.
    said = grade(assessor, ahead[0].item.docno, 2, token=ahead[0].token)
    assert said.slot is not None
