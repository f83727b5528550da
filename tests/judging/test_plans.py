from __future__ import annotations

import re

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.models import Plan, Slot
from judging.services.assignments import assign_topics
from judging.services.plans import close_plan, create_plan, pause_plan
from judging.services.slots import pause_work, reassign_work
from tests.confirming import confirm, read_confirmation
from tests.pages import read_page
from tests.world.files import make_pool


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


def test_assign_replaces_the_people_of_a_topic(plan, organizer, assessor2, topic):
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor2]})
    assert [a.assessor for a in plan.assignments.filter(topic=topic)] == [assessor2]
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [assessor2]}) == 0
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [], "2": [assessor2]}) == 2
    assert not plan.assignments.filter(topic=topic).exists()


def test_a_closed_plan_stays_closed_and_keeps_its_date(plan, organizer, assessor, topic):
    assert (plan.state, plan.closed_at) == ("open", None)
    close_plan(actor=organizer, plan=plan)
    closed = Plan.objects.get(pk=plan.pk)
    assert (closed.state, plan.state) == ("closed", "closed")
    assert closed.closed_at == plan.closed_at is not None
    acts = [
        lambda: pause_plan(actor=organizer, plan=plan),
        lambda: pause_plan(actor=organizer, plan=plan, paused=False),
        lambda: pause_work(actor=organizer, plan=plan, assessor=assessor),
        lambda: assign_topics(actor=organizer, plan=plan, assessors={topic.number: []}),
        lambda: reassign_work(actor=organizer, plan=plan, assessor=assessor, to=[assessor]),
    ]
    for act in acts:
        with pytest.raises(ActionRefused, match="This plan was closed on") as refused:
            act()
        assert refused.value.code == "plan-closed"
    assert Plan.objects.get(pk=plan.pk).closed_at == closed.closed_at
    assert not Event.objects.filter(code__in=("plan.paused", "plan.resumed")).exists()


def test_a_plan_is_paused_and_resumed(plan, organizer):
    pause_plan(actor=organizer, plan=plan)
    assert Plan.objects.get(pk=plan.pk).state == plan.state == "paused"
    pause_plan(actor=organizer, plan=plan)
    pause_plan(actor=organizer, plan=plan, paused=False)
    assert Plan.objects.get(pk=plan.pk).state == plan.state == "open"
    codes = Event.objects.filter(code__startswith="plan.").order_by("pk")
    assert list(codes.values_list("code", flat=True)) == [
        "plan.created",
        "plan.paused",
        "plan.resumed",
    ]


def test_a_closed_plan_cannot_be_resumed_on_its_page(plan, organizer, campaign, as_user):
    client = as_user(organizer)
    client.post(reverse("plan-pause", args=[campaign.slug, plan.pk]), {"paused": "1"})
    page = reverse("judging", args=[campaign.slug])
    shown = read_page(client.get(page))
    assert "Resume" in shown
    assert "Close plan" in shown
    confirm(client, reverse("plan-close", args=[campaign.slug, plan.pk]))
    shown = read_page(client.get(page))
    assert "closed" in shown
    assert not {"Resume", "Pause</button>", "Close plan", "Assign topics"} & set(
        re.findall(r"Resume|Pause</button>|Close plan|Assign topics", shown)
    )
    resumed = client.post(reverse("plan-pause", args=[campaign.slug, plan.pk]), {"paused": "0"})
    assert resumed.status_code == 409
    assert Plan.objects.get().state == "closed"


def test_closing_once_more_cancels_expired_leases(plan, organizer, assessor, next_of):
    next_of(assessor)
    close_plan(actor=organizer, plan=plan)
    first = plan.closed_at
    event = Event.objects.filter(code="plan.closed").latest("pk")
    assert event.data == {"plan": plan.pk, "checked_out": 1}
    plan.slots.update(expires_at=timezone.now())
    assert close_plan(actor=organizer, plan=plan) == 1
    assert plan.closed_at == first


def test_expired_leases_of_a_closed_plan_are_canceled_by_a_page_of_their_own(
    plan, campaign, organizer, assessor, as_user, next_of
):
    next_of(assessor)
    close_plan(actor=organizer, plan=plan)
    plan.slots.update(expires_at=timezone.now())
    client, address = as_user(organizer), reverse("plan-close", args=[campaign.slug, plan.pk])
    page = read_page(client.get(address))
    assert "Cancel the expired leases of this closed plan?" in page
    assert "1 judgment with an expired lease is canceled." in page
    assert "Close this judging plan?" not in page
    assert "pause the plan instead" not in page
    confirm(client, address)
    shown = read_page(client.get(reverse("judging", args=[campaign.slug])))
    assert "1 expired lease canceled." in shown
    assert "Cancel expired leases" not in shown
    codes = Event.objects.filter(code__startswith="plan.").order_by("pk")
    assert list(codes.values_list("code", flat=True)) == [
        "plan.created",
        "plan.closed",
        "plan.leases_canceled",
    ]


def test_what_was_read_before_another_closed_the_plan_is_asked_anew(
    plan, campaign, organizer, as_user
):
    client, address = as_user(organizer), reverse("plan-close", args=[campaign.slug, plan.pk])
    form = read_confirmation(client.get(address))
    close_plan(actor=organizer, plan=plan)
    assert client.post(address, form).status_code == 409
