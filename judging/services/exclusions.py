"""Setting the work of crowd workers aside, undoing that, and asking for one more judgment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import uuid4

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from campaigns.core.faults import format_count
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import (
    Audience,
    CrowdWorker,
    Exclusion,
    Judgment,
    Plan,
    Purpose,
    Slot,
    WorkUnit,
)
from judging.queries.exclusions import list_active_exclusions
from judging.queries.judgments import latest_judgments
from judging.queries.slots import free_slots
from judging.services.judgment_log import lock_judging, run_with_retries
from judging.services.plan_slots import copy_with_slot
from judging.services.stopping import apply_stopping_rule
from judging.services.unit_work import release_unit

State = Slot.State
BATCH = 500
MAX_REASON = 500


def set_aside(
    *, actor: User | None, worker: CrowdWorker, unit: WorkUnit | None = None, reason: str
) -> Exclusion:
    """Let the work of ``worker``, or of one ``unit``, count no more; its documents open again.

    The judgments remain in the log. Documents that are checked out return. ``actor`` is None
    where a rule decides. A worker who is set aside gets no more documents; the caller ends the
    running unit.
    """
    if actor is not None:
        require_permission(actor, "campaigns.manage", worker.campaign)
    check_exclusion(worker, unit, reason)
    exclusion = run_with_retries(partial(write_exclusion, actor, worker, unit, reason.strip()))
    worker.refresh_from_db(fields=["state"])
    return exclusion


def undo_exclusion(*, actor: User, exclusion: Exclusion) -> Exclusion:
    """Let the work count again. Its judgments are logged once more: with a slot of their pair
    where one is free, otherwise without.
    """
    require_permission(actor, "campaigns.manage", exclusion.campaign)
    undone = run_with_retries(partial(write_end_of_exclusion, actor, exclusion))
    exclusion.worker.refresh_from_db(fields=["state"])
    return undone


def write_exclusion(
    actor: User | None, worker: CrowdWorker, unit: WorkUnit | None, reason: str
) -> Exclusion:
    # Shared, as by answers, of which one may have led here; qrels are frozen before or after.
    lock_judging(worker.campaign)
    lock_worker(worker)
    if list_active_exclusions().filter(worker=worker, unit=unit).exists():
        raise ActionRefused("already-set-aside", "This work is already set aside.")
    exclusion = Exclusion.objects.create(
        campaign=worker.campaign,
        worker=worker,
        unit=unit,
        reason=reason,
        actor=actor,
        set_at=after_frozen_qrels(worker.campaign),
    )
    if unit is None:
        CrowdWorker.objects.filter(pk=worker.pk).update(state=CrowdWorker.State.EXCLUDED)
    units = list(list_covered_units(exclusion))
    for each in units:
        if not each.is_over:
            release_unit(unit=each)
    reopened = reopen_judged(worker, units)
    apply_stopping_rule(worker.campaign, list_judged_topics(units))
    log_exclusion(exclusion, "exclusion.set", reopened)
    return exclusion


def write_end_of_exclusion(actor: User, exclusion: Exclusion) -> Exclusion:
    campaign, worker = exclusion.campaign, exclusion.worker
    lock_judging(campaign)
    lock_worker(worker)
    in_force = list_active_exclusions().filter(worker=worker)
    if not in_force.filter(pk=exclusion.pk).exists():
        raise ActionRefused("not-set-aside", "This work is no longer set aside.")
    others = set(in_force.exclude(pk=exclusion.pk).values_list("unit", flat=True))
    units = [unit for unit in list_covered_units(exclusion) if not others & {None, unit.pk}]
    # Before the exclusion ends: at no moment do two judgments fill a slot.
    logged = log_judgments_again(worker, [unit for unit in units if not unit.trial])
    undone = Exclusion.objects.create(
        campaign=campaign,
        worker=worker,
        unit=exclusion.unit,
        reason=exclusion.reason,
        actor=actor,
        undoes=exclusion,
        set_at=after_frozen_qrels(campaign),
    )
    if exclusion.unit_id is None and None not in others:
        CrowdWorker.objects.filter(pk=worker.pk).update(state=find_earlier_state(worker))
    apply_stopping_rule(campaign, list_judged_topics(units))
    log_exclusion(undone, "exclusion.undone", logged)
    return undone


def find_earlier_state(worker: CrowdWorker) -> str:
    """The state of ``worker`` without exclusions: screened out if a unit ended so before its
    first document, which is failed practice.
    """
    failed = WorkUnit.objects.filter(
        worker=worker, state=WorkUnit.State.SCREENED_OUT, started_at=None
    )
    states = CrowdWorker.State
    return str(states.SCREENED_OUT if failed.exists() else states.ACTIVE)


def after_frozen_qrels(campaign: Campaign) -> datetime:
    """Now; but later than every frozen version, also if its server's clock was ahead."""
    last = campaign.qrels.aggregate(last=Max("as_of"))["last"]
    now = timezone.now()
    return now if last is None else max(now, last + timedelta(microseconds=1))


