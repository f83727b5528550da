"""The state machine of slots, one assessor after another; documents handed out ahead."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.errors import ActionRefused
from judging.models import Judgment, Slot
from judging.queries.judgments import current_judgments
from judging.services.assignments import assign_topics
from judging.services.judgments import (
    claim_ahead,
    claim_next,
    release_leases,
    renew_leases,
    undo_judgment,
)
from judging.services.plans import pause_plan
from judging.services.slots import reopen_slot
from tests.world.judgments import submit_judgment


def lapse(slot: Slot) -> None:
    Slot.objects.filter(pk=slot.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def said_of(user) -> list[tuple[str, int, str, int | None]]:
    rows = Judgment.objects.filter(assessor=user).order_by("pk")
    return list(rows.values_list("docno", "revision", "kind", "grade"))


def test_claim_gives_none_when_all_is_judged(plan, assessor, topic, grade, next_of):
    for docno in ("d1", "d2", "d3", "d4"):
        for _ in range(2):  # what is held is resumed
            assert next_of(assessor).item.docno == docno
        grade(assessor, docno, 0)
    assert next_of(assessor) is None
    assert set(Slot.objects.filter(topic=topic).values_list("state", flat=True)) == {"judged"}


def test_claim_is_for_assigned_assessors_of_running_plans(
    plan, assessor2, assessor, organizer, next_of
):
    assert next_of(assessor2) is None
    with pytest.raises(PermissionDenied):
        next_of(organizer)
    pause_plan(actor=organizer, plan=plan)
    assert next_of(assessor) is None
    pause_plan(actor=organizer, plan=plan, paused=False)
    assert next_of(assessor).item.docno == "d1"


def test_a_lapsed_lease_goes_to_the_next_who_asks(
    plan, organizer, assessor, assessor2, topic, next_of
):
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    slot = next_of(assessor)
    assert next_of(assessor2).item.docno == "d2"
    lapse(slot)
    Slot.objects.filter(assessor=assessor2).update(
        state="open", assessor=None, expires_at=None, leased_at=None
    )
    taken = next_of(assessor2)
    assert taken.pk == slot.pk
    assert taken.token != slot.token


def test_judge_fills_the_slot_and_records_what_was_shown(plan, campaign, assessor, grade, next_of):
    slot = next_of(assessor)
    given = grade(assessor, "d1", 3, comment="fits", active_seconds=4.5, token=slot.token)
    assert (given.slot_id, given.grade, given.revision, given.rank_shown) == (slot.pk, 3, 1, 1)
    assert given.served_at == slot.leased_at
    assert given.document_sha256 == campaign.documents.get(docno="d1").sha256
    slot.refresh_from_db()
    assert (slot.state, slot.assessor, slot.expires_at) == ("judged", assessor, None)
    next_of(assessor)
    assert grade(assessor, "d2", 0).rank_shown == 2


def test_judge_repeats_its_answer_after_the_deadline(plan, campaign, assessor, grade):
    uuid = uuid4()
    first = grade(assessor, "d1", 1, client_uuid=uuid)
    campaign.judging_deadline = timezone.now()
    assert grade(assessor, "d1", 1, client_uuid=uuid) == first
    with pytest.raises(ActionRefused, match="Judging closed on"):
        grade(assessor, "d2", 1)


def test_judge_refuses_a_uuid_of_somebody_else(double_plan, assessor, assessor2, grade):
    uuid = uuid4()
    grade(assessor, "d1", 1, client_uuid=uuid)
    with pytest.raises(ActionRefused, match="another judgment"):
        grade(assessor2, "d1", 1, client_uuid=uuid)
    with pytest.raises(ActionRefused, match="another judgment"):
        grade(assessor, "d2", 1, client_uuid=uuid)


def test_judge_refuses_what_is_off_scale_or_not_theirs(plan, assessor, assessor2, organizer, grade):
    with pytest.raises(ActionRefused, match="not on the grade scale"):
        grade(assessor, "d1", 7)
    with pytest.raises(ActionRefused, match="not assigned to you"):
        grade(assessor, "d9", 1)
    with pytest.raises(ActionRefused, match="not assigned to you"):
        grade(assessor2, "d1", 1)
    with pytest.raises(PermissionDenied):
        grade(organizer, "d1", 1)
    assert not Judgment.objects.exists()


def test_judge_with_a_stale_lease_on_a_free_slot_takes_it(plan, assessor, grade, next_of):
    slot = next_of(assessor)
    lapse(slot)
    assert grade(assessor, "d1", 2, token=slot.token).slot_id == slot.pk


def test_judge_with_a_stale_lease_takes_another_free_slot_of_the_pair(
    double_plan, assessor, assessor2, grade, next_of
):
    lost = next_of(assessor)
    lapse(lost)
    next_of(assessor2)
    given = grade(assessor, "d1", 2, token=lost.token)
    assert given.slot.k == 1
    assert grade(assessor2, "d1", 0).slot_id == lost.pk


def test_judge_with_a_stale_lease_on_a_filled_slot_is_kept_as_extra(
    plan, campaign, organizer, assessor, assessor2, topic, grade, next_of
):
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    lost = next_of(assessor)
    lapse(lost)
    assert next_of(assessor2).pk == lost.pk
    kept = grade(assessor2, "d1", 0)
    extra = grade(assessor, "d1", 3, token=lost.token)
    assert (kept.slot_id, extra.slot_id) == (lost.pk, None)
    assert current_judgments(campaign).count() == 2
    # The pair is not offered again to whoever has had a say in it.
    assert next_of(assessor).item.docno == "d2"


def test_judge_again_is_a_new_revision(plan, campaign, assessor, grade):
    first = grade(assessor, "d1", 1)
    second = grade(assessor, "d1", 2)
    assert (second.revision, second.slot_id) == (2, first.slot_id)
    assert list(current_judgments(campaign)) == [second]


def test_skip_keeps_the_document_with_the_assessor(plan, campaign, assessor, topic, grade, next_of):
    next_of(assessor)
    args = {"actor": assessor, "campaign": campaign, "topic": topic, "docno": "d1"}
    passed = submit_judgment(**args, reason="language")
    assert (passed.kind, passed.reason, passed.slot.state) == ("skip", "language", "skipped")
    assert next_of(assessor).item.docno == "d2"
    assert grade(assessor, "d1", 1).slot.state == "judged"
    with pytest.raises(ActionRefused, match="reason for skipping"):
        submit_judgment(**args, reason="")


def test_reopen_gives_a_skipped_document_to_others(
    plan, campaign, organizer, assessor, assessor2, topic, next_of
):
    slot = next_of(assessor)
    args = {"campaign": campaign, "topic": topic, "docno": "d1", "client_uuid": uuid4()}
    submit_judgment(actor=assessor, reason="language", **args)
    slot.refresh_from_db()
    with pytest.raises(ActionRefused, match="No other assessor of topic 1") as refused:
        reopen_slot(actor=organizer, slot=slot)
    assert refused.value.code == "no-other-assessor"
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    reopen_slot(actor=organizer, slot=slot)
    assert next_of(assessor).item.docno == "d2"
    assert next_of(assessor2).item.docno == "d1"
    with pytest.raises(ActionRefused, match="no longer"):
        reopen_slot(actor=organizer, slot=slot)


def test_undo_goes_back_step_by_step(plan, campaign, assessor, grade, next_of):
    for docno, value in (("d1", 1), ("d2", 2)):
        next_of(assessor)
        grade(assessor, docno, value)
    assert undo_judgment(actor=assessor, campaign=campaign).docno == "d2"
    assert next_of(assessor).item.docno == "d2"
    assert undo_judgment(actor=assessor, campaign=campaign).docno == "d1"
    assert next_of(assessor).item.docno == "d1"
    with pytest.raises(ActionRefused, match="Nothing to undo"):
        undo_judgment(actor=assessor, campaign=campaign)
    assert not current_judgments(campaign).exists()
    grade(assessor, "d1", 3)
    assert next_of(assessor).item.docno == "d2"
    assert said_of(assessor) == [
        ("d1", 1, "grade", 1),
        ("d2", 1, "grade", 2),
        ("d2", 2, "withdrawn", None),
        ("d1", 2, "withdrawn", None),
        ("d1", 3, "grade", 3),
    ]


def test_undo_of_a_skip_and_of_a_change(plan, campaign, assessor, topic, grade):
    grade(assessor, "d1", 1, comment="why", flags=["language"])
    grade(assessor, "d1", 2)
    args = {"actor": assessor, "campaign": campaign, "topic": topic}
    submit_judgment(**args, docno="d2", reason="broken")
    assert undo_judgment(actor=assessor, campaign=campaign).docno == "d2"
    uuid = uuid4()
    for _ in range(2):
        assert undo_judgment(actor=assessor, campaign=campaign, client_uuid=uuid).docno == "d1"
    slots = Slot.objects.filter(topic=topic, item__docno__in=["d1", "d2"])
    states = slots.order_by("item__docno").values_list("state", flat=True)
    assert list(states) == ["judged", "leased"]
    own = Judgment.objects.filter(docno="d1").order_by("pk")
    said = own.values_list("kind", "grade", "comment", "flags", "served_at")
    first = said[0]
    assert [row[:2] for row in said] == [
        ("grade", 1), ("grade", 2), ("withdrawn", None), ("grade", 1),
    ]  # fmt: skip
    assert said[3] == first
    assert first[2:4] == ("why", ["language"])
    # The change is undone, now the first judgment: its document comes again.
    assert undo_judgment(actor=assessor, campaign=campaign).docno == "d1"
    assert set(states.all()) == {"leased"}


def test_undo_takes_back_the_own_last_only(double_plan, campaign, assessor, assessor2, grade):
    mine = grade(assessor, "d1", 1)
    grade(assessor2, "d1", 2)
    assert undo_judgment(actor=assessor2, campaign=campaign).assessor == assessor2
    assert list(current_judgments(campaign)) == [mine]
    with pytest.raises(ActionRefused):
        undo_judgment(actor=assessor2, campaign=campaign)


def test_judge_writes_one_judgment_on_a_campaign_of_the_actors(
    plan, campaign, assessor, topic, organizer
):
    campaign.members.filter(user=assessor).delete()
    with pytest.raises(PermissionDenied):
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="d1", grade=1)


def test_the_number_of_anothers_judgment_takes_nothing_back(
    campaign, double_plan, assessor, assessor2, grade
):
    theirs = grade(assessor, "d1", 1)
    mine = grade(assessor2, "d1", 2)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        undo_judgment(actor=assessor2, campaign=campaign, client_uuid=theirs.client_uuid)
    assert current_judgments(campaign).filter(pk=mine.pk).exists()


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


def test_an_assessor_holds_forty_at_most(campaign, organizer, assessor):
    from judging.services.plans import create_plan
    from tests.world.files import make_pool

    pool = make_pool(campaign, {"1": [f"x{n:02}" for n in range(50)]})
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    got = claim_ahead(
        actor=assessor, campaign=campaign, topic=campaign.topics.get(number="1"), count=99
    )
    assert len(got) == 40
