"""Assessors who all work at once on one topic, and what must hold afterwards.

Run as a module it does so on the installation that the environment names and prints the
outcome as JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

ASSESSORS, PAIRS, OVERLAP = 8, 60, 2
LAPSE_EVERY = 7


def contend() -> dict[str, Any]:
    """Judge a pool with ``ASSESSORS`` threads; some leases lapse while they are judged."""
    from campaigns.core.scale import GradeSpec
    from campaigns.models import Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.people import add_member
    from judging.services.plans import make_plan
    from tests.judging.conftest import make_pool

    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
    campaign = create_campaign(actor=owner, title="Contended", slug="contended", scale=scale)
    topic = Topic.objects.create(campaign=campaign, number="1", title="t")
    users = [User.objects.create(username=f"a{n}") for n in range(ASSESSORS)]
    for user in users:
        add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(PAIRS)]})
    make_plan(actor=owner, pool=pool, overlap=OVERLAP, assessors={"1": users})
    with ThreadPoolExecutor(ASSESSORS) as threads:
        given = list(threads.map(lambda user: work(user, campaign, topic), users))
    return outcome(campaign, [uuid for uuids in given for uuid in uuids])


def work(user: Any, campaign: Any, topic: Any) -> list[str]:
    """Claim and judge until nothing is left; return the uuids that were acknowledged."""
    from django.db import connection
    from django.utils import timezone

    from judging.models import Slot
    from judging.services.work import claim, judge

    args = {"actor": user, "campaign": campaign, "topic": topic}
    given: list[str] = []
    try:
        while (slot := claim(**args)) is not None:
            if len(given) % LAPSE_EVERY == LAPSE_EVERY - 1:
                past = timezone.now() - timedelta(seconds=1)
                Slot.objects.filter(pk=slot.pk, token=slot.token).update(expires_at=past)
            uuid = uuid4()
            for _ in range(2):  # every button is pressed twice
                judge(**args, docno=slot.item.docno, grade=1, client_uuid=uuid, token=slot.token)
            given.append(str(uuid))
    finally:
        connection.close()
    return given


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
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    print(json.dumps(contend()))  # noqa: T201
