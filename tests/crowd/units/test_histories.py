"""Any history of crowd work: the invariants hold after each step, frozen qrels are rebuilt."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from campaigns.errors import ActionRefused
from crowd.models import WorkUnit
from crowd.queries.unit_work import list_unit_slots
from crowd.services.exclusions import set_aside, undo_exclusion
from crowd.services.unit_answers import UnitAnswer, submit_unit_answer
from crowd.services.unit_work import release_unit
from judging.models import Audience, Judgment, Slot
from judging.queries.invariants import list_violations
from judging.queries.judgments import load_pair_ballots
from judging.services.crowd_plans import ask_one_more
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels, verify_qrels
from tests.crowd.units.conftest import (
    add_gold_pairs,
    answer,
    begin_unit,
    current_unit_judgments,
    end_unit,
    make_worker,
)
from tests.examples import ALL
from tests.world.files import make_pool
from tests.world.people import begin_with_assessors

WORKERS, OVERLAP, MOST = 4, 2, 3
EXPECTED = {
    "no-work", "worker-inactive", "already-set-aside", "not-in-unit", "set-aside", "no-judgments",
}  # fmt: skip
at = st.integers(0, 99)
grades = st.sampled_from([0, 1, None])


class CrowdWork(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.campaign, _ = begin_with_assessors(f"h{uuid4().hex[:8]}", 0)
        self.owner = self.campaign.created_by
        pool = make_pool(self.campaign, {"1": [f"d{n}" for n in range(7)]})
        self.plan = create_plan(
            actor=self.owner, pool=pool, overlap=OVERLAP, audience=Audience.CROWD, max_overlap=MOST
        )
        add_gold_pairs(self.campaign, {("1", f"g{n}"): n % 2 for n in range(3)})
        self.workers = [make_worker(self.campaign) for _ in range(WORKERS)]
        self.running: dict[int, WorkUnit] = {}
        self.frozen: list = []
        self.exclusions: list = []

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    def attempt(self, act) -> object:
        """The result of ``act``, None where it is refused for one of the expected reasons."""
        try:
            return act()
        except ActionRefused as refused:
            if refused.code not in EXPECTED:
                raise
            return None

    @rule(who=st.integers(0, WORKERS - 1), size=st.integers(1, 9), gold=st.integers(0, 2))
    def start(self, who: int, size: int, gold: int) -> None:
        if who in self.running:
            return
        begun = self.attempt(
            lambda: begin_unit(self.plan, self.workers[who], size, gold=gold, repeats=1)
        )
        if begun is None:
            WorkUnit.objects.filter(worker=self.workers[who], state="offered").update(
                state="refused", ended_at=timezone.now()
            )
        else:
            self.running[who] = begun

    @precondition(lambda self: self.running)
    @rule(which=at, doc=at, grade=grades)
    def answer_one(self, which: int, doc: int, grade: int | None) -> None:
        unit = self.pick_running(which)
        slots = list(list_unit_slots(unit).filter(state=Slot.State.LEASED))
        if slots:
            slot = slots[doc % len(slots)]
            slot.unit = unit
            reason = "" if grade is not None else "undecided"
            self.attempt(lambda: answer(slot, grade, reason=reason))

    @precondition(lambda self: self.running)
    @rule(which=at, doc=at, grade=grades)
    def change_one(self, which: int, doc: int, grade: int | None) -> None:
        unit = self.pick_running(which)
        given = list(current_unit_judgments(unit))
        if given:
            said = {"grade": grade, "reason": "" if grade is not None else "broken"}
            token = given[doc % len(given)].lease
            self.attempt(
                lambda: submit_unit_answer(unit=unit, answer=UnitAnswer(token, uuid4(), **said))
            )

    @precondition(lambda self: self.running)
    @rule(which=at)
    def lapse(self, which: int) -> None:
        past = timezone.now() - timedelta(seconds=1)
        unit = self.pick_running(which)
        Slot.objects.filter(unit=unit, state=Slot.State.LEASED).update(expires_at=past)

    @precondition(lambda self: self.running)
    @rule(which=at)
    def leave(self, which: int) -> None:
        who = sorted(self.running)[which % len(self.running)]
        unit = self.running.pop(who)
        release_unit(unit=unit)
        end_unit(unit, WorkUnit.State.ABANDONED)

    @rule(who=st.integers(0, WORKERS - 1))
    def exclude_worker(self, who: int) -> None:
        made = self.attempt(
            lambda: set_aside(actor=self.owner, worker=self.workers[who], reason=f"spam {who}")
        )
        self.exclusions += [made] if made else []

    @precondition(lambda self: WorkUnit.objects.filter(plan=self.plan, size__gt=0).exists())
    @rule(which=at)
    def exclude_unit(self, which: int) -> None:
        units = list(WorkUnit.objects.filter(plan=self.plan, size__gt=0))
        unit = units[which % len(units)]
        made = self.attempt(
            lambda: set_aside(actor=None, worker=unit.worker, unit=unit, reason="too fast")
        )
        self.exclusions += [made] if made else []

    @precondition(lambda self: self.exclusions)
    @rule(which=at)
    def undo(self, which: int) -> None:
        exclusion = self.exclusions.pop(which % len(self.exclusions))
        undo_exclusion(actor=self.owner, exclusion=exclusion)
        for worker in self.workers:
            worker.refresh_from_db()

    @rule(which=at)
    def ask(self, which: int) -> None:
        item = self.plan.pool.items.order_by("pk")[which % 7].pk
        ask_one_more(actor=None, plan=self.plan, pairs=[item])

    @rule()
    def freeze(self) -> None:
        made = self.attempt(
            lambda: freeze_qrels(actor=self.owner, campaign=self.campaign, policy="mean-floor")
        )
        self.frozen += [made] if made else []

    def pick_running(self, which: int) -> WorkUnit:
        return self.running[sorted(self.running)[which % len(self.running)]]

    @invariant()
    def holds(self) -> None:
        assert [it.name for it, count in list_violations(self.campaign) if count] == []
        for ballot in load_pair_ballots(self.campaign).list_ballots():
            assert len(ballot.people) <= MOST
            assert ballot.docno.startswith("d")
        assert all(verify_qrels(each) for each in self.frozen)
        own = Judgment.objects.filter(campaign=self.campaign).values_list("client_uuid")
        assert len(own) == len(set(own))


@pytest.mark.django_db
def test_any_history_keeps_the_invariants():
    run_state_machine_as_test(
        CrowdWork,
        settings=settings(
            max_examples=20 if ALL else 2,
            stateful_step_count=25 if ALL else 12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
