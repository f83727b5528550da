"""A unit of work from consent to its end: offered, started, then over in one of four ways.

offered → started → complete, abandoned, screened out or refused. Every gate is here, so that no
page can be skipped: consent before practice, practice before the work, all answers before the end.
"""

from datetime import timedelta
from functools import partial
from secrets import randbelow
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from crowd.models import CrowdWorker, Study, WorkUnit
from crowd.queries.unit_pages import (
    NO_DOCUMENTS,
    count_practice,
    find_step,
    get_consent_version,
    get_study,
    has_worked,
)
from crowd.queries.unit_work import list_places
from crowd.services.doorway import check_limits
from crowd.services.exclusions import apply_stop_rule
from crowd.services.unit_answers import UnitAnswer, submit_unit_answer
from crowd.services.unit_ends import PATIENCE, check_not_over, end_unit, is_all_answered, is_expired
from crowd.services.unit_work import UnitRequest, lock_unit, make_no_work_error, start_unit
from judging.models import Judgment, Purpose, TrainingPair
from judging.services.judgment_log import JudgmentSubmission, run_with_retries
from judging.services.training import write_answer

State = WorkUnit.State


def consent_to_study(*, unit: WorkUnit, version: int) -> WorkUnit:
    """Record that the worker has read and accepted ``version`` of the consent text."""
    with transaction.atomic():
        unit = lock_unit(unit)
        if unit.consented_at is not None:
            return unit
        check_not_over(unit)
        if version != get_consent_version(get_study(unit)):
            raise ActionRefused(
                "consent-changed",
                _("The text has changed since you opened it."),
                _("Please read it again."),
            )
        unit.consent_version, unit.consented_at = version, timezone.now()
        unit.save(update_fields=["consent_version", "consented_at"])
    return unit


def answer_practice(
    *, unit: WorkUnit, pair: TrainingPair, grade: int, client_uuid: UUID
) -> Judgment:
    """Save the worker's first answer to a practice text.

    After the last one, too few right answers screen the worker out.
    """
    check_not_over(unit)
    if find_step(unit) != "practice" or pair.campaign_id != unit.plan.campaign_id:
        raise ActionRefused("no-practice", _("This practice text is not open."), _("Go on."))
    submission = JudgmentSubmission(
        unit.worker.user, unit.plan.campaign, pair.topic, pair.docno, Judgment.Kind.GRADE,
        client_uuid, purpose=Purpose.TRAINING, grade=grade, source=Judgment.Source.CROWD,
        unit=unit.pk,
    )  # fmt: skip
    return run_with_retries(partial(write_practice_answer, unit, submission))


def write_practice_answer(unit: WorkUnit, submission: JudgmentSubmission) -> Judgment:
    require_practice_place(unit)
    judgment = write_answer(submission)
    screen_out_failed(unit)
    return judgment


def screen_out_failed(unit: WorkUnit) -> bool:
    """Screen the worker of ``unit`` out if practice is not passed; call it in a transaction."""
    if not count_practice(unit).is_failed:
        return False
    end_once(unit, State.SCREENED_OUT, "practice not passed")
    CrowdWorker.objects.filter(pk=unit.worker_id, state=CrowdWorker.State.ACTIVE).update(
        state=CrowdWorker.State.SCREENED_OUT
    )
    return True


def begin_unit(*, unit: WorkUnit) -> WorkUnit:
    """Check the unit's documents out to its worker, all at once, until the unit closes.

    The unit is refused if no documents are left for this worker; practice in it is paid. It is
    screened out if practice was not passed.
    """
    if unit.state == State.STARTED:
        return unit
    check_not_over(unit)
    study = get_study(unit)
    check_may_begin(unit, study)
    if unit.is_over:
        return unit
    request = UnitRequest(
        size=study.unit_size, one_topic=study.one_topic,
        gold=study.gold_per_unit, repeats=study.repeats_per_unit,
        until=timezone.now() + timedelta(minutes=study.unit_minutes),
        # Drawn in secret: the order must not follow from what the worker can read.
        seed=randbelow(1 << 32),
    )  # fmt: skip
    try:
        with transaction.atomic():
            require_place(unit, study)
            start_unit(unit=unit, request=request)
    except ActionRefused as refused:
        if refused.code != "no-work":
            raise
        end_once(unit, State.REFUSED, NO_DOCUMENTS)
    unit.refresh_from_db()
    return unit


