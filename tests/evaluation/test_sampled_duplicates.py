"""The same text judged once, and samples: what is drawn is judged itself."""

from __future__ import annotations

import pytest

from campaigns.errors import ActionRefused
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from evaluation.queries.estimate_inputs import decide_pairs_of_frame, load_estimate_inputs
from judging.models import PropagatedPair
from judging.queries.invariants import list_violations
from judging.queries.judgments import load_log_reader
from judging.queries.slot_counts import count_pairs_without_plan
from judging.services.crowd_plans import PlanOptions
from judging.services.plans import create_plan
from pooling.queries.frozen_pools import load_sample_plan
from tests.evaluation.samples import judge, list_order
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

pytestmark = pytest.mark.django_db


@pytest.fixture
def earlier(organizer, sampled, assessor):
    """A pair of the sample that has the grade of another, by a plan of an earlier pool."""
    group_campaign_duplicates(request_duplicates(sampled.campaign))
    # d10 and later have the same text.
    same = [pair for pair in list_order(sampled) if int(pair[1][1:]) >= 10]
    topic = same[0][0]
    docnos = [docno for number, docno in same if number == topic][:2]
    pool = make_pool(sampled.campaign, {topic: docnos}, 2)
    scheme = PlanOptions(parameters={"n": 1}, propagate=True)
    create_plan(actor=organizer, pool=pool, assessors={topic: [assessor]}, scheme=scheme)
    pair = PropagatedPair.objects.get()
    args = {"campaign": sampled.campaign, "topic": pair.topic, "docno": pair.original}
    submit_judgment(actor=assessor, grade=3, **args)
    assert sampled.campaign.judgments.get(docno=pair.docno).grade == 3
    return pair


def list_grades(pool):
    """By pair of the frame, the grades that estimates take for measured."""
    reader, (plan, _) = load_log_reader(pool.campaign), load_sample_plan(pool)
    grades, done = decide_pairs_of_frame(pool, plan, reader, "majority", None)
    assert (done == (grades >= 0)).all()
    names = (plan.frame.topics[at] for at in plan.frame.topic_index.tolist())
    pairs = zip(names, map(str, plan.frame.docnos), strict=True)
    return {pair: grade for pair, grade in zip(pairs, grades.tolist(), strict=True) if grade >= 0}


def test_a_drawn_pair_counts_by_its_own_judgment(organizer, sampled, assessor, earlier):
    """The assessor gives one text different grades, of which the first was propagated."""
    topic, order = earlier.topic.number, list_order(sampled)
    assert list_grades(sampled) == {(topic, earlier.original): 3}
    people = {number: [assessor] for number in "123"}
    assert sum(count_pairs_without_plan(sampled).values()) == 31
    plan = create_plan(actor=organizer, pool=sampled, assessors=people)
    assert (plan.slots.count(), PropagatedPair.objects.count()) == (31, 0)
    assert not any(count for _, count in list_violations(sampled.campaign))
    judge(sampled, assessor, [pair for pair in order if pair != (topic, earlier.original)])
    own = {(number, docno): int(int(docno[1:]) <= 7) for number, docno in order}
    assert list_grades(sampled) == own | {(topic, earlier.original): 3}
    assert load_estimate_inputs(sampled, "majority").used == 32


def test_a_plan_of_a_sample_cannot_judge_the_same_text_once(organizer, sampled, assessor):
    group_campaign_duplicates(request_duplicates(sampled.campaign))
    scheme = PlanOptions(parameters={"n": 1}, propagate=True)
    with pytest.raises(ActionRefused) as refused:
        create_plan(actor=organizer, pool=sampled, assessors={"1": [assessor]}, scheme=scheme)
    assert refused.value.code == "pool-sampled"
