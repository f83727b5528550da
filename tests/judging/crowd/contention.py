"""Crowd workers who all work at once, while an organizer sets some aside.

Run as a module it does so on the installation that the environment names and prints the outcome
as JSON: every value must be 0.
"""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import numpy as np

WORKERS, PAIRS, OVERLAP, SIZE, UNITS = 8, 40, 3, 7, 4
BAD = 2


def contend() -> dict[str, int]:
    from judging.models import Audience, Slot
    from judging.queries.invariants import list_violations
    from judging.services.exclusions import set_aside, undo_exclusion
    from judging.services.plans import create_plan
    from tests.judging.crowd.conftest import add_gold_pairs, make_worker
    from tests.world.files import make_pool
    from tests.world.people import begin_with_assessors

    campaign, _ = begin_with_assessors("crowded", 0)
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(PAIRS)]})
    owner = campaign.created_by
    plan = create_plan(actor=owner, pool=pool, overlap=OVERLAP, audience=Audience.CROWD)
    add_gold_pairs(campaign, {("1", f"g{n}"): n % 2 for n in range(6)})
    workers = [make_worker(campaign) for _ in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS + 1) as threads:
        boss = threads.submit(disturb, owner, workers[:BAD])
        given = list(threads.map(lambda worker: work(plan, worker), workers))
        exclusions = boss.result()
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
    from django.db import connection
    from django.utils import timezone

    from campaigns.errors import ActionRefused
    from judging.models import WorkUnit
    from judging.queries.unit_work import list_unit_slots
    from judging.services.unit_answers import submit_unit_answer
    from judging.services.unit_work import release_unit, start_unit
    from tests.judging.crowd.conftest import end_unit, make_unit

    random, given = np.random.default_rng(worker.pk), list[str]()
    try:
        for _ in range(UNITS):
            unit = make_unit(plan, worker)
            options = {
                "size": SIZE,
                "one_topic": False,
                "gold": 1,
                "repeats": 1,
                "until": timezone.now() + timedelta(hours=1),
                "seed": unit.pk,
            }
            try:
                for _ in range(2):
                    start_unit(unit=unit, **options)
                for slot in list(list_unit_slots(unit)):
                    if random.random() < 0.1:
                        break
                    grade = None if random.random() < 0.1 else 1
                    said = {"grade": grade, "reason": "" if grade else "undecided"}
                    uuid = uuid4()
                    for _ in range(2):
                        submit_unit_answer(unit=unit, token=slot.token, client_uuid=uuid, **said)
                    given.append(str(uuid))
            except ActionRefused as refused:
                # The last: set aside in the middle of the unit, and back again before the answer.
                if refused.code not in ("no-work", "worker-inactive", "set-aside", "not-in-unit"):
                    raise
            release_unit(unit=unit)
            end_unit(unit, WorkUnit.State.ABANDONED)
    finally:
        connection.close()
    return given


def disturb(owner: Any, workers: list[Any]) -> list[Any]:
    """Set workers aside while they work, the first one twice."""
    from django.db import connection

    from judging.models import CrowdWorker
    from judging.services.exclusions import set_aside, undo_exclusion

    try:
        first, *others = [CrowdWorker.objects.get(pk=worker.pk) for worker in workers]
        mistake = set_aside(actor=owner, worker=first, reason="mistake")
        exclusions = [set_aside(actor=None, worker=worker, reason="rule") for worker in others]
        undo_exclusion(actor=owner, exclusion=mistake)
        return [*exclusions, set_aside(actor=owner, worker=first, reason="spam")]
    finally:
        connection.close()


def outcome(campaign: Any, plan: Any, given: list[str]) -> dict[str, int]:
    from judging.models import Judgment
    from judging.queries.judgments import current_judgments

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


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(contend()))  # noqa: T201
