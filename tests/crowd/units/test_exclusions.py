"""Setting work aside, refilling, undoing; what counts at each time."""

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.models import Event
from crowd.models import CrowdWorker, WorkUnit
from crowd.queries.unit_work import list_unit_slots
from crowd.services.exclusions import set_aside, undo_exclusion
from crowd.services.unit_work import release_unit
from judging.models import Exclusion, Judgment, Slot
from judging.queries.exchange import iter_log_rows
from judging.queries.judgments import load_pair_ballots
from judging.queries.quality import load_judging_record
from judging.services.crowd_plans import ask_one_more
from judging.services.qrels import freeze_qrels, verify_qrels
from tests.crowd.units.conftest import answer, begin_unit, end_unit, violations, work_unit
from tests.refusals import refusal

State = Slot.State


def votes(campaign, **more):
    """By worker, the number of pairs in which they vote; extra votes apart."""
    people: dict[str, int] = {}
    for ballot in load_pair_ballots(campaign, **more).list_ballots():
        for name in ballot.people:
            people[name] = people.get(name, 0) + 1
    return people


def freeze(campaign):
    return freeze_qrels(actor=campaign.created_by, campaign=campaign, policy="median-floor")


def test_set_aside_counts_no_more_and_reopens(crowd_plan, another, campaign, organizer):
    good, bad = another(), another()
    work_unit(crowd_plan, good, 16, grade=2)
    unit = work_unit(crowd_plan, bad, 16, grade=0)
    exclusion = set_aside(actor=organizer, worker=bad, reason="All the same grade.")
    assert bad.state == CrowdWorker.State.EXCLUDED
    assert votes(campaign) == {good.pseudonym: 16}
    assert crowd_plan.slots.filter(state=State.OPEN).count() == 16
    assert Judgment.objects.filter(unit=unit).count() == 16
    assert violations(campaign) == {}
    event = Event.objects.get(code="exclusion.set")
    assert (event.actor, event.data["reason"]) == (organizer, "All the same grade.")
    assert event.data["judgments"] == 16
    undone = undo_exclusion(actor=organizer, exclusion=exclusion)
    assert (undone.undoes, bad.state) == (exclusion, CrowdWorker.State.ACTIVE)
    assert votes(campaign) == {good.pseudonym: 16, bad.pseudonym: 16}
    assert not crowd_plan.slots.filter(state=State.OPEN).exists()
    assert violations(campaign) == {}


def test_undo_after_refill_leaves_the_refill(crowd_plan, another, campaign, organizer):
    good, bad, late = another(), another(), another()
    work_unit(crowd_plan, good, 16, grade=2)
    work_unit(crowd_plan, bad, 16, grade=0)
    exclusion = set_aside(actor=organizer, worker=bad, reason="spam")
    work_unit(crowd_plan, late, 10, grade=2)
    undo_exclusion(actor=organizer, exclusion=exclusion)
    # Six slots were still free; ten judgments are extra and count no more.
    assert votes(campaign) == {good.pseudonym: 16, late.pseudonym: 10, bad.pseudonym: 6}
    assert sum(len(ballot.extra) for ballot in load_pair_ballots(campaign).list_ballots()) == 10
    own = Judgment.objects.filter(assessor=bad.user)
    assert sorted(own.values_list("revision", flat=True)) == [1] * 16 + [2] * 16
    assert violations(campaign) == {}


def test_qrels_are_rebuilt_at_every_stage(crowd_plan, another, campaign, organizer):
    good, bad, late = another(), another(), another()
    work_unit(crowd_plan, good, 16, grade=2)
    work_unit(crowd_plan, bad, 16, grade=0)
    frozen = [freeze(campaign)]
    exclusion = set_aside(actor=organizer, worker=bad, reason="spam")
    assert verify_qrels(frozen[0])
    frozen.append(freeze(campaign))
    work_unit(crowd_plan, late, 10, grade=1)
    frozen.append(freeze(campaign))
    undo_exclusion(actor=organizer, exclusion=exclusion)
    frozen.append(freeze(campaign))
    set_aside(actor=organizer, worker=good, reason="asked to be left out")
    frozen.append(freeze(campaign))
    assert [verify_qrels(each) for each in frozen] == [True] * 5
    # Of 2 and 0; 2 alone; of 2 and 1 where late judged; of 2 and 0 elsewhere; without 2.
    grades = [{"1": 16}, {"2": 16}, {"1": 10, "2": 6}, {"1": 16}, {"0": 6, "1": 10}]
    assert [each.manifest["grades"] for each in frozen] == grades
    none = {"units": 0, "workers": 0, "judgments": 0, "units_by_reason": {}}
    one = {"units": 1, "workers": 1, "judgments": 16}
    spam, asked = ({"units_by_reason": {why: 1}} for why in ("spam", "asked to be left out"))
    assert [each.manifest["set_aside"] for each in frozen] == [
        None, one | spam, one | spam, none, one | asked,
    ]  # fmt: skip


