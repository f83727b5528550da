"""Starting a unit, answering, leaving it."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from crowd.models import WorkUnit
from crowd.queries.unit_work import list_known_pairs, list_unit_slots
from crowd.services.gold import retire_gold
from crowd.services.unit_work import UnitRequest, release_unit, start_unit
from judging.models import Audience, Judgment, Purpose, Slot
from judging.queries.judgments import load_pair_ballots
from judging.queries.remaining import remaining_by_topic
from judging.queries.training import list_training, list_training_pairs, unanswered_pairs
from judging.services.assignments import assign_topics
from judging.services.judgment_log import JudgmentSubmission
from judging.services.judgments import claim_ahead
from judging.services.plans import PlanOptions, create_plan, pause_plan
from judging.services.slots import reassign_work
from judging.services.training import add_training, answer_training_pair, write_answer
from poolbench.judging.repeats import SOONEST
from poolbench.judging.training_file import TrainingRow
from tests.crowd.units.conftest import (
    add_gold_pairs,
    answer,
    begin_unit,
    current_unit_judgments,
    end_unit,
    make_unit,
    violations,
    work_unit,
)
from tests.refusals import refusal
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

OPTIONS = {"one_topic": False, "gold": 0, "repeats": 0}


def test_unit_leases_that_many_different_pairs(crowd_plan, worker, campaign):
    unit = begin_unit(crowd_plan, worker, 5)
    slots = list(list_unit_slots(unit))
    assert (unit.state, unit.size, len(slots)) == (WorkUnit.State.STARTED, 5, 5)
    assert [slot.unit_position for slot in slots] == [1, 2, 3, 4, 5]
    assert len({(slot.topic_id, slot.docno) for slot in slots}) == 5
    assert {slot.state for slot in slots} == {Slot.State.LEASED}
    assert {slot.expires_at for slot in slots} == {unit.closes_at}
    assert violations(campaign) == {}


def test_answers_fill_slots_and_count(crowd_plan, worker, another, campaign):
    for _ in range(2):
        work_unit(crowd_plan, another(), 16)
    assert set(crowd_plan.slots.values_list("state", flat=True)) == {Slot.State.JUDGED}
    ballots = load_pair_ballots(campaign).list_ballots()
    assert (len(ballots), {len(ballot.people) for ballot in ballots}) == (16, {2})
    assert refusal(begin_unit, crowd_plan, worker) == "no-work"
    assert violations(campaign) == {}


def test_leaving_returns_what_is_not_answered(crowd_plan, worker, campaign):
    unit = begin_unit(crowd_plan, worker, 6)
    for slot in list_unit_slots(unit)[:2]:
        answer(slot, 2)
    assert release_unit(unit=unit) == 4
    end_unit(unit, WorkUnit.State.ABANDONED)
    assert len(current_unit_judgments(unit)) == 2
    assert crowd_plan.slots.filter(state=Slot.State.OPEN).count() == 30
    assert violations(campaign) == {}


def test_starting_again_returns_the_same_documents(crowd_plan, worker):
    unit = begin_unit(crowd_plan, worker, 5)
    first = [slot.token for slot in list_unit_slots(unit)]
    again = start_unit(unit=unit, request=UnitRequest(9, **OPTIONS, until=unit.closes_at, seed=7))
    assert [slot.token for slot in again] == first
    assert crowd_plan.slots.filter(state=Slot.State.LEASED).count() == 5


def test_a_worker_never_gets_a_pair_twice(crowd_plan, worker):
    pairs = []
    for size in (7, 6, 9):
        unit = work_unit(crowd_plan, worker, size)
        pairs += [(slot.topic_id, slot.docno) for slot in list_unit_slots(unit)]
    # 16 pairs in all: the last unit is smaller.
    assert (len(pairs), len(set(pairs)), unit.size) == (16, 16, 3)


def test_pairs_of_other_plans_practice_and_gold_are_left_out(
    crowd_plan, worker, campaign, organizer
):
    pool = make_pool(campaign, {"1": ["x0"]}, version=2)
    other = create_plan(actor=organizer, pool=pool, audience=Audience.CROWD)
    work_unit(other, worker, 1)
    copy = make_pool(campaign, {"1": ["x0", "x1"]}, version=3)
    # A pair that another plan requests as well, as after a pool that was frozen anew.
    last = create_plan(actor=organizer, pool=copy, audience=Audience.CROWD)
    x0 = copy.items.get(docno="x0")
    Slot.objects.create(plan=last, item=x0, topic=x0.topic, k=0, position=0)
    unit = begin_unit(last, worker, 5)
    assert [slot.docno for slot in list_unit_slots(unit)] == ["x1"]
    assert list_known_pairs(worker) == {(x0.topic_id, "x0"), (x0.topic_id, "x1")}


def test_one_topic_is_that_with_most_work(crowd_plan, worker, another):
    unit = begin_unit(crowd_plan, worker, 5, one_topic=True)
    assert {slot.topic.number for slot in list_unit_slots(unit)} == {"1"}
    # 3 of topic 1 are left to this worker, 6 of topic 2.
    end_unit(unit)
    release_unit(unit=unit)
    done = work_unit(crowd_plan, worker, 5, one_topic=True)
    assert {slot.topic.number for slot in list_unit_slots(done)} == {"1"}
    following = begin_unit(crowd_plan, worker, 5, one_topic=True)
    assert {slot.topic.number for slot in list_unit_slots(following)} == {"2"}
    assert following.size == 5


def test_gold_is_balanced_and_never_twice(crowd_plan, worker, campaign):
    add_gold_pairs(campaign, {("1", f"g{grade}{n}"): grade for grade in (0, 1, 2) for n in (0, 1)})
    seen = []
    for _ in range(3):
        unit = work_unit(crowd_plan, worker, 4, gold=3)
        gold = [slot for slot in list_unit_slots(unit) if slot.purpose == Purpose.GOLD]
        seen.append(sorted(slot.gold.grade for slot in gold))
    assert seen == [[0, 1, 2], [0, 1, 2], []]
    assert Judgment.objects.filter(purpose=Purpose.GOLD).count() == 6
    assert {ballot.docno[0] for ballot in load_pair_ballots(campaign).list_ballots()} <= set("pqr")
    assert violations(campaign) == {}


def test_gold_comes_from_the_topic_of_the_unit(crowd_plan, worker, campaign):
    add_gold_pairs(campaign, {("1", "g1"): 1, ("2", "g2"): 0})
    unit = begin_unit(crowd_plan, worker, 5, one_topic=True, gold=2)
    gold = [slot.docno for slot in list_unit_slots(unit) if slot.purpose == Purpose.GOLD]
    assert (gold, unit.size) == (["g1"], 6)


def test_gold_in_the_pool_is_shown_once(crowd_plan, worker, campaign):
    add_gold_pairs(campaign, {("1", f"p{n}"): 1 for n in range(8)})
    unit = begin_unit(crowd_plan, worker, 12, gold=8)
    docnos = [slot.docno for slot in list_unit_slots(unit)]
    assert len(docnos) == len(set(docnos)) == unit.size
    assert {f"p{n}" for n in range(8)} <= set(docnos)
    release_unit(unit=unit)
    end_unit(unit, WorkUnit.State.ABANDONED)
    # Gold without an answer is gone, and may come again.
    assert not Slot.objects.filter(purpose=Purpose.GOLD).exists()
    again = begin_unit(crowd_plan, worker, 12, gold=8)
    assert {f"p{n}" for n in range(8)} <= {slot.docno for slot in list_unit_slots(again)}


def test_retired_gold_is_not_shown(crowd_plan, worker, campaign, organizer):
    add_gold_pairs(campaign, {("1", "g1"): 1, ("1", "g2"): 0})
    gone = campaign.gold_pairs.get(docno="g1")
    assert retire_gold(actor=organizer, campaign=campaign, pairs=[gone.pk]) == 1
    unit = begin_unit(crowd_plan, worker, 3, gold=2)
    gold = [slot.docno for slot in list_unit_slots(unit) if slot.purpose == Purpose.GOLD]
    assert gold == ["g2"]


def test_repeats_are_of_earlier_units_once(crowd_plan, worker, campaign):
    first = work_unit(crowd_plan, worker, 3)
    earlier = {slot.docno for slot in list_unit_slots(first)}
    again = []
    for _ in range(2):
        unit = work_unit(crowd_plan, worker, 3, repeats=2)
        again.append([s.docno for s in list_unit_slots(unit) if s.purpose == Purpose.REPEAT])
    assert set(again[0]) <= earlier
    assert len({*again[0], *again[1]}) == 4
    assert violations(campaign) == {}


def test_a_repeat_in_the_same_unit_comes_late(crowd_plan, worker, campaign):
    unit = work_unit(crowd_plan, worker, 16, repeats=2)
    at = {(slot.purpose, slot.docno): slot.unit_position for slot in list_unit_slots(unit)}
    again = {docno: place for (purpose, docno), place in at.items() if purpose == Purpose.REPEAT}
    assert len(again) == 2
    assert all(place - at[Purpose.JUDGE, docno] >= SOONEST for docno, place in again.items())
    assert violations(campaign) == {}


def test_same_uuid_is_one_answer_and_another_is_a_revision(crowd_plan, worker, campaign):
    unit = begin_unit(crowd_plan, worker, 2)
    slot = list_unit_slots(unit)[0]
    uuid = uuid4()
    given = answer(slot, 1, uuid)
    assert answer(slot, 1, uuid) == given
    changed = answer(slot, 3)
    assert (changed.revision, changed.slot_id, changed.lease) == (2, slot.pk, given.lease)
    assert [row.grade for row in current_unit_judgments(unit)] == [3]
    other = list_unit_slots(unit).get(state=Slot.State.LEASED)
    assert refusal(answer, other, 1, uuid) == "uuid-used"
    assert violations(campaign) == {}


def test_documents_of_others_and_of_ended_units_are_refused(crowd_plan, worker, another):
    unit, other = begin_unit(crowd_plan, worker, 2), begin_unit(crowd_plan, another(), 2)
    theirs = list_unit_slots(other)[0]
    theirs.unit = unit
    assert refusal(answer, theirs) == "not-in-unit"
    own = list_unit_slots(unit)[0]
    assert refusal(answer, own, 9) == "off-scale"
    assert refusal(answer, own, None, reason="tired") == "no-reason"
    waiting = make_unit(crowd_plan, another())
    own.unit = waiting
    assert refusal(answer, own) == "unit-not-started"
    end_unit(unit)
    own.unit = unit
    assert refusal(answer, own) == "unit-over"


def test_late_answer_is_kept_while_nobody_took_the_document(crowd_plan, another, campaign):
    unit = begin_unit(crowd_plan, another(), 16)
    crowd_plan.slots.filter(unit=unit).update(expires_at=timezone.now() - timedelta(seconds=1))
    slots = list(list_unit_slots(unit))
    assert answer(slots[0], 2).slot_id == slots[0].pk
    for _ in range(2):  # the 15 lapsed ones and the 16 that were open
        begin_unit(crowd_plan, another(), 16)
    assert refusal(answer, slots[1], 2) == "not-in-unit"
    assert violations(campaign) == {}


@pytest.mark.parametrize("reason", ["undecided", "broken"])
def test_a_skip_goes_on_at_most_as_often_as_planned(reason, crowd_plan, another, campaign):
    skippers = []
    for n in range(4):
        worker = another()
        unit = begin_unit(crowd_plan, worker, 16)
        slot = next((s for s in list_unit_slots(unit) if s.docno == "p0"), None)
        if slot is None:
            break
        answer(slot, None, reason=reason)
        skippers.append(n)
        release_unit(unit=unit)
        end_unit(unit, WorkUnit.State.ABANDONED)
    # Two go on; the next two are the last word on the two slots.
    assert len(skippers) == 4
    states = crowd_plan.slots.filter(item__docno="p0").values_list("state", flat=True)
    assert list(states) == ["skipped", "skipped"]
    assert violations(campaign) == {}


def test_a_skip_may_become_a_grade(crowd_plan, worker, another, campaign):
    unit = begin_unit(crowd_plan, worker, 16)
    first, second = list_unit_slots(unit)[:2]
    answer(first, None, reason="undecided")
    assert answer(first, 2).slot_id == first.pk
    answer(second, None, reason="undecided")
    for _ in range(2):
        work_unit(crowd_plan, another(), 16)
    late = answer(second, 2)
    assert (late.slot, late.docno, late.unit) == (None, second.docno, unit)
    assert violations(campaign) == {}


def test_members_get_no_crowd_slots(crowd_plan, campaign, organizer, assessor):
    pool = make_pool(campaign, {"1": ["m0"]}, version=2)
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]})
    assert [part.count for part in remaining_by_topic(assessor, campaign).values()] == [1]
    slots = claim_ahead(actor=assessor, campaign=campaign, topic=None, count=9)
    assert [slot.docno for slot in slots] == ["m0"]
    pair = {"topic": campaign.topics.get(number="1"), "docno": "p0"}
    given = {"actor": assessor, "campaign": campaign, "grade": 1, **pair}
    assert refusal(submit_judgment, **given) == "not-yours"
    for act in (
        lambda: assign_topics(actor=organizer, plan=crowd_plan, assessors={"1": [assessor]}),
        lambda: reassign_work(actor=organizer, plan=crowd_plan, assessor=organizer, to=[assessor]),
    ):
        assert refusal(act) == "crowd-plan"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"assessors": True}, "crowd-has-no-assessors"),
        ({"scheme": PlanOptions("round-robin", {"n": 2})}, "design-names-assessors"),
        ({"scheme": PlanOptions("topic-owner")}, "design-names-assessors"),
        ({"scheme": PlanOptions("overlap", {"n": 2}, third_from=1)}, "no-thirds"),
        ({"scheme": PlanOptions("overlap", {"n": 2}, repeat_share=0.1)}, "no-repeat-share"),
        ({"scheme": PlanOptions("overlap", {"n": 2}, rationale="relevant")}, "no-rationale"),
        ({"overlap": 3, "max_overlap": 2}, "bad-maximum"),
        ({"audience": Audience.MEMBERS, "max_overlap": 2}, "bad-maximum"),
    ],
)
def test_plans_that_the_crowd_cannot_hold(more, code, campaign, organizer, assessor):
    pool = make_pool(campaign, {"1": ["p0", "p1"]})
    if more.get("assessors"):
        more = {"assessors": {"1": [assessor]}}
    given = {"audience": Audience.CROWD, **more}
    assert refusal(create_plan, actor=organizer, pool=pool, **given) == code
    assert not campaign.plans.exists()


def test_paused_plans_and_closed_judging_give_no_work(crowd_plan, worker, campaign, organizer):
    pause_plan(actor=organizer, plan=crowd_plan)
    assert refusal(begin_unit, crowd_plan, worker) == "no-work"


def test_training_of_one_audience_leaves_the_other_alone(campaign, organizer, assessor, worker):
    rows = [TrainingRow("1", "d1", 2, "why")]
    for audience in Audience:
        add_training(actor=organizer, campaign=campaign, rows=rows, audience=audience)
    pair = list_training(campaign, Audience.CROWD).get()
    given = write_answer(
        JudgmentSubmission(
            worker.user, campaign, pair.topic, pair.docno, "grade", uuid4(),
            purpose=Purpose.TRAINING, grade=1, source=Judgment.Source.CROWD,
        )
    )  # fmt: skip
    assert (given.grade, unanswered_pairs(worker.user, campaign, Audience.CROWD).count()) == (1, 0)
    assert unanswered_pairs(assessor, campaign).count() == 1
    assert [row.total for row in list_training_pairs(campaign)] == [0]
    assert [row.total for row in list_training_pairs(campaign, Audience.CROWD)] == [1]
    # Locked for the crowd alone.
    extra = [TrainingRow("1", "d2", 2)]
    given = {"actor": organizer, "campaign": campaign, "rows": extra}
    assert add_training(**given) == 1
    assert refusal(add_training, **given, audience=Audience.CROWD) == "training-locked"
    said = {"actor": assessor, "campaign": campaign, "grade": 1, "client_uuid": uuid4()}
    assert refusal(answer_training_pair, pair=pair, **said) == "not-training"