def lock_worker(worker: CrowdWorker) -> None:
    """Lock the worker's running units, as their answers do, then the worker."""
    running = WorkUnit.objects.select_for_update(no_key=True, of=("self",)).filter(
        worker=worker, ended_at=None
    )
    list(running.order_by("pk").values_list("pk", flat=True))
    CrowdWorker.objects.select_for_update(no_key=True).get(pk=worker.pk)


def check_exclusion(worker: CrowdWorker, unit: WorkUnit | None, reason: str) -> None:
    if not 0 < len(reason.strip()) <= MAX_REASON:
        fix = f"Enter at most {MAX_REASON} characters."
        raise ActionRefused("no-reason", "Give a reason for setting work aside.", fix)
    if unit is not None and unit.worker_id != worker.pk:
        raise ActionRefused("other-worker", "This unit is not of this worker.")


def list_covered_units(exclusion: Exclusion) -> QuerySet[WorkUnit]:
    """The units that ``exclusion`` names, by itself or through their worker."""
    units = WorkUnit.objects.filter(worker=exclusion.worker_id)
    units = units if exclusion.unit_id is None else units.filter(pk=exclusion.unit_id)
    return units.select_related("plan__campaign", "worker__user").order_by("pk")


def list_judged_topics(units: Collection[WorkUnit]) -> list[int]:
    rows = Judgment.objects.filter(unit__in=units, purpose=Purpose.JUDGE).order_by()
    return sorted(set(rows.values_list("topic", flat=True)))


def reopen_judged(worker: CrowdWorker, units: Collection[WorkUnit]) -> int:
    """Open the pool's slots that these units fill, for other workers; return the number."""
    rows = Judgment.objects.filter(unit__in=units, purpose=Purpose.JUDGE, slot__isnull=False)
    filled = Slot.objects.filter(
        pk__in=rows.order_by().values("slot"),
        purpose=Purpose.JUDGE,
        assessor=worker.user_id,
        state__in=(State.JUDGED, State.SKIPPED),
    )
    return filled.update(state=State.OPEN, assessor=None, expires_at=None, token=uuid4())


def log_judgments_again(worker: CrowdWorker, units: Collection[WorkUnit]) -> int:
    """Append a revision of each current grade of ``units``; return the number."""
    log = Judgment.objects.filter(unit__in=units, purpose=Purpose.JUDGE)
    current = latest_judgments(log).filter(kind=Judgment.Kind.GRADE).order_by("pk")
    rows = list(current.select_related("slot"))
    free = lock_slots_of_judgments(rows)
    filled: list[Slot] = []
    copies = []
    for row in rows:
        slot = choose_slot(row, free[row.topic_id, row.docno])
        if slot is not None:
            slot.state, slot.assessor_id, slot.token = State.JUDGED, worker.user_id, uuid4()
            slot.expires_at, slot.unit_id = None, row.unit_id
            filled.append(slot)
        copies.append(copy_judgment(row, slot))
    Slot.objects.bulk_update(
        filled, ["state", "assessor", "token", "expires_at", "unit"], batch_size=BATCH
    )
    Judgment.objects.bulk_create(copies, batch_size=BATCH)
    return len(copies)


