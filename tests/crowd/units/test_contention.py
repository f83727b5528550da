"""Many crowd workers at once, while an organizer sets some aside: never above redundancy, nothing
lost, nothing doubled.
"""

from collections import Counter
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.services.campaigns import create_campaign
from crowd.models import BatchItem, CrowdWorker, WorkUnit
from crowd.queries.payment_sheet import load_payment_sheet
from crowd.queries.unit_work import list_unit_slots
from crowd.services.exclusions import set_aside, undo_exclusion
from crowd.services.payment_batches import make_batch, mark_batch_paid, void_batch
from crowd.services.payments import grant_bonus
from crowd.services.unit_answers import UnitAnswer, submit_unit_answer
from crowd.services.unit_work import release_unit, start_unit
from judging.models import Audience, Judgment, Slot
from judging.queries.invariants import list_violations
from judging.queries.judgments import current_judgments
from judging.services.plans import create_plan
from poolbench.judging.scale import GradeSpec
from tests.crowd.crowd_work import make_paid_study
from tests.crowd.units.conftest import (
    add_gold_pairs,
    end_unit,
    make_unit,
    make_worker,
    request_unit,
)
from tests.examples import ALL
from tests.world.at_once import count_faults, run_at_once
from tests.world.files import make_pool
from tests.world.people import begin_with_assessors

WORKERS, PAIRS, OVERLAP, SIZE, UNITS = (8, 40, 3, 7, 4) if ALL else (5, 18, 3, 5, 2)
BAD = 2
SCALE = [GradeSpec(grade, str(grade), str(grade), float(grade)) for grade in range(4)]


@pytest.mark.django_db(transaction=True)
def test_workers_at_once(request):
    found = count_faults(__name__, request)
    assert found == dict.fromkeys(found, 0)


def contend() -> dict[str, int]:
    return contend_for_units() | contend_for_batches()


def contend_for_batches() -> dict[str, int]:
    """Batches made, marked and made void at once, while bonuses are granted."""
    owner = User.objects.get(username="owner")
    campaign = create_campaign(actor=owner, title="Paying", slug="paying", scale=SCALE)
    study = make_paid_study(campaign)
    payment = study.payments.earliest("pk")

    def pay(number: int) -> None:
        batch = make_batch(actor=owner, study=study, reward=Decimal(3))
        (void_batch if number % 2 else mark_batch_paid)(actor=owner, batch=batch)

    def grant(_: int) -> None:
        given = {"amount": Decimal(1), "reason": "x", "client_uuid": uuid4()}
        grant_bonus(actor=owner, payment=payment, **given)

    def act(number: int) -> None:
        with suppress(ActionRefused):  # nothing is left for a batch
            (grant if number % 3 == 0 else pay)(number)

    run_at_once(act, range(9))
    sheet = load_payment_sheet(study)
    items = BatchItem.objects.filter(batch__study=study)
    return {
        "amounts in two batches": items.count() - len(set(items.values_list("payment", "bonus"))),
        "amounts of void batches": items.filter(batch__voided_at__isnull=False).count(),
        "cents lost": int(100 * (sum(row.total for row in sheet) - 9 - 3)),
        "numbers of batches twice": study.batches.count()
        - len(set(study.batches.values_list("number", flat=True))),
    }


def contend_for_units() -> dict[str, int]:
    campaign, _ = begin_with_assessors("crowded", 0)
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(PAIRS)]})
    owner = campaign.created_by
    plan = create_plan(actor=owner, pool=pool, overlap=OVERLAP, audience=Audience.CROWD)
    add_gold_pairs(campaign, {("1", f"g{n}"): n % 2 for n in range(6)})
    workers = [make_worker(campaign) for _ in range(WORKERS)]
    acts = [lambda: disturb(owner, workers[:BAD]), *(partial(work, plan, each) for each in workers)]
    exclusions, *given = run_at_once(lambda act: act(), acts)
    violated = sum(count for _, count in list_violations(campaign))
    for exclusion in exclusions:
        undo_exclusion(actor=owner, exclusion=exclusion)
    undone = sum(count for _, count in list_violations(campaign))
    set_aside(actor=owner, worker=workers[-1], reason="late")
    return {
        "invariants violated": violated,
        "invariants violated after undoing": undone,
        "invariants violated after setting aside": sum(n for _, n in list_violations(campaign)),
        "left checked out": Slot.objects.filter(state="leased").count(),
        **outcome(campaign, plan, [uuid for uuids in given for uuid in uuids]),
    }


def work(plan: Any, worker: Any) -> list[str]:
    """Units until nothing is left: each is started twice, each answer sent twice."""
    random, given = np.random.default_rng(worker.pk), list[str]()
    for _ in range(UNITS):
        unit = make_unit(plan, worker)
        request = request_unit(unit, SIZE, gold=1, repeats=1)
        try:
            for _ in range(2):
                start_unit(unit=unit, request=request)
            for slot in list(list_unit_slots(unit)):
                if random.random() < 0.1:
                    break
                grade = None if random.random() < 0.1 else 1
                said = {"grade": grade, "reason": "" if grade else "undecided"}
                uuid = uuid4()
                for _ in range(2):
                    submit_unit_answer(unit=unit, answer=UnitAnswer(slot.token, uuid, **said))
                given.append(str(uuid))
        except ActionRefused as refused:
            # The last: set aside in the middle of the unit, and back again before the answer.
            if refused.code not in ("no-work", "worker-inactive", "set-aside", "not-in-unit"):
                raise
        release_unit(unit=unit)
        end_unit(unit, WorkUnit.State.ABANDONED)
    return given


def disturb(owner: Any, workers: list[Any]) -> list[Any]:
    """Set workers aside while they work, the first one twice."""
    first, *others = [CrowdWorker.objects.get(pk=worker.pk) for worker in workers]
    mistake = set_aside(actor=owner, worker=first, reason="mistake")
    exclusions = [set_aside(actor=None, worker=worker, reason="rule") for worker in others]
    undo_exclusion(actor=owner, exclusion=mistake)
    return [*exclusions, set_aside(actor=owner, worker=first, reason="spam")]


def outcome(campaign: Any, plan: Any, given: list[str]) -> dict[str, int]:
    uuids = {str(uuid) for uuid in Judgment.objects.values_list("client_uuid", flat=True)}
    current = current_judgments(campaign).filter(slot__isnull=False)
    counts = Counter(current.values_list("slot__item", flat=True))
    own = Counter(
        plan.slots.filter(purpose="judge", assessor__isnull=False).values_list("item", "assessor")
    )
    return {
        "acknowledged and lost": len(set(given) - uuids),
        "pairs above redundancy": sum(count > OVERLAP for count in counts.values()),
        "slots of a pair and worker twice": sum(count > 1 for count in own.values()),
    }
