"""What organizers and assessors are told of a pool that grows."""

from __future__ import annotations

from collections import Counter

from django.urls import reverse

from campaigns.lifecycle.status import get_campaign_status
from judging.lifecycle import is_judging_done
from judging.models import Slot
from judging.queries.progress import assessor_progress, plan_progress
from judging.services.assignments import assign_topics
from judging.services.plans import PlanOptions, close_plan, create_plan, pause_plan, preview_plan
from poolbench.pooling.spec_file import read_spec
from pooling.queries.adaptive_pools import future_documents
from pooling.services.freeze import freeze_pool
from tests.judging.conftest import waiting
from tests.judging.test_growing import plan, pool, runs, said, worked
from tests.pages import read_page

__all__ = ["plan", "pool", "runs"]


def test_the_organizer_sees_what_is_to_come(
    plan, campaign, organizer, assessor, topic, as_user, next_of
):
    address = reverse("judging", args=[campaign.slug])
    (found,) = plan_progress(campaign)
    assert (found.tally.total, found.tally.coming, found.tally.left) == (3, 6, 9)
    assert "of 3, at most 6 more as the pool grows" in read_page(as_user(organizer).get(address))
    for _ in range(3):
        said(assessor, next_of(assessor), 0)
    (found,) = plan_progress(campaign)
    assert (found.tally.open, found.tally.percent) == (0, 33)
    (row,) = assessor_progress(campaign, [found])
    assert row.remaining == 6
    worked(assessor, campaign, topic)
    (found,) = plan_progress(campaign)
    assert (found.tally.total, found.tally.coming, found.tally.percent) == (9, 0, 100)
    assert "as the pool grows" not in read_page(as_user(organizer).get(address))


def test_a_plan_tells_what_is_to_come(pool, organizer, assessor):
    seen = preview_plan(
        actor=organizer,
        pool=pool,
        scheme=PlanOptions("overlap", {"n": 1}),
        assessors={"1": [assessor]},
    )
    assert (len(seen.allocation.pairs), seen.coming, seen.planned_before) == (3, 6, 0)


def test_a_plan_without_any_document_yet_is_at_work(
    campaign, organizer, assessor, topic, runs, as_user
):
    spec = read_spec("{budget: {per_topic: 4}, steps: [{method: maxmean}]}")
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    plan = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    (found,) = plan_progress(campaign)
    assert [(row.topic, row.tally.coming) for row in found.topics] == [(topic, 4)]
    client = as_user(organizer)
    head = read_page(client.get(campaign.get_absolute_url()))
    assert "The pool has no assessors" not in head
    assert "Monitor judging" in head
    assigning = read_page(client.get(reverse("plan-assign", args=[campaign.slug, plan.pk])))
    assert f"judges topic {topic.number}" in assigning


def test_while_a_pool_grows_not_everything_is_judged(
    plan, campaign, organizer, assessor, topic, next_of
):
    for _ in range(3):
        said(assessor, next_of(assessor), 0)
    assert not is_judging_done(get_campaign_status(campaign, organizer))
    worked(assessor, campaign, topic)
    assert is_judging_done(get_campaign_status(campaign, organizer))


def test_a_closed_plan_expects_nothing(plan, campaign, organizer):
    close_plan(actor=organizer, plan=plan)
    (found,) = plan_progress(campaign)
    assert found.tally.left == 0


def test_two_plans_on_one_pool_expect_its_documents_once(
    plan, pool, campaign, organizer, assessor, assessor2, topic
):
    again = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    assert waiting(assessor, campaign) == {topic.pk: 9}
    coming = {found.plan: found.tally.coming for found in plan_progress(campaign)}
    assert coming == {plan: 6, again: 0}
    worked(assessor, campaign, topic)
    assert waiting(assessor, campaign) == {}
    assert Counter(Slot.objects.values_list("plan", flat=True)) == {plan.pk: 9}


def test_the_plan_that_has_people_on_the_topic_asks(
    plan, pool, campaign, organizer, assessor2, topic
):
    again = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor2]})

    def coming() -> list[int]:
        return [found.tally.coming for found in reversed(plan_progress(campaign))]

    assign_topics(actor=organizer, plan=plan, assessors={topic.number: []})
    assert coming() == [0, 6]
    assign_topics(actor=organizer, plan=again, assessors={topic.number: []})
    assert coming() == [6, 0]
    pause_plan(actor=organizer, plan=plan)
    assert coming() == [6, 0]  # a pause is no end
    close_plan(actor=organizer, plan=plan)
    assert coming() == [0, 0]


def test_nothing_is_to_come_of_what_is_complete_or_does_not_grow(
    plan, pool, campaign, assessor, topic
):
    assert (
        future_documents([pool.pk])
        == future_documents([pool.pk], [topic.pk])
        == {(pool.pk, topic.pk): 6}
    )
    assert future_documents([pool.pk], [topic.pk + 1]) == future_documents([]) == {}
    worked(assessor, campaign, topic)
    assert future_documents([pool.pk]) == {}
