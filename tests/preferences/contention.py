"""Assessors who all compare at once, and what must hold afterwards.

Run as a module it does so on the installation that the environment names and prints the
outcome as JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

ASSESSORS, DOCUMENTS, JUDGES = 6, 8, 2
LAPSE_EVERY = 5


def compare_at_once() -> dict[str, int]:
    """Compare all pairs with ``ASSESSORS`` threads; some leases lapse while they are answered."""
    from preferences.queries.invariants import list_comparison_violations
    from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
    from tests.world.files import make_pool
    from tests.world.people import begin_with_assessors

    campaign, users = begin_with_assessors("contended", ASSESSORS)
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(DOCUMENTS)]})
    options = ComparisonOptions("documents", "Pairs", pool=pool, judges=JUDGES)
    plan = create_comparison_plan(actor=campaign.created_by, campaign=campaign, options=options)
    start = Barrier(ASSESSORS)
    with ThreadPoolExecutor(ASSESSORS) as threads:
        done = list(threads.map(lambda user: work(user, campaign, plan, start), users))
    return outcome(plan, [uuid for uuids in done for uuid in uuids]) | {
        "invariants violated": sum(count for _, count in list_comparison_violations(campaign))
    }


def work(user: Any, campaign: Any, plan: Any, start: Barrier) -> list[str]:
    """Claim and answer until nothing is left; return the uuids that were acknowledged."""
    from django.db import connection
    from django.utils import timezone

    from preferences.models import ComparisonSlot
    from preferences.services.comparisons import claim_comparison
    from tests.preferences.conftest import answer

    done: list[str] = []
    start.wait()
    try:
        while slot := claim_comparison(actor=user, campaign=campaign, plan=plan):
            if len(done) % LAPSE_EVERY == LAPSE_EVERY - 1:
                past = timezone.now() - timedelta(seconds=1)
                same = ComparisonSlot.objects.filter(pk=slot.pk, token=slot.token)
                same.update(expires_at=past)
            uuid = uuid4()
            for _ in range(2):  # every key is pressed twice
                answer(user, slot, "left", client_uuid=uuid)
            done.append(str(uuid))
    finally:
        connection.close()
    return done


def outcome(plan: Any, acknowledged: list[str]) -> dict[str, int]:
    """Everything here is a count of faults."""
    from preferences.models import ComparisonSlot, Preference

    log = list(Preference.objects.filter(comparison__plan=plan))
    slots = ComparisonSlot.objects.filter(comparison__plan=plan)
    saved = {str(row.client_uuid) for row in log}
    twice = Counter((row.comparison_id, row.assessor_id) for row in log)
    return {
        "slots not judged": slots.exclude(state="judged").count(),
        "answers lost": len(set(acknowledged) - saved),
        "answers doubled": len(log) - len(saved),
        "comparisons answered twice by one assessor": sum(n > 1 for n in twice.values()),
    }


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps(compare_at_once()))
