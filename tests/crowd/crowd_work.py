"""Crowd work as rows: a study with many workers, some of them bad, without walking every page."""

from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import uuid4

from django.utils import timezone

from campaigns.models import Campaign, Topic, User
from crowd.models import CrowdWorker, GoldPair, Payment, Study, WorkUnit
from crowd.services.keys import hash_external, seal_external
from judging.models import Judgment, Purpose, Slot
from pooling.models import PoolItem
from tests.crowd.worker_study import make_study

HONEST, RANDOM, LINE, FAST = "honest", "random", "line", "fast"


def make_worker(study: Study, number: int, external: str = "") -> CrowdWorker:
    name = external or f"pid-{number:04}"
    user = User(username=f"worker-t{number:04}", is_active=False)
    user.set_unusable_password()
    user.save()
    return CrowdWorker.objects.create(
        campaign=study.campaign, provider=study.provider, user=user,
        external_hash=hash_external(study.campaign, name),
        external_id=seal_external(study.campaign, name),
    )  # fmt: skip


def make_complete_unit(study: Study, worker: CrowdWorker, number: int, size: int = 6) -> WorkUnit:
    now = timezone.now()
    name = f"sub-{number:05}"
    return WorkUnit.objects.create(
        plan=study.plan, worker=worker, size=size, state="complete",
        external_hash=hash_external(study.campaign, name),
        external_id=seal_external(study.campaign, name),
        started_at=now - timedelta(minutes=30), ended_at=now, server_seconds=60.0 * size,
        receipt=f"{number:032x}",
    )  # fmt: skip


def make_crowd(study: Study, kinds: list[str], seed: int = 5) -> list[CrowdWorker]:
    """A worker with a complete unit of eight pool documents and four gold ones for each kind.

    The true grade of a document is 3 for every third one, else 0.
    """
    random = Random(seed)  # noqa: S311
    items = list(PoolItem.objects.filter(pool=study.plan.pool).order_by("pk"))
    topic = items[0].topic
    gold = list(GoldPair.objects.filter(campaign=study.campaign).order_by("pk"))
    workers, judgments = [], []
    for number, kind in enumerate(kinds):
        worker = make_worker(study, number)
        workers.append(worker)
        unit = make_complete_unit(study, worker, number, len(gold) + 8)
        chosen = [items[(number + at) % len(items)] for at in range(8)]
        shown = [(item.docno, 3 * (item.position % 3 == 0), None) for item in chosen]
        shown += [(pair.docno, pair.grade, pair) for pair in gold]
        random.shuffle(shown)
        for at, (docno, truth, pair) in enumerate(shown):
            grade = truth if random.random() < 0.95 else 3 - truth
            grade = {RANDOM: random.choice((0, 1, 2, 3)), LINE: 0}.get(kind, grade)
            judgments.append(answer(study, unit, docno, grade, at, pair, topic, fast=kind == FAST))
    Judgment.objects.bulk_create(judgments)
    start = timezone.now() - timedelta(minutes=30)
    rows = list(Judgment.objects.filter(unit__plan=study.plan).order_by("pk"))
    for row in rows:
        seconds = (row.rank_shown or 0) * (1 if row.comment == FAST else 40)
        row.judged_at = start + timedelta(seconds=seconds)
        row.rank_shown, row.comment = None, ""
    Judgment.objects.bulk_update(rows, ["judged_at", "rank_shown", "comment"], batch_size=400)
    WorkUnit.objects.filter(plan=study.plan).update(started_at=start)
    return workers


def answer(
    study: Study, unit: WorkUnit, docno: str, grade: int, at: int, pair: GoldPair | None,
    topic: Topic, *, fast: bool,
) -> Judgment:  # fmt: skip
    purpose = Purpose.GOLD if pair else Purpose.JUDGE
    slot = None
    if pair is not None:
        slot = Slot.objects.create(
            plan=study.plan, gold=pair, topic=topic, purpose=purpose, k=0, position=at,
            state="judged", assessor=unit.worker.user, unit=unit, unit_position=at + 1,
        )  # fmt: skip
    return Judgment(
        campaign=study.campaign, topic=topic, docno=docno, assessor=unit.worker.user,
        purpose=purpose, revision=1, kind="grade", grade=grade, slot=slot, unit=unit,
        source="crowd", client_uuid=uuid4(), rank_shown=at + 1, comment=FAST if fast else "",
    )  # fmt: skip


def make_payment(unit: WorkUnit, amount: str = "3.00", **more: Any) -> Payment:
    study = Study.objects.get(plan=unit.plan_id)
    return Payment.objects.create(
        study=study, unit=unit, judged=6, gold_shown=2, gold_right=1, seconds=300.0,
        amount=Decimal(amount), currency="EUR", reason="complete: pay for a unit", **more,
    )  # fmt: skip


def make_paid_study(campaign: Campaign, units: int = 3) -> Study:
    """A study with one complete, paid unit for each of ``units`` workers."""
    study = make_study(campaign)
    for number in range(units):
        worker = make_worker(study, number)
        make_payment(make_complete_unit(study, worker, number))
    return study
