from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from campaigns.models import Campaign, Document, Role, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.people import add_member
from judging.models import Judgment, Plan
from judging.queries.remaining import remaining_by_topic
from pooling.models import Pool
from tests.world.judgments import submit_judgment
from tests.world.people import SCALE


@pytest.fixture
def pool(restore, campaign) -> Pool:
    """Topic 1: d1 d2 d3 d4 in this order; topic 2: d5 d6; topic 3: d7 d8 d9."""
    return restore("pool")


@pytest.fixture
def plan(restore, pool, assessor) -> Plan:
    """Overlap 1; all topics are assigned to ``assessor``."""
    return restore("plan")


@pytest.fixture
def double_plan(restore, pool, assessor, assessor2) -> Plan:
    """Overlap 2; all topics are assigned to both assessors."""
    return restore("double_plan")


@pytest.fixture
def assessor3(restore, campaign) -> User:
    return restore("assessor3")


@pytest.fixture
def topic(campaign):
    return campaign.topics.get(number="1")


@pytest.fixture
def grade(campaign, topic) -> Callable[..., Judgment]:
    """``grade(user, docno, value)``: one judgment on topic 1."""

    def give(user: User, docno: str, value: int, **more: object) -> Judgment:
        more = {"topic": topic, **more}
        return submit_judgment(actor=user, campaign=campaign, docno=docno, grade=value, **more)

    return give


@pytest.fixture
def elsewhere(campaign, organizer) -> Campaign:
    """A second campaign of the same assessors, topics and documents, without a judgment."""
    made = create_campaign(actor=organizer, title="Again", slug="again", scale=SCALE)
    Topic.objects.bulk_create(Topic(campaign=made, number=n, title=n) for n in "123")
    Document.objects.bulk_create(Document(campaign=made, docno=f"d{n}") for n in range(1, 10))
    for member in campaign.members.filter(role=Role.ASSESSOR):
        add_member(actor=organizer, campaign=made, user=member.user, role=Role.ASSESSOR)
    return made


def waiting(assessor: User, campaign: Campaign) -> Counter[int]:
    """By topic id, the number of documents that wait for ``assessor``."""
    parts = remaining_by_topic(assessor, campaign)
    return Counter({topic: part.count for topic, part in parts.items()})
