"""Rounds of adjudication: disagreements settled one by one, by a third person."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Event, Role
from judging.models import Judgment, Plan, Purpose
from judging.queries.adjudication import (
    adjudication_states,
    assessor_letter,
    list_anonymous_judgments,
    list_disagreements,
    list_rounds,
    own_adjudication_progress,
)
from judging.queries.invariants import list_violations
from judging.services.adjudication import (
    end_round,
    list_pairs_to_adjudicate,
    open_round,
    record_meeting_decision,
    remove_agreed_pairs,
)
from judging.services.judgments import undo_judgment
from tests.confirming import confirm
from tests.judging.settling.acts import take
from tests.judging.test_work import lapse
from tests.pages import read_page
from tests.world.judgments import submit_judgment
from tests.world.people import joined

ADJUDICATE = Plan.Kind.ADJUDICATE


def test_disputes_come_farthest_first_and_tell_who_crosses_relevance(disputed) -> None:
    found = {each.docno: each for each in list_disagreements(disputed)}
    assert next(iter(found)) == "d1"
    assert {docno: (each.size, each.crosses) for docno, each in found.items()} == {
        "d1": (3, True),
        "d3": (1, False),
        "d4": (1, True),
    }
    assert [each.docno for each in list_disagreements(disputed, min_difference=2)] == ["d1"]
    assert {each.docno for each in list_disagreements(disputed, crossing=True)} == {"d1", "d4"}


def test_equal_disputes_come_in_the_seeded_order(disputed) -> None:
    first = [each.docno for each in list_disagreements(disputed)]
    orders = set()
    for seed in range(12):
        disputed.seed = seed
        orders.add(tuple(each.docno for each in list_disagreements(disputed)))
    assert orders == {("d1", "d3", "d4"), ("d1", "d4", "d3")}
    assert tuple(first) in orders


def test_a_round_hands_out_the_pairs_in_its_order(begin, disputed, adjudicator, decide) -> None:
    plan = begin()
    wanted = [each.docno for each in list_disagreements(disputed)]
    assert list(plan.slots.values_list("item__docno", "value", "purpose")) == [
        (docno, size, Purpose.ADJUDICATE)
        for docno, size in zip(wanted, (3.0, 1.0, 1.0), strict=True)
    ]
    served = []
    while slot := take(adjudicator, disputed):
        served.append(slot.item.docno)
        decide(adjudicator, slot, 2)
    assert served == wanted
    assert own_adjudication_progress(disputed, adjudicator).judged == 3
    made = Judgment.objects.filter(purpose=Purpose.ADJUDICATE)
    assert {(row.grade, row.slot.plan_id) for row in made} == {(2, plan.pk)}


def test_an_order_given_by_others_is_kept(disputed, organizer, adjudicator, topic) -> None:
    pairs = [(topic.pk, "d4", 0.25), (topic.pk, "d1", 0.125), (topic.pk, "d2", None)]
    plan = open_round(
        actor=organizer, campaign=disputed, pairs=pairs, adjudicators=[adjudicator],
        blind=False, order="rank-swap value",
    )  # fmt: skip
    listed = plan.slots.values_list("item__docno", "value")
    assert list(listed) == [("d4", 0.25), ("d1", 0.125), ("d2", None)]
    assert (plan.blind, plan.parameters) == (False, {"order": "rank-swap value"})


def test_no_pair_is_in_two_rounds_or_settled_twice(begin, disputed, adjudicator, decide) -> None:
    begin(apart=2)
    assert list_pairs_to_adjudicate(disputed, min_difference=2, crossing=False) == []
    with pytest.raises(ActionRefused, match="No pairs with this grade difference"):
        begin(apart=2)
    second = begin()
    assert set(second.slots.values_list("item__docno", flat=True)) == {"d3", "d4"}
    slot = take(adjudicator, disputed)
    decide(adjudicator, slot, 1)
    assert slot.item.docno == "d1"
    assert [each.state for each in list_disagreements(disputed)] == ["settled", "round", "round"]


def test_pairs_taken_before_are_left_out_and_told(begin, disputed, organizer, adjudicator, topic):
    begin(apart=2)
    pairs = [(topic.pk, docno, None) for docno in ("d1", "d3", "d1")]
    open_round(actor=organizer, campaign=disputed, pairs=pairs, adjudicators=[adjudicator])
    told = Event.objects.filter(code="round.opened").order_by("-pk")[0].data
    assert (told["pairs"], told["taken_before"], told["without_pool"]) == (1, 2, 0)
    with pytest.raises(ActionRefused, match="already resolved or in a round"):
        open_round(actor=organizer, campaign=disputed, pairs=pairs, adjudicators=[adjudicator])
    stray = [(topic.pk, "d9", None)]
    with pytest.raises(ActionRefused, match="in no pool"):
        open_round(actor=organizer, campaign=disputed, pairs=stray, adjudicators=[adjudicator])


def test_a_pair_can_come_to_a_second_round_after_its_decision_is_taken_back(
    begin, disputed, organizer, adjudicator, decide
):
    plan = begin(apart=2)
    decide(adjudicator, take(adjudicator, disputed), 1)
    undo_judgment(actor=adjudicator, campaign=disputed, kind=ADJUDICATE)
    lapse(plan.slots.get())
    assert end_round(actor=organizer, plan=plan) == 1
    second = begin(apart=2)
    assert second.slots.get().k == 1
    assert take(adjudicator, disputed) is None
    assert list_rounds(disputed)[0].stuck == 1
    other = joined(disputed, "other", Role.ADJUDICATOR)
    second.assignments.create(topic=second.slots.get().topic, assessor=other)
    assert list_rounds(disputed)[0].stuck == 0
    assert take(other, disputed).k == 1


def test_nobody_adjudicates_a_pair_of_their_own(begin, disputed, assessor) -> None:
    disputed.members.create(user=assessor, role=Role.ADJUDICATOR)
    begin(people=[assessor])
    assert take(assessor, disputed) is None
    assert list_rounds(disputed)[0].stuck == 3
    topic = disputed.topics.get(number="1")
    with pytest.raises(ActionRefused, match="cannot adjudicate document d1 of topic 1"):
        submit_judgment(
            actor=assessor, campaign=disputed, topic=topic, docno="d1", grade=2, kind=ADJUDICATE
        )
    assert not Judgment.objects.filter(purpose=Purpose.ADJUDICATE).exists()


def test_only_the_role_opens_works_and_settles(
    begin, disputed, organizer, assessor, adjudicator, participant, topic
):
    with pytest.raises(ActionRefused, match="Not an adjudicator of this campaign: assessor"):
        begin(people=[assessor])
    with pytest.raises(ActionRefused, match="has no adjudicators"):
        begin(people=[])
    with pytest.raises(PermissionDenied):
        open_round(
            actor=adjudicator, campaign=disputed, pairs=[(topic.pk, "d1", None)],
            adjudicators=[adjudicator],
        )  # fmt: skip
    for user in (organizer, assessor, participant):
        with pytest.raises(PermissionDenied):
            take(user, disputed)
    for user in (assessor, participant):
        with pytest.raises(PermissionDenied):
            record_meeting_decision(
                actor=user, campaign=disputed, topic=topic, docno="d1", grade=1,
                client_uuid=uuid4(),
            )  # fmt: skip


def test_the_deadline_of_judging_does_not_stop_adjudication(begin, disputed, adjudicator, decide):
    begin(apart=2)
    disputed.judging_deadline = timezone.now() - timedelta(days=1)
    disputed.save()
    slot = take(adjudicator, disputed)
    assert decide(adjudicator, slot, 2).grade == 2
    assert undo_judgment(actor=adjudicator, campaign=disputed, kind=ADJUDICATE).kind == "withdrawn"


def test_a_skip_waits_for_the_organizer_and_is_told(begin, disputed, adjudicator, topic) -> None:
    begin(apart=2)
    slot = take(adjudicator, disputed)
    submit_judgment(
        actor=adjudicator, campaign=disputed, topic=topic, docno="d1", reason="undecided",
        token=slot.token, kind=ADJUDICATE,
    )  # fmt: skip
    assert take(adjudicator, disputed) is None
    assert list_disagreements(disputed, min_difference=2)[0].state == "skipped"
    assert list_rounds(disputed)[0].people[adjudicator].skipped == 1


def test_what_is_agreed_by_now_can_leave_the_round(
    begin, disputed, organizer, assessor, adjudicator, grade
):
    plan = begin()
    grade(assessor, "d3", 2)
    disagreeing = {("1", "d1"), ("1", "d4")}
    assert list_rounds(disputed, disagreeing)[0].agreed == 1
    assert remove_agreed_pairs(actor=organizer, plan=plan) == 1
    assert set(plan.slots.values_list("item__docno", flat=True)) == {"d1", "d4"}
    assert remove_agreed_pairs(actor=organizer, plan=plan) == 0
    with pytest.raises(PermissionDenied):
        end_round(actor=adjudicator, plan=plan)


def test_an_ended_round_keeps_what_is_settled_and_a_place_for_what_is_out(
    begin, disputed, organizer, adjudicator, decide
):
    plan = begin()
    decide(adjudicator, take(adjudicator, disputed), 2)
    out = take(adjudicator, disputed)
    lapse(out)
    assert end_round(actor=organizer, plan=plan) == 2
    assert sorted(plan.slots.values_list("state", flat=True)) == ["judged", "skipped"]
    assert take(adjudicator, disputed) is None
    assert [name for name, n in list_violations(disputed) if n] == []
    late = decide(adjudicator, out, 1)
    assert late.slot_id == out.pk


def test_sides_have_letters_that_tell_nobody(disputed, topic, assessor, assessor2) -> None:
    one = {letter: row.grade for letter, row in list_anonymous_judgments(disputed, topic, "d1")}
    assert set(one) == {"A", "B"}
    assert set(one.values()) == {0, 3}
    firsts = set()
    for docno in ("d1", "d2", "d3", "d4"):
        for seed in range(4):
            disputed.seed = seed
            firsts.add(list_anonymous_judgments(disputed, topic, docno)[0][1].assessor)
    assert firsts == {assessor, assessor2}
    letters = [assessor_letter(at) for at in (0, 25, 26, 27, 51, 52)]
    assert letters == ["A", "Z", "AA", "AB", "AZ", "BA"]


def test_a_closed_round_offers_nothing_again(begin, disputed, organizer, adjudicator, decide):
    other = joined(disputed, "other", Role.ADJUDICATOR)
    plan = begin(people=[adjudicator, other])
    out, left = take(adjudicator, disputed), take(other, disputed)
    assert end_round(actor=organizer, plan=plan) == 1
    closed = Plan.objects.get(pk=plan.pk)
    assert (closed.state, closed.closed_at) == ("closed", plan.closed_at)
    assert list_rounds(disputed, ())[0].agreed == 0
    pairs = {("1", slot.item.docno) for slot in (out, left)}
    assert set(adjudication_states(disputed)) == pairs
    lapse(out)
    lapse(left)
    assert take(joined(disputed, "third", Role.ADJUDICATOR), disputed) is None
    assert adjudication_states(disputed) == {}
    (ended,) = list_rounds(disputed, ())
    assert (ended.agreed, ended.stuck) == (0, 0)
    assert decide(adjudicator, out, 2).slot_id == out.pk
    again = begin(people=[joined(disputed, "fourth", Role.ADJUDICATOR)])
    assert left.item.docno in again.slots.values_list("item__docno", flat=True)
    assert [name for name, n in list_violations(disputed) if n] == []


def test_a_round_without_waiting_pairs_is_closed_too(
    begin, disputed, organizer, adjudicator, as_user
):
    plan = begin(apart=2)
    take(adjudicator, disputed)
    client, address = as_user(organizer), reverse("round-end", args=["small", plan.pk])
    assert confirm(client, address).status_code == 302
    assert disputed.events.get(code="round.closed").data["pairs"] == 0
    page = read_page(client.get(reverse("adjudication", args=["small"])))
    assert '<span class="tag done">closed</span>' in page
    assert "Close round" not in page


def test_who_may_not_close_a_round_learns_nothing_of_it(begin, adjudicator) -> None:
    with pytest.raises(PermissionDenied):
        end_round(actor=adjudicator, plan=begin(), decision=Decision())
