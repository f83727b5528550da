from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.models import Plan, Slot
from judging.services.assignments import assign_topic, assign_topics
from judging.services.judgments import claim_next
from judging.services.plans import close_plan, create_plan, pause_plan
from tests.judging.conftest import make_pool


def test_make_plan_makes_overlap_slots_a_pair(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2], "2": [assessor2, assessor]}
    plan = create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert plan.slots.count() == 18
    assert set(plan.slots.values_list("state", flat=True)) == {"open"}
    assert plan.assignments.count() == 4
    assert Event.objects.filter(code="plan.created").get().data["pairs"] == 9


def test_make_plan_refuses_too_few_assessors_for_the_overlap(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2], "2": [assessor], "3": [assessor2, assessor2]}
    with pytest.raises(ActionRefused, match="too few for 2, 3"):
        create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert not Slot.objects.exists()


def test_make_plan_refuses_strangers_and_unknown_topics(pool, organizer, assessor, participant):
    with pytest.raises(ActionRefused, match=r"Not an assessor of this campaign: participant\."):
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [participant]})
    with pytest.raises(ActionRefused, match="Unknown topic: 9"):
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"9": [assessor]})
    with pytest.raises(PermissionDenied):
        create_plan(actor=assessor, pool=pool, overlap=1, assessors={})


def test_make_plan_leaves_out_pairs_of_an_earlier_plan(plan, campaign, organizer, assessor):
    wider = make_pool(campaign, {"1": ["d9", "d1", "d2"], "2": ["d1"]}, version=2)
    second = create_plan(actor=organizer, pool=wider, overlap=1, assessors={"1": [assessor]})
    pairs = set(second.slots.values_list("topic__number", "item__docno"))
    assert pairs == {("1", "d9"), ("2", "d1")}
    with pytest.raises(ActionRefused, match="already in a plan"):
        create_plan(actor=organizer, pool=wider, overlap=1, assessors={})


def test_assign_replaces_the_people_of_a_topic(plan, organizer, assessor, assessor2, topic):
    assign_topic(actor=organizer, plan=plan, topic=topic, assessors=[assessor2])
    assert [a.assessor for a in plan.assignments.filter(topic=topic)] == [assessor2]
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [assessor2]}) == 0
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [], "2": [assessor2]}) == 2
    assert not plan.assignments.filter(topic=topic).exists()


def test_closing_sets_the_time_and_resuming_clears_it(plan, organizer):
    assert plan.closed_at is None
    close_plan(actor=organizer, plan=plan)
    closed = Plan.objects.get(pk=plan.pk)
    assert closed.paused
    assert closed.closed_at == plan.closed_at is not None
    pause_plan(actor=organizer, plan=plan)
    assert Plan.objects.get(pk=plan.pk).closed_at == plan.closed_at == closed.closed_at
    pause_plan(actor=organizer, plan=plan, paused=False)
    resumed = Plan.objects.get(pk=plan.pk)
    assert (resumed.paused, resumed.closed_at, plan.closed_at) == (False, None, None)


def test_closing_once_more_cancels_expired_leases(plan, campaign, organizer, assessor, topic):
    claim_next(actor=assessor, campaign=campaign, topic=topic)
    close_plan(actor=organizer, plan=plan)
    first = plan.closed_at
    event = Event.objects.filter(code="plan.closed").latest("pk")
    assert event.data == {"plan": plan.pk, "checked_out": 1}
    plan.slots.update(expires_at=timezone.now())
    assert close_plan(actor=organizer, plan=plan) == 1
    assert plan.closed_at > first
