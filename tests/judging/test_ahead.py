"""Documents handed out ahead: leased in order, renewed, given back."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from campaigns.errors import ActionRefused
from judging.models import Judgment, Slot
from judging.services.judgments import (
    claim_ahead,
    claim_next,
    release_leases,
    renew_leases,
    undo_judgment,
)
from tests.world.judgments import submit_judgment


def docnos(slots: list[Slot]) -> list[str]:
    return [slot.item.docno for slot in slots]


def test_ahead_leases_in_order_and_keeps_what_is_held(plan, campaign, assessor, topic, grade):
    args = {"actor": assessor, "campaign": campaign, "topic": topic}
    first = claim_ahead(**args, count=2)
    assert docnos(first) == ["d1", "d2"]
    again = claim_ahead(**args, count=3)
    assert docnos(again) == ["d1", "d2", "d3"]
    assert [slot.token for slot in again[:2]] == [slot.token for slot in first]
    grade(assessor, "d1", 1, token=again[0].token)
    assert docnos(claim_ahead(**args, count=3)) == ["d2", "d3", "d4"]
    assert claim_next(**args).item.docno == "d2"


def test_ahead_gives_each_pair_once_at_overlap(double_plan, campaign, assessor, assessor2, topic):
    mine = claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=4)
    theirs = claim_ahead(actor=assessor2, campaign=campaign, topic=topic, count=4)
    assert docnos(mine) == docnos(theirs) == ["d1", "d2", "d3", "d4"]
    assert not {slot.pk for slot in mine} & {slot.pk for slot in theirs}


def test_released_documents_go_to_others_and_judged_ones_do_not(
    plan, campaign, assessor, topic, grade
):
    one, two = claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=2)
    grade(assessor, "d1", 1, token=one.token)
    assert (
        release_leases(actor=assessor, campaign=campaign, tokens=[one.token, two.token, uuid4()])
        == 1
    )
    states = dict(Slot.objects.filter(topic=topic).values_list("item__docno", "state"))
    assert states == {"d1": "judged", "d2": "open", "d3": "open", "d4": "open"}


def test_nobody_renews_or_releases_another_s_lease(
    double_plan, campaign, assessor, assessor2, next_of
):
    slot = next_of(assessor)
    assert renew_leases(actor=assessor2, campaign=campaign, tokens=[slot.token]) == set()
    assert release_leases(actor=assessor2, campaign=campaign, tokens=[slot.token]) == 0
    slot.refresh_from_db()
    assert slot.assessor == assessor


def test_renewing_lengthens_a_lease_and_tells_what_is_gone(plan, campaign, assessor, next_of):
    slot = next_of(assessor)
    soon = timezone.now() + timedelta(seconds=5)
    Slot.objects.filter(pk=slot.pk).update(expires_at=soon)
    assert renew_leases(actor=assessor, campaign=campaign, tokens=[slot.token, uuid4()]) == {
        slot.token
    }
    slot.refresh_from_db()
    assert slot.expires_at > soon + timedelta(minutes=1)


def test_undone_document_comes_before_those_ahead(plan, campaign, assessor, topic, grade):
    args = {"actor": assessor, "campaign": campaign, "topic": topic}
    one = claim_ahead(**args, count=3)[0]
    given = grade(assessor, "d1", 1, token=one.token)
    undo_judgment(actor=assessor, campaign=campaign, judgment_uuid=given.client_uuid)
    assert docnos(claim_ahead(**args, count=3)) == ["d1", "d2", "d3"]


def test_undo_of_a_named_judgment_leaves_later_ones(plan, campaign, assessor, grade):
    first, second = grade(assessor, "d1", 1), grade(assessor, "d2", 2)
    uuid = uuid4()
    for _ in range(2):
        back = undo_judgment(
            actor=assessor, campaign=campaign, judgment_uuid=first.client_uuid, client_uuid=uuid
        )
        assert (back.docno, back.kind) == ("d1", "withdrawn")
    standing = Judgment.objects.filter(kind="grade", docno="d2").get()
    assert standing == second
    with pytest.raises(ActionRefused, match="Nothing to undo"):
        undo_judgment(actor=assessor, campaign=campaign, judgment_uuid=first.client_uuid)


def test_a_document_fetched_ahead_was_served_when_it_was_shown(
    plan, campaign, assessor, topic, next_of
):
    slot = next_of(assessor)
    early = slot.leased_at - timedelta(hours=1)
    said = {"actor": assessor, "campaign": campaign, "topic": topic, "grade": 1}
    given = submit_judgment(**said, docno="d1", token=slot.token, served_at=early)
    assert given.served_at == slot.leased_at
    ahead = next_of(assessor)
    shown = timezone.now()
    given = submit_judgment(**said, docno="d2", token=ahead.token, served_at=shown)
    assert given.served_at == shown
    assert given.lease == ahead.token
    assert given.order == "random"


def test_nobody_holds_more_than_ten(campaign, organizer, assessor):
    from judging.services.plans import create_plan
    from tests.world.files import make_pool

    pool = make_pool(campaign, {"1": [f"x{n:02}" for n in range(20)]})
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    got = claim_ahead(
        actor=assessor, campaign=campaign, topic=campaign.topics.get(number="1"), count=99
    )
    assert len(got) == 10
