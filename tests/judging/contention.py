"""Assessors who all work at once on one topic, and what must hold afterwards.

Run as a module it does so on the installation that the environment names and prints the
outcome as JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Barrier, BrokenBarrierError
from typing import Any
from uuid import uuid4

ASSESSORS, PAIRS, OVERLAP = 8, 60, 2
DISPUTED, MEETING = 5, 0.1
LAPSE_EVERY = 7


def contend() -> dict[str, Any]:
    """Judge a pool with ``ASSESSORS`` threads; some leases lapse while they are judged."""
    from judging.services.plans import create_plan
    from tests.world.files import make_pool
    from tests.world.people import begin_with_assessors

    campaign, users = begin_with_assessors("contended", ASSESSORS)
    owner, topic = campaign.created_by, campaign.topics.get()
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(PAIRS)]})
    create_plan(actor=owner, pool=pool, overlap=OVERLAP, assessors={"1": users})
    with ThreadPoolExecutor(ASSESSORS) as threads:
        given = list(threads.map(lambda user: work(user, campaign, topic), users))
    found = outcome(campaign, [uuid for uuids in given for uuid in uuids])
    found |= disagree(owner, campaign, users[:2])
    return found | skip_at_once(owner, campaign, users[:3])


def work(user: Any, campaign: Any, topic: Any) -> list[str]:
    """Claim and judge until nothing is left; return the uuids that were acknowledged."""
    from django.db import connection
    from django.utils import timezone

    from judging.models import Slot
    from judging.services.judgments import claim_ahead, submit_judgment

    args = {"actor": user, "campaign": campaign, "topic": topic}
    ahead = 1 + user.pk % 3
    given: list[str] = []
    try:
        while slots := claim_ahead(**args, count=ahead):
            slot = slots[0]
            if len(given) % LAPSE_EVERY == LAPSE_EVERY - 1:
                past = timezone.now() - timedelta(seconds=1)
                Slot.objects.filter(pk=slot.pk, token=slot.token).update(expires_at=past)
            uuid = uuid4()
            for _ in range(2):  # every button is pressed twice
                submit_judgment(
                    **args, docno=slot.item.docno, grade=1, client_uuid=uuid, token=slot.token
                )
            given.append(str(uuid))
    finally:
        connection.close()
    return given


def disagree(owner: Any, campaign: Any, users: list[Any]) -> dict[str, int]:
    """Two judge each pair at the same moment and differently: each must get one third slot."""
    from campaigns.models import Topic
    from judging.models import Plan, Slot
    from judging.services.plans import create_plan
    from tests.world.files import make_pool

    topic = Topic.objects.create(campaign=campaign, number="2", title="t", position=2)
    docnos = [f"e{n}" for n in range(DISPUTED)]
    pool = make_pool(campaign, {"2": docnos}, version=2)
    plan = create_plan(actor=owner, pool=pool, overlap=2, assessors={"2": users})
    Plan.objects.filter(pk=plan.pk).update(third_from=1)
    at_once = Barrier(2)
    with ThreadPoolExecutor(2) as threads, both_written_before_either_looks("add_third_slot"):
        args = [(user, grade, campaign, topic, docnos, at_once) for grade, user in enumerate(users)]
        list(threads.map(lambda each: dispute(*each), args))
    counts = Counter(Slot.objects.filter(plan=plan).values_list("item__docno", flat=True))
    return {"pairs without one third slot": sum(counts[docno] != 3 for docno in docnos)}


def skip_at_once(owner: Any, campaign: Any, users: list[Any]) -> dict[str, int]:
    """Two of three skip each pair at the same moment: the third gets one of its two slots."""
    from campaigns.models import Topic
    from judging.models import Slot
    from judging.queries.invariants import list_violations
    from judging.services.plans import create_plan
    from tests.world.files import make_pool

    topic = Topic.objects.create(campaign=campaign, number="3", title="t", position=3)
    docnos = [f"f{n}" for n in range(DISPUTED)]
    pool = make_pool(campaign, {"3": docnos}, version=3)
    plan = create_plan(actor=owner, pool=pool, overlap=2, assessors={"3": users})
    at_once = Barrier(2)
    with ThreadPoolExecutor(2) as threads, both_written_before_either_looks("pass_on_skip"):
        args = [(user, None, campaign, topic, docnos, at_once) for user in users[:2]]
        list(threads.map(lambda each: dispute(*each), args))
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
    from judging.services import followups, judgments

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


def dispute(user: Any, grade: Any, campaign: Any, topic: Any, docnos: Any, at_once: Any) -> None:
    """Judge all documents, or skip them if ``grade`` is None."""
    from django.db import connection

    from judging.services.judgments import claim_next, submit_judgment, submit_skip

    args = {"actor": user, "campaign": campaign, "topic": topic}
    try:
        for _ in docnos:
            # Each holds a slot of their own, else the one would wait for the other's.
            slot = claim_next(**args)
            at_once.wait(60)
            pair = {**args, "docno": slot.item.docno, "client_uuid": uuid4()}
            if grade is None:
                submit_skip(**pair, reason="undecided")
            else:
                submit_judgment(**pair, grade=grade)
    finally:
        connection.close()


def outcome(campaign: Any, given: list[str]) -> dict[str, Any]:
    from judging.models import Judgment, Slot

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


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(contend()))  # noqa: T201
