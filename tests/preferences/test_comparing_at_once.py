"""Many assessors at once: no slot is given twice, nothing is lost, nothing doubled."""

from collections import Counter
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from judging.queries.invariants import list_violations
from preferences.models import ComparisonSlot, Preference
from preferences.queries.invariants import COMPARISON_INVARIANTS
from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
from preferences.services.comparisons import claim_comparison, try_lease
from tests.preferences.conftest import answer
from tests.world.at_once import count_faults, run_at_once
from tests.world.files import make_pool
from tests.world.people import begin_with_assessors

ASSESSORS, DOCUMENTS, JUDGES = 6, 8, 2
LAPSE_EVERY = 5


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_comparing_at_once_doubles_and_loses_nothing(request):
    faults = count_faults(__name__, request)
    assert faults == dict.fromkeys(faults, 0)
    assert len(faults) == 5


def contend() -> dict[str, int]:
    """Compare all pairs with ``ASSESSORS`` threads; some leases lapse while they are answered."""
    campaign, users = begin_with_assessors("contended", ASSESSORS)
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(DOCUMENTS)]})
    options = ComparisonOptions("documents", "Pairs", pool=pool, judges=JUDGES)
    plan = create_comparison_plan(actor=campaign.created_by, campaign=campaign, options=options)
    start = Barrier(ASSESSORS)
    done = run_at_once(lambda user: work(user, campaign, plan, start), users)
    violated = sum(count for _, count in list_violations(campaign, COMPARISON_INVARIANTS))
    faults = outcome(plan, [uuid for uuids in done for uuid in uuids])
    return faults | {"invariants violated": violated}


def work(user: Any, campaign: Any, plan: Any, start: Barrier) -> list[str]:
    """Claim and answer until nothing is left; return the uuids that were acknowledged."""
    done: list[str] = []
    start.wait()
    while slot := claim_comparison(actor=user, campaign=campaign, plan=plan):
        if len(done) % LAPSE_EVERY == LAPSE_EVERY - 1:
            past = timezone.now() - timedelta(seconds=1)
            same = ComparisonSlot.objects.filter(pk=slot.pk, token=slot.token)
            same.update(expires_at=past)
        uuid = uuid4()
        for _ in range(2):  # every key is pressed twice
            answer(user, slot, "left", client_uuid=uuid)
        done.append(str(uuid))
    return done


def outcome(plan: Any, acknowledged: list[str]) -> dict[str, int]:
    """Everything here is a count of faults."""
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


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="threads need a server")
def test_two_assessors_who_want_one_slot_at_the_same_moment(make_plan, pool, assessor, assessor2):
    slot = make_plan(pool=pool).comparisons.first().slots.get()
    copies = [type(slot).objects.get(pk=slot.pk) for _ in range(2)]
    meet = Barrier(2)

    def lease(copy, user):
        meet.wait()
        return try_lease(copy, user)

    assert sorted(run_at_once(lease, copies, (assessor, assessor2))) == [False, True]
    slot.refresh_from_db()
    assert slot.state == "leased"


def test_a_slot_that_another_has_taken_in_between_is_not_leased(pairs_plan, assessor, assessor2):
    first, second = (pairs_plan.comparisons.first().slots.get(k=0) for _ in range(2))
    assert try_lease(first, assessor)
    assert not try_lease(second, assessor2)
    first.refresh_from_db()
    assert first.assessor == assessor


def test_an_assessor_never_gets_both_slots_of_a_comparison(pairs_plan, assessor):
    first, second = pairs_plan.comparisons.first().slots.all()
    assert try_lease(first, assessor)
    assert not try_lease(second, assessor)
