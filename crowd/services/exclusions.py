"""Work of the crowd that must not count: the stop rule, exclusions by organizers, undoing them."""

from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services import events
from crowd.models import CrowdWorker, Study, WorkUnit
from crowd.queries.unit_work import load_gold_interval
from crowd.services.unit_ends import end_running_units, end_unit
from crowd.services.unit_work import lock_unit, release_unit
from judging.models import Exclusion
from judging.queries.exclusions import list_active_exclusions
from judging.services.crowd_acts import count_units_again, set_units_aside
from judging.services.judgment_log import lock_judging, run_with_retries
from poolbench.crowd.quality.gold import StopRule, format_stop_reason

MAX_REASON = 500
BY_ORGANIZERS = "set aside by the organizers"
"""Why a unit ended whose worker was set aside by hand."""


def apply_stop_rule(*, unit: WorkUnit) -> bool:
    """Set the worker of ``unit`` aside if the answers on gold demand it, and end the unit.

    Call it after every answer: it makes the same queries after a gold document and after another
    one. True: the unit is screened out, paid for the time, and its remaining documents are free.
    With the worker, all their running units of the campaign end. The worker of a trial is not set
    aside.
    """
    study: Study = unit.plan.study
    rule = StopRule(study.stop_after, study.stop_below)
    gold = load_gold_interval(unit)
    if not rule.is_met(gold):
        return False
    reason = format_stop_reason(rule, gold)
    with transaction.atomic():
        lock_judging(study.campaign)
        locked = lock_unit(unit)
        if locked.state != WorkUnit.State.STARTED:
            return False
        end_unit(locked, WorkUnit.State.SCREENED_OUT, reason)
        worker = CrowdWorker.objects.select_related("campaign", "user").get(pk=locked.worker_id)
        if not locked.trial and worker.state != CrowdWorker.State.EXCLUDED:
            set_aside(actor=None, worker=worker, reason=reason)
        if not locked.trial:
            end_running_units(WorkUnit.objects.filter(worker=worker, trial=False), reason)
    unit.refresh_from_db()
    return True


def set_work_aside(
    *, actor: User, worker: CrowdWorker, unit: WorkUnit | None = None, reason: str
) -> Exclusion:
    """Set the work of ``worker``, or one ``unit``, aside, and end what is running of it.

    A unit that was started is screened out and paid for the time; one that was only offered is
    refused. The judgments remain in the log.
    """
    require_permission(actor, "campaigns.manage", worker.campaign)
    with transaction.atomic():
        lock_judging(worker.campaign)
        exclusion = set_aside(actor=actor, worker=worker, unit=unit, reason=reason)
        units = WorkUnit.objects.filter(worker=worker)
        units = units if unit is None else units.filter(pk=unit.pk)
        end_running_units(units, BY_ORGANIZERS)
    return exclusion


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
    actor: User | None,
    worker: CrowdWorker,
    unit: WorkUnit | None,
    reason: str,
    code: str = "exclusion.set",
) -> Exclusion:
    """``code``: of the event that it logs, if any."""
    # Shared, as by answers, of which one may have led here; qrels are frozen before or after.
    lock_judging(worker.campaign)
    lock_worker(worker)
    if list_active_exclusions().filter(worker=worker, unit=unit).exists():
        raise ActionRefused("already-set-aside", "This work is already set aside.")
    exclusion = Exclusion(
        campaign=worker.campaign, worker=worker, unit=unit, reason=reason, actor=actor
    )
    if unit is None:
        CrowdWorker.objects.filter(pk=worker.pk).update(state=CrowdWorker.State.EXCLUDED)
    units = list(list_covered_units(exclusion))
    for each in units:
        if not each.is_over:
            release_unit(unit=each)
    reopened = set_units_aside(exclusion, [each.pk for each in units])
    if code:
        log_exclusion(exclusion, code, reopened)
    return exclusion


def write_end_of_exclusion(actor: User, exclusion: Exclusion) -> Exclusion:
    campaign, worker = exclusion.campaign, exclusion.worker
    lock_judging(campaign)
    if lock_worker(worker).state == CrowdWorker.State.WITHDRAWN:
        raise ActionRefused("consent-withdrawn", "The worker has withdrawn their consent.")
    in_force = list_active_exclusions().filter(worker=worker)
    if not in_force.filter(pk=exclusion.pk).exists():
        raise ActionRefused("not-set-aside", "This work is no longer set aside.")
    others = set(in_force.exclude(pk=exclusion.pk).values_list("unit", flat=True))
    units = [each for each in list_covered_units(exclusion) if not others & {None, each.pk}]
    undone = Exclusion(
        campaign=campaign, worker=worker, unit=exclusion.unit, reason=exclusion.reason,
        actor=actor, undoes=exclusion,
    )  # fmt: skip
    logged = count_units_again(undone, [each.pk for each in units])
    if exclusion.unit_id is None and None not in others:
        CrowdWorker.objects.filter(pk=worker.pk).update(state=find_earlier_state(worker))
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


def lock_worker(worker: CrowdWorker) -> CrowdWorker:
    """Lock the worker's running units, as their answers do, then the worker."""
    running = WorkUnit.objects.select_for_update(no_key=True, of=("self",)).filter(
        worker=worker, ended_at=None
    )
    list(running.order_by("pk").values_list("pk", flat=True))
    return CrowdWorker.objects.select_for_update(no_key=True).get(pk=worker.pk)


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
