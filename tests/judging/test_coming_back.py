"""Documents that come back, come again or come late: none is stuck, refused or mistaken."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Document, Role
from judging.api.judgments import JudgmentViewSet
from judging.models import Judgment, Plan, Slot, TrainingPair
from judging.queries.judgments import current_judgments
from judging.queries.screen import get_assessor_topic
from judging.services import judgments
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.assignments import assign_topics
from judging.services.judgments import claim_next, undo_judgment
from judging.services.plans import close_plan, create_plan
from judging.services.slots import pause_work, reassign_work, return_all_slots
from judging.services.training import answer_training_pair
from judging.views.judging_screen import strictest_rationale
from tests.judging.test_work import lapse
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import joined

ADJUDICATE = Plan.Kind.ADJUDICATE


@pytest.fixture
def to_repeat(repeat_plan, assessor, next_of, grade):
    """Topic 1 judged, all 1, until the repeat of x00 is on the screen."""
    while (slot := next_of(assessor)).purpose != "repeat":
        grade(assessor, slot.item.docno, 1, token=slot.token)
    assert slot.item.docno == "x00"
    return slot


def test_a_first_judgment_taken_back_while_its_repeat_is_out_is_no_repeat(
    to_repeat, campaign, assessor, next_of, grade
):
    first = current_judgments(campaign).get(docno="x00")
    undo_judgment(actor=assessor, campaign=campaign, judgment_uuid=first.client_uuid)
    back = next_of(assessor)
    assert (back.item.docno, back.purpose) == ("x00", "judge")
    assert grade(assessor, "x00", 2, token=back.token).purpose == "judge"
    assert next_of(assessor).pk == to_repeat.pk
    assert grade(assessor, "x00", 0, token=to_repeat.token).purpose == "repeat"


def test_a_repeat_judged_after_its_plan_was_closed_is_no_change(
    to_repeat, repeat_plan, campaign, organizer, assessor, grade
):
    lapse(to_repeat)
    close_plan(actor=organizer, plan=repeat_plan)
    assert grade(assessor, "x00", 0, token=to_repeat.token).purpose == "repeat"
    assert current_judgments(campaign).get(docno="x00").grade == 1


def test_the_api_does_not_tell_a_repeat(to_repeat, assessor, call):
    place = {"campaign": "small", "topic": "1"}
    said = {"docno": "x00", "grade": 1, "client_uuid": str(uuid4()), "token": to_repeat.token}
    status, made = call(JudgmentViewSet, assessor, "create", "post", place | said)
    assert (status, made["purpose"]) == (200, "judge")
    status, back = call(JudgmentViewSet, assessor, "undo", "post", {"campaign": "small"})
    assert (status, back["docno"], back["purpose"]) == (200, "x00", "judge")


def test_what_was_taken_back_and_returned_comes_again_to_its_only_assessor(
    plan, campaign, organizer, assessor, topic, next_of, grade
):
    for _ in range(4):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, 1, token=slot.token)
    undo_judgment(actor=assessor, campaign=campaign)
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 1
    assert get_assessor_topic(campaign, assessor, topic).left == 1
    again = next_of(assessor)
    assert again.pk == slot.pk
    grade(assessor, again.item.docno, 2, token=again.token)
    assert next_of(assessor) is None


def test_who_comes_back_to_a_topic_is_not_paused_there(
    double_plan, organizer, assessor, assessor2, assessor3, topic, next_of
):
    pause_work(actor=organizer, plan=double_plan, assessor=assessor)
    assign_topics(
        actor=organizer, plan=double_plan, assessors={topic.number: [assessor2, assessor3]}
    )
    assign_topics(
        actor=organizer, plan=double_plan, assessors={topic.number: [assessor, assessor2]}
    )
    assert next_of(assessor) is not None


def test_what_was_judged_late_is_not_kept_for_its_assessor_once_more(
    dealt, organizer, assessor, assessor3, next_of, grade
):
    slot = next_of(assessor)
    reassign_work(actor=organizer, plan=dealt, assessor=assessor, to=[assessor3])
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot is None
    assert (
        reassign_work(actor=organizer, plan=dealt, assessor=assessor3, to=[assessor])["stayed"] > 0
    )
    while (theirs := next_of(assessor3)) is not None:
        grade(assessor3, theirs.item.docno, 1, token=theirs.token)
    slot.refresh_from_db()
    assert (slot.state, slot.assessor) == ("judged", assessor3)


@pytest.fixture
def disputed(double_plan, campaign, assessor, assessor2, grade):
    """Topic 1: d1 0/3; a newer pool does not have it."""
    grade(assessor, "d1", 0)
    grade(assessor2, "d1", 3)
    make_pool(campaign, {"2": ["d5"]}, version=2)


def test_a_late_adjudication_is_kept_though_a_newer_pool_is_without_the_pair(
    disputed, campaign, organizer, topic
):
    one, two = (joined(campaign, name, Role.ADJUDICATOR) for name in ("adj1", "adj2"))
    wanted = list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False)
    open_round(actor=organizer, campaign=campaign, pairs=wanted, adjudicators=[one, two])
    slot = claim_next(actor=one, campaign=campaign, topic=None, kind=ADJUDICATE)
    lapse(slot)
    assert claim_next(actor=two, campaign=campaign, topic=None, kind=ADJUDICATE).pk == slot.pk
    late = submit_judgment(
        actor=one, campaign=campaign, topic=topic, docno="d1", grade=1, token=slot.token,
        kind=ADJUDICATE,
    )  # fmt: skip
    assert late.slot is None


def test_an_adjudicator_judges_only_where_they_are_assigned_to_judge(
    disputed, campaign, organizer, grade
):
    both = joined(campaign, "both", Role.ADJUDICATOR)
    campaign.members.create(user=both, role=Role.ASSESSOR)
    make_pool(campaign, {"1": ["d1", "d2", "d3", "d4"]}, version=3)
    wanted = list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False)
    open_round(actor=organizer, campaign=campaign, pairs=wanted, adjudicators=[both])
    with pytest.raises(ActionRefused, match="not assigned to you"):
        grade(both, "d2", 1)


def test_a_pdf_needs_no_passage(plan, assessor, grade):
    Plan.objects.update(rationale=Plan.Rationale.RELEVANT)
    Document.objects.filter(docno="d1").update(format="pdf", file="x.pdf", body="")
    assert grade(assessor, "d1", 3).grade == 3


def test_the_screen_lets_mark_what_an_older_plan_of_the_topic_asks_for(
    plan, campaign, organizer, assessor, topic
):
    Plan.objects.update(rationale=Plan.Rationale.RELEVANT)
    pool = make_pool(campaign, {"1": ["d1", "d9"]}, version=2)
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]})
    assert strictest_rationale(campaign, [topic]) == "relevant"


@pytest.fixture
def trained(campaign, topic):
    """``trained(user)``: their answer to the training pair d1, which is in the pool too."""
    pair = {"campaign": campaign, "topic": topic, "docno": "d1", "grade": 1, "position": 0}

    def give(user) -> Judgment:
        known = TrainingPair.objects.create(**pair)
        return answer_training_pair(
            actor=user, campaign=campaign, pair=known, grade=1, client_uuid=uuid4()
        )

    return give


def test_training_gives_no_right_to_judge_the_pair(plan, assessor2, trained, grade):
    trained(assessor2)
    with pytest.raises(ActionRefused, match="not assigned to you"):
        grade(assessor2, "d1", 3)
    assert not Slot.objects.exclude(state="open").exists()


def test_a_number_is_of_one_act(plan, campaign, assessor, trained, grade):
    answered = trained(assessor)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        grade(assessor, "d1", 3, client_uuid=answered.client_uuid)
    given = grade(assessor, "d1", 3)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        undo_judgment(actor=assessor, campaign=campaign, client_uuid=given.client_uuid)
    back = undo_judgment(actor=assessor, campaign=campaign, judgment_uuid=given.client_uuid)
    with pytest.raises(ActionRefused, match="belongs to another judgment"):
        grade(assessor, "d1", 2, client_uuid=back.client_uuid)


def test_a_repeat_that_is_judged_without_its_token_is_done(repeat_plan, campaign, assessor, topic):
    said = {"actor": assessor, "campaign": campaign, "topic": topic}
    seen = []
    while (slot := claim_next(**said)) is not None and len(seen) < 20:
        seen.append(submit_judgment(**said, docno=slot.item.docno, grade=1).purpose)
    assert sorted(seen) == ["judge"] * 6 + ["repeat"] * 3


def test_a_word_under_an_older_lease_is_no_repeat_before_one_was_shown(
    repeat_plan, assessor, grade, next_of
):
    first = next_of(assessor)
    Slot.objects.filter(pk=first.pk).update(expires_at=first.leased_at)
    other_tab = next_of(assessor)
    grade(assessor, "x00", 1, token=other_tab.token)
    late = grade(assessor, "x00", 2, token=first.token)
    assert (late.purpose, late.revision) == ("judge", 2)


def test_a_repeat_that_was_taken_back_stays_one(
    repeat_plan, campaign, organizer, assessor, grade, next_of
):
    for _ in range(4):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, 1, token=slot.token)
    again = next_of(assessor)
    assert again.purpose == "repeat"
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 1
    assert grade(assessor, again.item.docno, 0, token=again.token).purpose == "repeat"


@pytest.fixture
def long_topic(campaign, organizer, assessor, assessor2) -> None:
    pool = make_pool(campaign, {"1": [f"x{n:03}" for n in range(260)]})
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor, assessor2]})


def let_expire(slots, user) -> None:
    past = timezone.now() - timedelta(hours=2)
    slots.update(state="leased", assessor=user, leased_at=past, expires_at=past)


def test_what_is_held_comes_first_though_many_leases_have_run_out(
    long_topic, assessor, assessor2, next_of
):
    let_expire(Slot.objects.filter(position__lt=250), assessor2)
    held = next_of(assessor)
    assert next_of(assessor).pk == held.pk


def test_a_lapsed_lease_that_another_takes_at_this_moment_is_not_handed_out(
    plan, assessor, assessor2, monkeypatch, next_of
):
    mine = next_of(assessor)
    let_expire(Slot.objects.filter(pk=mine.pk), assessor)
    look = judgments.priority_slots

    def look_and_lose(*args):
        found = look(*args)
        let_expire(Slot.objects.filter(pk=mine.pk), assessor2)
        Slot.objects.filter(pk=mine.pk).update(token=uuid4())
        return found

    monkeypatch.setattr(judgments, "priority_slots", look_and_lose)
    assert next_of(assessor).item.docno == "d2"


def test_what_was_on_screen_when_the_topic_was_handed_on_is_kept(
    plan, organizer, assessor, assessor2, grade, next_of
):
    slot = next_of(assessor)
    reassign_work(actor=organizer, plan=plan, assessor=assessor, to=[assessor2])
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot_id == slot.pk
    assert next_of(assessor) is None


def test_what_was_unsent_when_somebody_else_was_assigned_is_kept_as_an_extra(
    plan, organizer, assessor, assessor2, topic, grade, next_of
):
    slot = next_of(assessor)
    let_expire(Slot.objects.filter(pk=slot.pk), assessor)
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor2]})
    assert next_of(assessor2).pk == slot.pk
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot is None
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor]})
    back = next_of(assessor)
    assert back.item.docno != slot.item.docno


def test_what_was_unsent_when_the_plan_was_closed_is_kept(
    plan, organizer, assessor, grade, next_of
):
    slot = next_of(assessor)
    let_expire(Slot.objects.filter(pk=slot.pk), assessor)
    close_plan(actor=organizer, plan=plan)
    assert grade(assessor, slot.item.docno, 1, token=slot.token).slot is None
