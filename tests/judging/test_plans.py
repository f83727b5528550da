from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.models import Slot
from judging.services.assignments import assign_topic, assign_topics
from judging.services.plans import create_plan
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
    with pytest.raises(ActionRefused, match="fewer are named for 2, 3"):
        create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert not Slot.objects.exists()


def test_make_plan_refuses_strangers_and_unknown_topics(pool, organizer, assessor, participant):
    with pytest.raises(ActionRefused, match=r"Not an assessor of this campaign: participant\."):
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [participant]})
    with pytest.raises(ActionRefused, match="no topic 9"):
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"9": [assessor]})
    with pytest.raises(PermissionDenied):
        create_plan(actor=assessor, pool=pool, overlap=1, assessors={})


def test_make_plan_leaves_out_pairs_of_an_earlier_plan(plan, campaign, organizer, assessor):
    wider = make_pool(campaign, {"1": ["d9", "d1", "d2"], "2": ["d1"]}, version=2)
    second = create_plan(actor=organizer, pool=wider, overlap=1, assessors={"1": [assessor]})
    pairs = set(second.slots.values_list("topic__number", "item__docno"))
    assert pairs == {("1", "d9"), ("2", "d1")}
    with pytest.raises(ActionRefused, match="in a plan already"):
        create_plan(actor=organizer, pool=wider, overlap=1, assessors={})


def test_assign_replaces_the_people_of_a_topic(plan, organizer, assessor, assessor2, topic):
    assign_topic(actor=organizer, plan=plan, topic=topic, assessors=[assessor2])
    assert [a.assessor for a in plan.assignments.filter(topic=topic)] == [assessor2]
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [assessor2]}) == 0
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [], "2": [assessor2]}) == 2
    assert not plan.assignments.filter(topic=topic).exists()
