from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.errors import Refused
from campaigns.models import Event
from judging.models import Slot
from judging.services.plans import assign, assign_all, make_plan
from tests.judging.conftest import make_pool


def test_make_plan_makes_overlap_slots_a_pair(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2], "2": [assessor2, assessor]}
    plan = make_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert plan.slots.count() == 18
    assert set(plan.slots.values_list("state", flat=True)) == {"open"}
    assert plan.assignments.count() == 4
    assert Event.objects.filter(verb="made a judging plan").get().data["pairs"] == 9


def test_make_plan_refuses_too_few_assessors_for_the_overlap(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2], "2": [assessor], "3": [assessor2, assessor2]}
    with pytest.raises(Refused, match="fewer are named for 2, 3"):
        make_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert not Slot.objects.exists()


def test_make_plan_refuses_strangers_and_unknown_topics(pool, organizer, assessor, participant):
    with pytest.raises(Refused, match=r"Not an assessor of this campaign: participant\."):
        make_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [participant]})
    with pytest.raises(Refused, match="no topic 9"):
        make_plan(actor=organizer, pool=pool, overlap=1, assessors={"9": [assessor]})
    with pytest.raises(PermissionDenied):
        make_plan(actor=assessor, pool=pool, overlap=1, assessors={})


def test_make_plan_leaves_out_pairs_of_an_earlier_plan(plan, campaign, organizer, assessor):
    wider = make_pool(campaign, {"1": ["d9", "d1", "d2"], "2": ["d1"]}, version=2)
    second = make_plan(actor=organizer, pool=wider, overlap=1, assessors={"1": [assessor]})
    pairs = set(second.slots.values_list("topic__number", "item__docno"))
    assert pairs == {("1", "d9"), ("2", "d1")}
    with pytest.raises(Refused, match="in a plan already"):
        make_plan(actor=organizer, pool=wider, overlap=1, assessors={})


def test_assign_replaces_the_people_of_a_topic(plan, organizer, assessor, assessor2, topic):
    assign(actor=organizer, plan=plan, topic=topic, assessors=[assessor2])
    assert [a.assessor for a in plan.assignments.filter(topic=topic)] == [assessor2]
    assert assign_all(actor=organizer, plan=plan, assessors={"1": [assessor2]}) == 0
    assert assign_all(actor=organizer, plan=plan, assessors={"1": [], "2": [assessor2]}) == 2
    assert not plan.assignments.filter(topic=topic).exists()
