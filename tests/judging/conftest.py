from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from uuid import uuid4

import pytest

from campaigns.models import Campaign, Role, User
from judging.models import Judgment, Plan
from judging.queries.remaining import remaining_by_topic
from judging.services.judgments import submit_judgment
from judging.services.plans import create_plan
from pooling.models import Pool, PoolItem
from tests.conftest import joined


def make_pool(campaign: Campaign, pairs: dict[str, list[str]], version: int = 1) -> Pool:
    """A frozen pool with everything that must not leak: run tags, ranks, contributors."""
    pool = Pool.objects.create(
        campaign=campaign,
        version=version,
        spec={"method": "depth", "depth": 3, "runs": [{"tag": "SECRETRUN", "team": "SECRETTEAM"}]},
        inputs_hash=f"{version}".zfill(64),
        size=sum(map(len, pairs.values())),
        frozen_by=campaign.created_by,
    )
    topics = {topic.number: topic for topic in campaign.topics.all()}
    PoolItem.objects.bulk_create(
        PoolItem(
            pool=pool,
            topic=topics[number],
            docno=docno,
            min_rank=98765432,
            contributors=b"\x00\x00",
            position=at,
        )
        for number, docnos in pairs.items()
        for at, docno in enumerate(docnos)
    )
    return pool


@pytest.fixture
def pool(campaign) -> Pool:
    """Topic 1: d1 d2 d3 d4 in this order; topic 2: d5 d6; topic 3: d7 d8 d9."""
    pairs = {"1": ["d1", "d2", "d3", "d4"], "2": ["d5", "d6"], "3": ["d7", "d8", "d9"]}
    return make_pool(campaign, pairs)


@pytest.fixture
def plan(pool, organizer, assessor) -> Plan:
    """Overlap 1; all topics are assigned to ``assessor``."""
    people = {number: [assessor] for number in "123"}
    return create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)


@pytest.fixture
def double_plan(pool, organizer, assessor, assessor2) -> Plan:
    """Overlap 2; all topics are assigned to both assessors."""
    people = {number: [assessor, assessor2] for number in "123"}
    return create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)


@pytest.fixture
def assessor3(campaign) -> User:
    return joined(campaign, "assessor3", Role.ASSESSOR)


@pytest.fixture
def topic(campaign):
    return campaign.topics.get(number="1")


@pytest.fixture
def grade(campaign, topic) -> Callable[..., Judgment]:
    """``grade(user, docno, value)``: one judgment on topic 1."""

    def give(user: User, docno: str, value: int, **more: object) -> Judgment:
        more = {"topic": topic, "client_uuid": uuid4(), **more}
        return submit_judgment(actor=user, campaign=campaign, docno=docno, grade=value, **more)

    return give


def waiting(assessor: User, campaign: Campaign) -> Counter[int]:
    """By topic id, the number of documents that wait for ``assessor``."""
    parts = remaining_by_topic(assessor, campaign)
    return Counter({topic: part.count for topic, part in parts.items()})