def lock_slots_of_judgments(rows: Sequence[Judgment]) -> dict[tuple[int, str], list[Slot]]:
    """The free slots of the pairs of ``rows`` in plans for the crowd, locked."""
    by_pair: dict[tuple[int, str], list[Slot]] = defaultdict(list)
    pairs = {(row.topic_id, row.docno) for row in rows}
    for start in range(0, len(rows), BATCH):
        part = rows[start : start + BATCH]
        slots = Slot.objects.filter(
            free_slots(),
            purpose=Purpose.JUDGE,
            plan__audience=Audience.CROWD,
            topic__in={row.topic_id for row in part},
            item__docno__in={row.docno for row in part},
        ).select_for_update(skip_locked=True, no_key=True, of=("self",))
        known = {slot.pk for listed in by_pair.values() for slot in listed}
        for slot in slots.select_related("item").order_by("k", "pk"):
            if (slot.topic_id, slot.docno) in pairs and slot.pk not in known:
                by_pair[slot.topic_id, slot.docno].append(slot)
    return by_pair


def choose_slot(judgment: Judgment, free: Sequence[Slot]) -> Slot | None:
    """The slot that the judgment filled before, otherwise the first one."""
    return min(free, key=lambda slot: (slot.pk != judgment.slot_id, slot.k), default=None)


def copy_judgment(judgment: Judgment, slot: Slot | None) -> Judgment:
    """The same answer as a new revision that fills ``slot``."""
    again = copy_with_slot(judgment, slot)
    again.unit_id, again.source, again.lease = judgment.unit_id, judgment.source, judgment.lease
    return again


def log_exclusion(exclusion: Exclusion, code: str, judgments: int) -> None:
    unit = f", unit {exclusion.unit.public_id}" if exclusion.unit else ""
    events.log_event(
        campaign=exclusion.campaign,
        actor=exclusion.actor,
        code=code,
        subject=f"{exclusion.worker.pseudonym}{unit}",
        reason=exclusion.reason,
        judgments=judgments,
    )


def ask_one_more(*, actor: User | None, plan: Plan, pairs: Collection[int]) -> int:
    """Request one more judgment of each of ``pairs`` (pool items of the plan), up to the plan's
    ``max_overlap``; return the number requested. ``actor`` is None where a rule decides.
    """
    if actor is not None:
        require_permission(actor, "campaigns.manage", plan.campaign)
    if plan.audience != Audience.CROWD or plan.state == Plan.State.CLOSED:
        fix = "Create a new plan for the crowd."
        raise ActionRefused("no-crowd-plan", "This plan requests no more judgments.", fix)
    with transaction.atomic():
        # Locked: two requests at the same moment come one after the other.
        Plan.objects.select_for_update(no_key=True).get(pk=plan.pk)
        slots = Slot.objects.filter(plan=plan, item__in=pairs, purpose=Purpose.JUDGE).order_by()
        counts = slots.values("item", "topic", "position").annotate(last=Max("k"))
        limit = plan.max_overlap or plan.overlap
        new = [
            Slot(
                plan=plan,
                item_id=row["item"],
                topic_id=row["topic"],
                position=row["position"],
                k=row["last"] + 1,
            )
            for row in counts
            if row["last"] + 1 < limit
        ]
        Slot.objects.bulk_create(new, batch_size=BATCH)
        if new:
            events.log_event(
                campaign=plan.campaign,
                actor=actor,
                code="plan.one_more",
                subject=format_count(len(new), "judgment"),
                plan=plan.pk,
            )
    return len(new)
