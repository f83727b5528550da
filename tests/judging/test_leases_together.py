"""Documents that one request leases together, in one transaction."""

from __future__ import annotations

from uuid import uuid4

import pytest

from judging.models import Slot
from judging.queries.slots import checked_out_slots
from judging.services.leases import lease_slots
from judging.views import judging_sync

State = Slot.State


@pytest.fixture
def slots(double_plan, topic) -> list[Slot]:
    """The first slots of d4, d1, d3 and d2, in this order."""
    by_docno = {slot.item.docno: slot for slot in Slot.objects.filter(topic=topic, k=0)}
    return [by_docno[docno] for docno in ("d4", "d1", "d3", "d2")]


def test_they_keep_their_order_and_have_tokens_of_their_own(
    slots, double_plan, campaign, assessor, topic
):
    type(campaign).objects.update(guideline_version=3)
    before = {slot.token for slot in slots}
    assert lease_slots(slots, assessor) == slots
    saved = list(checked_out_slots(assessor, campaign, topic))
    assert [row.docno for row in saved] == ["d4", "d1", "d3", "d2"]
    kept = ("token", "leased_at", "expires_at", "state", "assessor_id")
    assert [[getattr(row, name) for name in kept] for row in saved] == [
        [getattr(slot, name) for name in kept] for slot in slots
    ]
    assert len(before | {row.token for row in saved}) == 8
    assert {row.guideline_version for row in saved} == {3}
    assert {row.state for row in saved} == {State.LEASED}


def test_what_somebody_else_took_is_left_out(slots, assessor, assessor2):
    taken = Slot.objects.filter(pk=slots[1].pk)
    taken.update(
        state=State.LEASED, assessor=assessor2, token=uuid4(), leased_at="2026-01-01T00:00Z",
        expires_at="2027-01-01T00:00Z",
    )  # fmt: skip
    assert [slot.docno for slot in lease_slots(slots, assessor)] == ["d4", "d3", "d2"]
    assert taken.get().assessor == assessor2
    assert slots[1].assessor_id is None


def test_a_pair_of_the_assessors_other_window_is_left_out(slots, assessor, topic):
    """Two slots of a pair are never one assessor's: the database refuses all, then that one."""
    other = Slot.objects.get(topic=topic, k=1, item__docno="d3")
    assert lease_slots([other], assessor) == [other]
    assert [slot.docno for slot in lease_slots(slots, assessor)] == ["d4", "d1", "d2"]
    own = Slot.objects.filter(assessor=assessor, state=State.LEASED)
    assert sorted(slot.docno for slot in own) == ["d1", "d2", "d3", "d4"]


@pytest.mark.parametrize(("most", "expected"), [(3, 3), (4, 3), (5, 4), (36, 4)])
def test_a_request_brings_as_many_as_may_be_ahead(
    plan, campaign, assessor, topic, client, monkeypatch, most, expected
):
    """The page has two: one on the screen and one ahead."""
    monkeypatch.setattr(judging_sync, "count_ahead_at_pace", lambda *_args: most)
    client.force_login(assessor)
    body = {"topic": topic.number, "have": [str(uuid4()), str(uuid4())], "count": 50}
    address = f"/c/{campaign.slug}/judge-ahead/"
    answer = client.post(address, body, content_type="application/json").json()
    docnos = ["d1", "d2", "d3", "d4"][:expected]
    assert [row["docno"] for row in answer["documents"]] == docnos