def require_practice_place(unit: WorkUnit) -> None:
    """Refuse the first practice text of a unit whose place went to others, as at the door: what is
    owed for practice has a limit.
    """
    study = get_study(unit)
    practised = Judgment.objects.filter(unit=unit, purpose=Purpose.TRAINING)
    if not (list_places(study).filter(pk=unit.pk).exists() or practised.exists()):
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        check_limits(study, unit.worker, trial=unit.trial)


def require_place(unit: WorkUnit, study: Study) -> None:
    """Refuse to start a unit whose place went to others while it waited; call it in the transaction
    that starts the unit.
    """
    if unit.trial or study.max_units is None:
        return
    if unit.offered_at > timezone.now() - timedelta(minutes=study.unit_minutes):
        return
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if list_places(study).count() >= study.max_units:
        raise make_no_work_error()


def check_may_begin(unit: WorkUnit, study: Study) -> None:
    """Refuse to start before consent and practice, or while the study is not running.

    The worker is screened out if practice was not passed.
    """
    step = find_step(unit)
    if step == "consent":
        raise ActionRefused("no-consent", _("You have not agreed yet."), _("Read the first page."))
    if step == "practice":
        raise ActionRefused("no-practice", _("Practice comes first."), _("Finish the practice."))
    with transaction.atomic():
        if not has_worked(unit.worker) and screen_out_failed(unit):
            unit.refresh_from_db()
            return
    if study.state != Study.State.RUNNING and not unit.trial:
        raise ActionRefused(
            "not-running", _("There is no work right now."), _("Please go back to your platform.")
        )


def answer_unit(*, unit: WorkUnit, answer: UnitAnswer) -> Judgment:
    """Save one answer; the same ``client_uuid`` is the same answer. Then the stop rule decides if
    the unit goes on.
    """
    if is_expired(unit):
        end_expired_unit(unit)
    check_not_over(unit)
    judgment = submit_unit_answer(unit=unit, answer=answer)
    apply_stop_rule(unit=unit)
    return judgment


def complete_unit(*, unit: WorkUnit) -> WorkUnit:
    """End a unit of which every document is answered; twice is once.

    Refused (``not-finished``) while a document has no answer.
    """
    if is_expired(unit):
        end_expired_unit(unit)
    with transaction.atomic():
        unit = lock_unit(unit)
        if unit.state == State.COMPLETE:
            return unit
        check_not_over(unit)
        if not is_all_answered(unit):
            raise ActionRefused(
                "not-finished", _("Some texts have no answer yet."), _("Go on with the next text.")
            )
        return end_unit(unit, State.COMPLETE)


def leave_unit(*, unit: WorkUnit) -> WorkUnit:
    """End the unit because its worker stops; what is done is paid."""
    return end_once(unit, State.ABANDONED, "stopped by the worker")


def end_expired_unit(unit: WorkUnit) -> WorkUnit:
    """End the unit because its time is up: complete if every document was answered in time."""
    with transaction.atomic():
        locked = lock_unit(unit)
        if not locked.is_over:
            is_done = is_all_answered(locked)
            end_unit(locked, State.COMPLETE if is_done else State.ABANDONED, "time is up")
    unit.refresh_from_db()
    return locked


def end_once(unit: WorkUnit, state: str, reason: str) -> WorkUnit:
    with transaction.atomic():
        unit = lock_unit(unit)
        return unit if unit.is_over else end_unit(unit, state, reason)


def abandon_expired_units(*, study: Study | None = None) -> int:
    """End all units, or those of ``study``, whose time is up; return how many."""
    now = timezone.now()
    late = Q(state=State.STARTED, closes_at__lte=now)
    late |= Q(state=State.OFFERED, offered_at__lte=now - PATIENCE)
    units = WorkUnit.objects.filter(late)
    if study is not None:
        units = units.filter(plan=study.plan_id)
    rows = list(units)
    for unit in rows:
        end_expired_unit(unit)
    return len(rows)
