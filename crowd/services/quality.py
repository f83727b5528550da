"""Quality of crowd work: the stop rule after each answer, and work set aside by organizers."""

from __future__ import annotations

from django.db import transaction

from campaigns.models import User
from campaigns.rules import require_permission
from crowd.core.quality.stop_rule import StopRule, format_stop_reason
from crowd.models import Study
from crowd.queries.unit_answers import load_gold_interval
from crowd.services.unit_ends import end_running_units, end_unit
from judging.models import CrowdWorker, Exclusion, WorkUnit
from judging.services.exclusions import set_aside
from judging.services.judgment_log import lock_judging
from judging.services.unit_work import lock_unit

BY_ORGANIZERS = "set aside by the organizers"
"""Why a unit ended whose worker was set aside by hand."""


def apply_stop_rule(*, unit: WorkUnit) -> bool:
    """Set the worker of ``unit`` aside if the answers on gold demand it, and end the unit.

    Call it after every answer: it makes the same queries after a gold document and after another
    one. True: the unit is screened out, paid for the time, and its remaining documents are free.
    With the worker, all their running units of the campaign end. The worker of a trial is not set
    aside.
    """
    study = Study.objects.get(plan=unit.plan_id)
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