def test_as_of_a_time_counts_what_counted_then(crowd_plan, another, campaign, organizer):
    good, bad = another(), another()
    work_unit(crowd_plan, good, 16)
    work_unit(crowd_plan, bad, 16)
    both = timezone.now()
    exclusion = set_aside(actor=organizer, worker=bad, reason="spam")
    one = timezone.now()
    undo_exclusion(actor=organizer, exclusion=exclusion)
    assert votes(campaign, as_of=both) == {good.pseudonym: 16, bad.pseudonym: 16}
    assert votes(campaign, as_of=one) == {good.pseudonym: 16}
    assert votes(campaign) == votes(campaign, as_of=both)


def test_one_unit_is_set_aside_alone(crowd_plan, another, campaign, organizer):
    bad = another()
    first = work_unit(crowd_plan, bad, 6)
    work_unit(crowd_plan, bad, 6)
    exclusion = set_aside(actor=None, worker=bad, unit=first, reason="too fast")
    assert (bad.state, votes(campaign)) == (CrowdWorker.State.ACTIVE, {bad.pseudonym: 6})
    whole = set_aside(actor=organizer, worker=bad, reason="spam")
    # The unit stays set aside by itself.
    undo_exclusion(actor=organizer, exclusion=whole)
    assert votes(campaign) == {bad.pseudonym: 6}
    undo_exclusion(actor=organizer, exclusion=exclusion)
    assert votes(campaign) == {bad.pseudonym: 12}
    assert violations(campaign) == {}
    assert Exclusion.objects.count() == 4


def test_running_unit_returns_and_takes_no_answers(crowd_plan, worker, campaign, organizer):
    unit = begin_unit(crowd_plan, worker, 5)
    slots = list(list_unit_slots(unit))
    given = answer(slots[0], 2)
    set_aside(actor=organizer, worker=worker, reason="spam")
    assert crowd_plan.slots.filter(state=State.OPEN).count() == 32
    for token in (slots[1].token, given.lease):
        slots[1].token = token
        assert refusal(answer, slots[1], 1) == "set-aside"
    end_unit(unit, WorkUnit.State.SCREENED_OUT)
    assert refusal(begin_unit, crowd_plan, worker) == "worker-inactive"
    assert violations(campaign) == {}


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_reason_is_needed(reason, worker, organizer):
    assert refusal(set_aside, actor=organizer, worker=worker, reason=reason) == "no-reason"


def test_twice_and_of_another_is_refused(crowd_plan, worker, another, organizer, assessor):
    unit = work_unit(crowd_plan, worker, 2)
    exclusion = set_aside(actor=organizer, worker=worker, reason="spam")
    given = {"actor": organizer, "reason": "again"}
    assert refusal(set_aside, **given, worker=worker) == "already-set-aside"
    assert refusal(set_aside, **given, worker=another(), unit=unit) == "other-worker"
    with pytest.raises(PermissionDenied):
        undo_exclusion(actor=assessor, exclusion=exclusion)
    undo_exclusion(actor=organizer, exclusion=exclusion)
    assert refusal(undo_exclusion, actor=organizer, exclusion=exclusion) == "not-set-aside"


def test_exports_and_quality_know_it(crowd_plan, another, campaign, organizer):
    good, bad = another(), another()
    work_unit(crowd_plan, good, 4)
    unit = work_unit(crowd_plan, bad, 4)
    set_aside(actor=organizer, worker=bad, reason="spam")
    rows = list(iter_log_rows(campaign))
    aside = {(row["assessor"], row["set_aside"], row["current"]) for row in rows}
    assert aside == {(good.pseudonym, False, True), (bad.pseudonym, True, False)}
    assert {row["unit"] for row in rows if row["set_aside"]} == {str(unit.public_id)}
    assert {row["assessor"] for row in iter_log_rows(campaign, current=True)} == {good.pseudonym}
    assert load_judging_record(campaign).people.assessors == (good.pseudonym,)


def test_trials_never_count_and_return_everything(crowd_plan, worker, campaign):
    unit = begin_unit(crowd_plan, worker, 5, trial=True)
    for slot in list_unit_slots(unit)[:3]:
        answer(slot, 2)
    assert votes(campaign) == {}
    assert release_unit(unit=unit) == 5
    end_unit(unit)
    assert crowd_plan.slots.filter(state=State.OPEN).count() == 32
    assert violations(campaign) == {}


def test_one_more_up_to_the_maximum(crowd_plan, another, campaign, organizer):
    items = list(crowd_plan.slots.filter(k=0).values_list("item", flat=True))[:3]
    asked = [ask_one_more(actor=organizer, plan=crowd_plan, pairs=items) for _ in range(3)]
    assert asked == [3, 3, 0]
    ks = crowd_plan.slots.filter(item=items[0]).order_by("k").values_list("k", flat=True)
    assert list(ks) == [0, 1, 2, 3]
    assert ask_one_more(actor=None, plan=crowd_plan, pairs=[]) == 0
    for _ in range(4):
        work_unit(crowd_plan, another(), 16)
    assert sum(votes(campaign).values()) == 2 * 13 + 4 * 3
    assert violations(campaign) == {}
