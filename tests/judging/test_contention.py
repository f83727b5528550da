"""Many assessors at once: nobody gets the same slot, nothing is lost, nothing doubled."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from threading import Barrier, BrokenBarrierError
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from campaigns.models import Topic
from judging.models import Judgment, Plan, Slot
from judging.queries.invariants import list_violations
from judging.services import followups, judgments
from judging.services.judgments import claim_ahead, claim_next
from judging.services.plans import create_plan
from tests.examples import ALL
from tests.world.at_once import count_faults, run_at_once
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import begin_with_assessors

ASSESSORS, PAIRS, OVERLAP = (8, 60, 2) if ALL else (4, 12, 2)
DISPUTED, MEETING = 5 if ALL else 3, 0.1
LAPSE_EVERY = 7 if ALL else 3


@pytest.mark.django_db(transaction=True)
def test_contention_doubles_and_loses_nothing(request):
    found = count_faults(__name__, request)
    assert found == dict.fromkeys(found, 0)


def contend() -> dict[str, Any]:
    """Judge a pool with ``ASSESSORS`` threads; some leases lapse while they are judged."""
    campaign, users = begin_with_assessors("contended", ASSESSORS)
    owner, topic = campaign.created_by, campaign.topics.get()
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(PAIRS)]})
    create_plan(actor=owner, pool=pool, overlap=OVERLAP, assessors={"1": users})
    given = run_at_once(lambda user: work(user, campaign, topic), users)
    found = outcome(campaign, [uuid for uuids in given for uuid in uuids])
    found |= disagree(owner, campaign, users[:2])
    return found | skip_at_once(owner, campaign, users[:3])


def work(user: Any, campaign: Any, topic: Any) -> list[str]:
    """Claim and judge until nothing is left; return the uuids that were acknowledged."""
    args = {"actor": user, "campaign": campaign, "topic": topic}
    ahead = 1 + user.pk % 3
    given: list[str] = []
    while slots := claim_ahead(**args, count=ahead):
        slot = slots[0]
        if len(given) % LAPSE_EVERY == LAPSE_EVERY - 1:
            past = timezone.now() - timedelta(seconds=1)
            Slot.objects.filter(pk=slot.pk, token=slot.token).update(expires_at=past)
        uuid = uuid4()
        for _ in range(2):  # every button is pressed twice
            submit_judgment(**args, slot=slot, grade=1, client_uuid=uuid)
        given.append(str(uuid))
    return given


def disagree(owner: Any, campaign: Any, users: list[Any]) -> dict[str, int]:
    """Two judge each pair at the same moment and differently: each must get one third slot."""
    topic = Topic.objects.create(campaign=campaign, number="2", title="t", position=2)
    docnos = [f"e{n}" for n in range(DISPUTED)]
    pool = make_pool(campaign, {"2": docnos}, version=2)
    plan = create_plan(actor=owner, pool=pool, overlap=2, assessors={"2": users})
    Plan.objects.filter(pk=plan.pk).update(third_from=1)
    at_once = Barrier(2)
    with both_written_before_either_looks("add_third_slot"):
        run_at_once(partial(dispute, campaign, topic, docnos, at_once), users, (0, 1))
    counts = Counter(Slot.objects.filter(plan=plan).values_list("item__docno", flat=True))
    return {"pairs without one third slot": sum(counts[docno] != 3 for docno in docnos)}


def skip_at_once(owner: Any, campaign: Any, users: list[Any]) -> dict[str, int]:
    """Two of three skip each pair at the same moment: the third gets one of its two slots."""
    topic = Topic.objects.create(campaign=campaign, number="3", title="t", position=3)
    docnos = [f"f{n}" for n in range(DISPUTED)]
    pool = make_pool(campaign, {"3": docnos}, version=3)
    plan = create_plan(actor=owner, pool=pool, overlap=2, assessors={"3": users})
    at_once = Barrier(2)
    with both_written_before_either_looks("pass_on_skip"):
        run_at_once(partial(dispute, campaign, topic, docnos, at_once), users[:2], (None, None))
    states = Counter(Slot.objects.filter(plan=plan).values_list("item__docno", "state"))
    wrong = [d for d in docnos if states[d, "open"] != 1 or states[d, "skipped"] != 1]
    work(users[2], campaign, topic)
    filled = Slot.objects.filter(plan=plan, state="judged", assessor=users[2]).count()
    return {
        "pairs that did not go on once": len(wrong),
        "skips that the third did not judge": DISPUTED - filled,
        "invariants violated": sum(count for _, count in list_violations(campaign)),
    }


@contextmanager
def both_written_before_either_looks(name: str) -> Iterator[None]:
    """Have each wait, within its transaction, for the other to come as far; but not for ever.

    Who lets one judgment of a pair be written at a time makes the second come too late.
    """
    module: Any = judgments if hasattr(judgments, name) else followups
    look, meeting = getattr(module, name), Barrier(2)

    def wait_and_look(*args: Any) -> None:
        try:
            meeting.wait(MEETING)
        except BrokenBarrierError:
            meeting.reset()
        look(*args)

    setattr(module, name, wait_and_look)
    try:
        yield
    finally:
        setattr(module, name, look)


def dispute(campaign: Any, topic: Any, docnos: Any, at_once: Any, user: Any, grade: Any) -> None:
    """Judge all documents, or skip them if ``grade`` is None."""
    args = {"actor": user, "campaign": campaign, "topic": topic}
    for _ in docnos:
        # Each holds a slot of their own, else the one would wait for the other's.
        slot = claim_next(**args)
        at_once.wait(60)
        pair = {**args, "docno": slot.item.docno, "client_uuid": uuid4()}
        if grade is None:
            submit_judgment(**pair, reason="undecided")
        else:
            submit_judgment(**pair, grade=grade)


def outcome(campaign: Any, given: list[str]) -> dict[str, Any]:
    rows = list(Judgment.objects.values_list("docno", "assessor", "slot", "client_uuid"))
    filled = Counter(docno for docno, _, slot, _ in rows if slot is not None)
    return {
        "slots not judged": Slot.objects.exclude(state="judged").count(),
        "pairs judged twice by one": len(rows) - len({(d, a) for d, a, _, _ in rows}),
        "slots filled twice": sum(filled.values()) - len({s for _, _, s, _ in rows if s}),
        "pairs above overlap": sum(count > OVERLAP for count in filled.values()),
        "pairs below overlap": PAIRS - sum(count == OVERLAP for count in filled.values()),
        "acknowledged and lost": len(set(given) - {str(uuid) for *_, uuid in rows}),
        "written and not acknowledged": len(rows) - len(given),
    }
