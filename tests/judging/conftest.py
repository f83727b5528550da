import json
from collections import Counter
from collections.abc import Callable

import pytest

from campaigns.models import Campaign, Document, Role, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.people import add_member
from judging.models import Judgment, Plan, Qrels, Slot
from judging.queries.remaining import remaining_by_topic
from judging.services.judgments import claim_next
from judging.services.plans import PlanOptions, create_plan
from judging.services.qrels import freeze_qrels
from poolbench.judging import repeats
from pooling.models import Pool
from tests.confirming import call_view
from tests.world.files import make_pool
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
def growing_plan(restore, team, assessor):
    for layer in ("growing_runs", "growing_pool"):
        restore(layer)
    return restore("growing_plan")


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
def skip(campaign, topic) -> Callable[..., Judgment]:
    """``skip(user, docno, reason)``: a document of topic 1 that ``user`` does not judge."""

    def give(user: User, docno: str, reason: str = "undecided", **more: object) -> Judgment:
        more = {"topic": topic, **more}
        return submit_judgment(actor=user, campaign=campaign, docno=docno, reason=reason, **more)

    return give


@pytest.fixture
def release(organizer, campaign) -> Callable[..., Qrels]:
    """``release(policy)``: qrels frozen by ``policy``."""
    return lambda policy="single", **more: freeze_qrels(
        actor=organizer, campaign=campaign, policy=policy, **more
    )


@pytest.fixture
def next_of(campaign, topic) -> Callable[[User], Slot | None]:
    """``next_of(user)``: the next document of topic 1, checked out to them."""
    return lambda user: claim_next(actor=user, campaign=campaign, topic=topic)


@pytest.fixture
def call():
    """``call(view_set, user, action, method, data)``: status and answer, without a router."""

    def ask(*asked, **options):
        answer = call_view(*asked, **options)
        is_json = answer["Content-Type"] == "application/json"
        return answer.status_code, json.loads(answer.content) if is_json else answer.content

    return ask


@pytest.fixture
def repeat_plan(campaign, organizer, assessor, monkeypatch) -> Plan:
    """Six documents of topic 1; those with three others after them come to their assessor again."""
    monkeypatch.setattr(repeats, "SOONEST", 3)
    monkeypatch.setattr(repeats, "LATEST", 3)
    pool = make_pool(campaign, {"1": [f"x{n:02}" for n in range(6)]})
    plan = create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    Plan.objects.filter(pk=plan.pk).update(repeat_share=1.0)
    return plan


@pytest.fixture
def dealt(campaign, organizer, assessor, assessor2, assessor3):
    """Round-robin of two among three: 6 documents of topic 1, 4 judgments for each."""
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(1, 7)]})
    people = {"1": [assessor, assessor2, assessor3]}
    scheme = PlanOptions("round-robin", {"n": 2})
    return create_plan(actor=organizer, pool=pool, assessors=people, scheme=scheme)


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
