"""Decisions taken together, and what adjudications do to qrels."""

from uuid import uuid4

import pytest
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Role, User
from judging.models import Judgment, Purpose, Slot
from judging.queries.adjudication import current_decision, list_disagreements, open_pairs_for
from judging.queries.judgments import load_pair_ballots
from judging.services.adjudication import record_meeting_decision, withdraw_decision
from judging.services.qrels import freeze_qrels, verify_qrels
from tests.judging.settling.acts import take
from tests.judging.test_work import lapse


@pytest.fixture
def agree(campaign, topic):
    """``agree(user, docno, grade)``: a decision of a meeting on topic 1."""

    def give(user: User, docno: str, value: int, **more: object) -> Judgment:
        more = {"client_uuid": uuid4(), **more}
        return record_meeting_decision(
            actor=user, campaign=campaign, topic=topic, docno=docno, grade=value, **more
        )

    return give


def test_a_meeting_settles_and_the_pair_leaves_its_round(
    begin, disputed, organizer, adjudicator, agree
):
    begin()
    made = agree(organizer, "d1", 2, note="the table counts")
    assert (made.purpose, made.comment) == (Purpose.ADJUDICATE, "the table counts")
    assert made.slot.state == Slot.State.JUDGED
    assert take(adjudicator, disputed).item.docno != "d1"
    assert {each.docno: each.adjudicated for each in list_disagreements(disputed)}["d1"] == 2


def test_a_meeting_needs_no_round_and_no_third_person(disputed, assessor, agree) -> None:
    disputed.members.create(user=assessor, role=Role.ADJUDICATOR)
    assert agree(assessor, "d1", 1).slot is None
    assert current_decision(disputed, disputed.topics.get(number="1"), "d1").grade == 1


def test_the_same_submission_settles_once(disputed, organizer, agree) -> None:
    uuid = uuid4()
    first, second = (agree(organizer, "d1", 1, client_uuid=uuid) for _ in range(2))
    assert first == second


def test_the_latest_decision_stands_and_can_be_taken_back(
    disputed, organizer, adjudicator, agree, topic
):
    def standing() -> int | None:
        found = current_decision(disputed, topic, "d1")
        return found and found.grade

    agree(adjudicator, "d1", 1)
    agree(organizer, "d1", 3)
    assert standing() == 3
    place = {"campaign": disputed, "topic": topic, "docno": "d1"}
    withdraw_decision(actor=organizer, client_uuid=uuid4(), **place)
    assert standing() == 1
    withdraw_decision(actor=adjudicator, client_uuid=uuid4(), **place)
    assert standing() is None
    with pytest.raises(ActionRefused, match="no decision to undo"):
        withdraw_decision(actor=adjudicator, client_uuid=uuid4(), **place)


def test_a_decision_taken_back_puts_the_pair_into_its_round_again(
    begin, disputed, organizer, adjudicator, agree, topic
):
    begin(apart=2)
    agree(organizer, "d1", 2)
    withdraw_decision(
        actor=organizer, campaign=disputed, topic=topic, docno="d1", client_uuid=uuid4()
    )
    assert take(adjudicator, disputed).item.docno == "d1"


def test_a_meeting_waits_for_what_is_on_a_screen(
    begin, disputed, organizer, adjudicator, agree, decide
):
    begin(apart=2)
    slot = take(adjudicator, disputed)
    with pytest.raises(ActionRefused, match="Document d1 is checked out to adjudicator"):
        agree(organizer, "d1", 2)
    lapse(slot)
    agree(organizer, "d1", 2)
    late = decide(adjudicator, slot, 0)
    assert late.slot is None
    assert {each.docno: each.adjudicated for each in list_disagreements(disputed)}["d1"] == 2


def test_a_meeting_refuses_what_nobody_judged_and_grades_off_the_scale(disputed, organizer, agree):
    with pytest.raises(ActionRefused, match="Document d9 has not been judged yet"):
        agree(organizer, "d9", 1)
    with pytest.raises(ActionRefused, match="not on the grade scale"):
        agree(organizer, "d1", 7)


def test_who_may_still_judge_a_pair_must_not_see_what_others_said(
    double_plan, campaign, assessor, assessor2, grade
):
    grade(assessor, "d1", 0)
    assert ("1", "d1") not in open_pairs_for(assessor, campaign)
    assert ("1", "d1") in open_pairs_for(assessor2, campaign)


@pytest.mark.parametrize("blind", [True, False])
def test_the_meeting_keeps_from_blind_adjudicators_what_they_will_get(
    begin, disputed, adjudicator, blind
):
    begin(apart=2, blind=blind)
    assert (("1", "d1") in open_pairs_for(adjudicator, disputed)) is blind
    take(adjudicator, disputed)
    assert (("1", "d1") in open_pairs_for(adjudicator, disputed)) is blind
    assert ("1", "d3") not in open_pairs_for(adjudicator, disputed)


# What it does to qrels


def test_adjudications_are_heard_by_the_policies_that_say_so(disputed, organizer, agree) -> None:
    agree(organizer, "d1", 1)

    def released(policy: str) -> str:
        made = freeze_qrels(actor=organizer, campaign=disputed, policy=policy)
        assert verify_qrels(made)
        return store.get_blob(made.path).decode()

    assert released("maximum") == "1 0 d1 3\n1 0 d2 1\n1 0 d3 2\n1 0 d4 1\n"
    assert released("adjudicated-maximum") == "1 0 d1 1\n1 0 d2 1\n1 0 d3 2\n1 0 d4 1\n"
    told = disputed.qrels.get(version=2).manifest
    assert told["adjudications"] == {"pairs": 1, "changed": 1, "adjudicators": {"organizer": 1}}
    assert told["purposes"] == {"judge": 8, "adjudicate": 1}
    assert disputed.qrels.get(version=1).manifest["adjudications"] is None


def test_a_release_as_of_a_moment_before_does_not_know_the_adjudication(disputed, organizer, agree):
    before = timezone.now()
    agree(organizer, "d1", 1)
    args = {"actor": organizer, "campaign": disputed, "policy": "adjudicated-maximum"}
    now, then = freeze_qrels(**args), freeze_qrels(**args, as_of=before)
    assert store.get_blob(now.path) != store.get_blob(then.path)
    assert b"d1 3" in store.get_blob(then.path)
    assert verify_qrels(now)
    assert verify_qrels(then)


def test_an_adjudication_is_no_judgment_of_the_plan(disputed, organizer, agree) -> None:
    agree(organizer, "d1", 1)
    ballot = next(each for each in load_pair_ballots(disputed).list_ballots() if each.docno == "d1")
    assert dict(ballot.people) == {"assessor": 0, "assessor2": 3}
    assert ballot.adjudicated == 1
