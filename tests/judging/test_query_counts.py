"""What ``next`` and ``submit`` ask of the database does not grow with the pool."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Topic
from judging.models import Plan
from judging.services.judgments import claim_ahead, claim_next
from judging.services.plans import create_plan
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

NEXT, AHEAD_OF_THREE, SUBMIT = 6, 8, 9
TRANSACTIONS = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SELECT pg_advisory")


def asked(queries: CaptureQueriesContext) -> list[str]:
    """The queries but for those that open, close and lock the transaction."""
    told = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in told if not sql.startswith(TRANSACTIONS)]


@pytest.fixture(params=[1_000, 10_000])
def big_topic(request, campaign, organizer, assessor, assessor2) -> Topic:
    """A topic with so many pairs, its first hundred judged by both assessors' plan."""
    topic = Topic.objects.create(campaign=campaign, number="big", title="big", position=9)
    pool = make_pool(campaign, {"big": [f"x{n:06}" for n in range(request.param)]})
    create_plan(actor=organizer, pool=pool, overlap=2, assessors={"big": [assessor, assessor2]})
    return topic


def test_next_and_submit_cost_the_same_in_any_pool(big_topic, campaign, assessor):
    args = {"actor": assessor, "campaign": campaign, "topic": big_topic}
    with CaptureQueriesContext(connection) as queries:
        slot = claim_next(**args)
    assert len(asked(queries)) <= NEXT, asked(queries)
    said = {"docno": slot.item.docno, "grade": 1, "token": slot.token}
    with CaptureQueriesContext(connection) as queries:
        submit_judgment(**args, **said)
    assert len(asked(queries)) <= SUBMIT, asked(queries)
    with CaptureQueriesContext(connection) as queries:
        assert len(claim_ahead(**args, count=3)) == 3
    assert len(asked(queries)) <= AHEAD_OF_THREE, asked(queries)


def test_a_third_and_a_repeat_cost_a_few_queries_more(plan, campaign, assessor, topic, next_of):
    Plan.objects.update(third_from=1, repeat_share=1.0)
    slot = next_of(assessor)
    said = {"docno": slot.item.docno, "grade": 1, "token": slot.token}
    with CaptureQueriesContext(connection) as queries:
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)
    assert len(asked(queries)) <= SUBMIT + 11, asked(queries)
