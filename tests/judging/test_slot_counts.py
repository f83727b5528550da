"""Counts from the index and the log in memory against queries; and how many queries acts need."""

from collections import Counter
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns.models import Topic
from judging.models import Plan, Purpose, Slot
from judging.queries.overview import unplanned_counts
from judging.queries.own_judgments import list_own_judgments
from judging.queries.progress import EPOCH, MICROSECOND, list_moments
from judging.queries.remaining import remaining_by_topic
from judging.queries.screen import current_judgments_by
from judging.queries.slot_counts import (
    count_campaign_slots,
    count_pairs_without_plan,
    count_slots_to_judge,
    list_plans,
    list_shared_topics,
)
from judging.queries.training import list_agreed_pairs
from judging.services.judgments import claim_ahead, claim_next, undo_judgment
from judging.services.plans import create_plan
from poolbench.cache import clear_caches
from poolbench.shared_reads import share_reads
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

State = Slot.State


@pytest.fixture
def mixed(campaign, pool, organizer, assessor, assessor2):
    """Topic 1 is judged by two assessors, the others by one of them."""
    both, people = {"1": [assessor, assessor2]}, [assessor, assessor2]
    create_plan(actor=organizer, pool=pool, overlap=2, assessors=both, topics=["1"])
    rest = {t.number: people for t in campaign.topics.exclude(number="1")}
    create_plan(actor=organizer, pool=pool, overlap=1, assessors=rest)
    return campaign


def check_remaining(campaign, *people) -> None:
    """The forecast for all topics, which looks at few documents, is that for each alone."""
    clear_caches()
    for user in people:
        everything = remaining_by_topic(user, campaign)
        for topic in campaign.topics.all():
            alone = remaining_by_topic(user, campaign, {topic.pk})
            assert alone.get(topic.pk) == everything.get(topic.pk), (user, topic)


def test_what_remains_is_the_same_for_all_topics_and_for_each(
    mixed, assessor, assessor2, topic, grade, skip
):
    other = mixed.topics.get(number="2")
    assert list_shared_topics(mixed) == {topic.pk}
    check_remaining(mixed, assessor, assessor2)
    grade(assessor, "d1", 1)
    skip(assessor2, "d1", "broken")
    claim_next(actor=assessor, campaign=mixed, topic=other)
    check_remaining(mixed, assessor, assessor2)
    Slot.objects.filter(state=Slot.State.LEASED).update(
        expires_at=timezone.now() - timedelta(minutes=1)
    )
    check_remaining(mixed, assessor, assessor2)


def test_counts_of_a_part_are_those_of_all_slots(mixed, assessor, assessor2, grade, skip, next_of):
    """By plan and state, of an assessor, of a state: at once after each act, in a view or not."""
    plans = list_plans(mixed)

    def check(judged: int) -> None:
        rows = count_campaign_slots(mixed)
        whole = Counter[tuple[int, str]]()
        for row in rows:
            whole[row.plan, row.state] += row.size
        own = [row for row in rows if row.assessor == assessor.pk]
        leased = [row for row in rows if row.state == State.LEASED]
        for is_read in (False, True):

            @share_reads
            def view(is_read: bool = is_read) -> tuple[object, ...]:
                if is_read:
                    count_campaign_slots(mixed)
                counts = +count_slots_to_judge(plans)
                narrow = ({"assessor": assessor.pk}, {"state": State.LEASED})
                return counts, *(sorted(count_campaign_slots(mixed, **each)) for each in narrow)

            assert view() == (whole, sorted(own), sorted(leased))
        assert sum(whole[plan, State.JUDGED] for plan in plans) == judged

    check(0)
    grade(assessor, "d1", 1)
    check(1)
    skip(assessor2, "d1", "broken")
    next_of(assessor)
    check(1)
    grade(assessor2, "d2", 1)
    check(2)
    undo_judgment(actor=assessor2, campaign=mixed)
    check(1)


def test_unjudged_documents_are_counted_once(mixed, assessor, assessor2, grade):
    pairs = {(row.topic_id, row.item_id) for row in Slot.objects.filter(plan__campaign=mixed)}
    assert sum(row.size for row in count_campaign_slots(mixed)) > len(pairs)
    assert unplanned_counts(mixed)["unjudged"] == len(pairs)
    grade(assessor, "d1", 1)
    assert unplanned_counts(mixed)["unjudged"] == len(pairs) - 1
    grade(assessor2, "d1", 1)
    assert unplanned_counts(mixed)["unjudged"] == len(pairs) - 1


def test_pairs_in_no_plan_are_counted_by_topic(campaign, organizer, assessor, assessor2):
    both = {"1": [assessor, assessor2]}
    first = make_pool(campaign, {"1": ["d1", "d2"], "2": ["d1", "d2"]})
    create_plan(actor=organizer, pool=first, overlap=2, assessors=both, topics=["1"])
    one, two = (campaign.topics.get(number=number).pk for number in "12")
    assert count_pairs_without_plan(first) == {two: 2}
    # The second has d1 and d2 of topic 1, which are in the plan of the first.
    second = make_pool(campaign, {"1": ["d1", "d2", "d3"], "2": ["d1"]}, version=2)
    assert count_pairs_without_plan(second) == {one: 1, two: 1}
    assert unplanned_counts(campaign)["unplanned"] == 2
    rest = {"1": [assessor, assessor2], "2": [assessor]}
    create_plan(actor=organizer, pool=second, overlap=1, assessors=rest)
    assert count_pairs_without_plan(second) == {}
    assert unplanned_counts(campaign)["unplanned"] == 0


def test_own_judgments_are_those_of_the_database(
    double_plan, campaign, assessor, assessor2, topic, grade, skip
):
    for docno, value in (("d1", 0), ("d2", 2), ("d1", 3), ("d3", 2)):
        grade(assessor, docno, value)
    grade(assessor2, "d1", 1)
    skip(assessor, "d4", "broken")
    undo_judgment(actor=assessor, campaign=campaign)
    wanted = list(current_judgments_by(campaign, assessor))
    own = list_own_judgments(campaign, assessor)
    assert len(wanted) > 2
    assert list(own) == own[:10] == wanted
    assert own[0] == wanted[0]
    twos = [row for row in wanted if row.grade == 2]
    assert list(own.select_grade(2)) == twos
    assert list(own.select_topic(topic.number)) == wanted
    assert not own.select_topic("no such topic")
    assert not own.select_skips()
    assert {row.purpose for row in own} == {Purpose.JUDGE}


def test_times_of_judgments_are_read_once(double_plan, campaign, assessor, grade):
    def list_times() -> list[int]:
        log = campaign.judgments.order_by("pk")
        (moments,) = list_moments(
            campaign, {assessor.pk: np.array(log.values_list("pk", flat=True))}
        ).values()
        assert [EPOCH + at * MICROSECOND for at in moments.tolist()] == list(
            log.values_list("judged_at", flat=True)
        )
        return moments.tolist()

    for docno in ("d1", "d2", "d3"):
        grade(assessor, docno, 1)
    first = list_times()
    with CaptureQueriesContext(connection) as queries:
        assert list_times() == first
    assert len(queries) == 2
    grade(assessor, "d4", 1)
    assert list_times()[:3] == first


def test_agreed_pairs_come_with_most_assessors_first(
    double_plan, campaign, assessor, assessor2, grade
):
    for docno, grades in {"d1": (1, 2), "d3": (2, 2), "d2": (0,)}.items():
        for user, value in zip((assessor, assessor2), grades, strict=False):
            grade(user, docno, value)
    rows = [(row.docno, row.grade, row.count) for row in list_agreed_pairs(campaign)]
    assert rows == [("d3", 2, 2), ("d2", 0, 1)]
    assert [row.docno for row in list_agreed_pairs(campaign, limit=1)] == ["d3"]


NEXT, AHEAD, SUBMIT = 6, 7, 6
TRANSACTIONS = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SELECT pg_advisory")


def asked(queries: CaptureQueriesContext) -> list[str]:
    """The queries but for those that open, close and lock the transaction."""
    told = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in told if not sql.startswith(TRANSACTIONS)]


@pytest.fixture(params=[1_000, pytest.param(10_000, marks=pytest.mark.full)])
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
        assert len(claim_ahead(**args, count=12)) == 12
    assert len(asked(queries)) <= AHEAD, asked(queries)


def test_a_third_and_a_repeat_cost_a_few_queries_more(plan, campaign, assessor, topic, next_of):
    Plan.objects.update(third_from=1, repeat_share=1.0)
    slot = next_of(assessor)
    said = {"docno": slot.item.docno, "grade": 1, "token": slot.token}
    with CaptureQueriesContext(connection) as queries:
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)
    assert len(asked(queries)) <= SUBMIT + 11, asked(queries)


def test_a_request_reads_the_roles_once(plan, campaign, assessor, topic, next_of, client):
    slot = next_of(assessor)
    client.force_login(assessor)
    act = {"act": "judge", "uuid": str(uuid4()), "topic": topic.number, "docno": slot.item.docno,
           "token": str(slot.token), "grade": 1}  # fmt: skip
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(
            f"/c/{campaign.slug}/judge-acts/", {"acts": [act]}, content_type="application/json"
        )
    assert answer.json()["results"][0]["ok"]
    roles = [sql for sql in asked(queries) if sql.startswith('SELECT "campaigns_member"."role"')]
    assert len(roles) == 1
