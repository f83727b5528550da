"""Answers of crowd workers: a grade or skip of a document of their unit, by its token.

A document of the pool, gold and a repeat take the same queries: their time tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID, uuid4

from django.db.models import Exists, OuterRef, Q

from campaigns.errors import ActionRefused
from campaigns.models import Topic
from judging.models import CrowdWorker, Judgment, Plan, Purpose, Slot, WorkUnit
from judging.queries.exclusions import list_active_exclusions
from judging.queries.judgments import latest_judgments, log_until
from judging.queries.slots import free_slots
from judging.services.checks import check_grade, check_judgment
from judging.services.judgment_log import (
    JudgmentSubmission,
    LostRaceError,
    append_judgment,
    lock_judging,
    run_with_retries,
    uuid_conflict,
)
from judging.services.leases import lease_slot
from judging.services.presentation import compute_shown_at, resolve_guideline_version
from judging.services.stopping import apply_stopping_rule

Kind, State = Judgment.Kind, Slot.State


@dataclass(frozen=True)
class UnitAnswer:
    """What the worker's page sends."""

    unit: WorkUnit
    token: UUID
    client_uuid: UUID
    grade: int | None
    reason: str
    comment: str
    served_at: datetime | None
    active_seconds: float | None


def submit_unit_answer(
    *,
    unit: WorkUnit,
    token: UUID,
    client_uuid: UUID,
    grade: int | None,
    reason: str = "",
    comment: str = "",
    served_at: datetime | None = None,
    active_seconds: float | None = None,
) -> Judgment:
    """Save the worker's grade, or skip with ``reason``, of the document shown under ``token``.

    A further answer under a token is a revision; the same ``client_uuid`` is the same answer.
    Refused after the unit has ended, and for documents that are not the unit's. After
    ``closes_at`` an answer is still kept while no other worker has taken the document.
    """
    answer = UnitAnswer(unit, token, client_uuid, grade, reason, comment, served_at, active_seconds)
    return run_with_retries(partial(write_unit_answer, answer))


def write_unit_answer(answer: UnitAnswer) -> Judgment:
    lock_judging(answer.unit.plan.campaign)
    known = Judgment.objects.filter(client_uuid=answer.client_uuid).first()
    if known is not None:
        if (known.unit_id, known.lease) != (answer.unit.pk, answer.token):
            raise uuid_conflict()
        return known
    require_running(answer.unit)
    slot, before = find_answered_slot(answer)
    source = before or slot
    assert source is not None  # noqa: S101 (find_answered_slot refuses)
    submission = build_submission(answer, source)
    check_judgment(submission)
    check_grade(submission)
    submission = replace(
        submission,
        served_at=compute_shown_at(submission, slot),
        guideline_version=resolve_guideline_version(submission, slot),
    )
    earlier_skips = count_other_skips(submission) if submission.kind == Kind.SKIP else 0
    if slot is not None:
        move_slot(slot, submission, earlier_skips)
    judgment = append_judgment(submission, slot)
    apply_stopping_rule(submission.campaign, [submission.topic.pk])
    return judgment


def build_submission(answer: UnitAnswer, source: Slot | Judgment) -> JudgmentSubmission:
    """The answer for the pair and purpose of ``source``."""
    unit = answer.unit
    return JudgmentSubmission(
        unit.worker.user, unit.plan.campaign, source.topic, source.docno,
        Kind.SKIP if answer.grade is None else Kind.GRADE, answer.client_uuid,
        purpose=source.purpose, token=answer.token, grade=answer.grade, reason=answer.reason,
        comment=answer.comment, source=Judgment.Source.CROWD, served_at=answer.served_at,
        active_seconds=answer.active_seconds, unit=unit,
    )  # fmt: skip


def require_running(unit: WorkUnit) -> None:
    """Lock the unit, which may be ended or set aside in the meantime."""
    exclusions = list_active_exclusions()
    own = Exists(exclusions.filter(unit=OuterRef("pk")))
    units = WorkUnit.objects.annotate(set_aside=own).select_related("worker")
    here = units.select_for_update(no_key=True, of=("self",)).get(pk=unit.pk)
    if here.is_over:
        raise ActionRefused("unit-over", "This unit has ended.")
    if here.state != WorkUnit.State.STARTED:
        raise ActionRefused("unit-not-started", "This unit has not started.")
    if here.set_aside or here.worker.state == CrowdWorker.State.EXCLUDED:
        raise ActionRefused("set-aside", "This unit takes no more answers.")


def find_answered_slot(answer: UnitAnswer) -> tuple[Slot | None, Judgment | None]:
    """The slot to fill, and for a change the answer before it.

    A skipped document may have gone on to another worker; then a change of the skip fills no
    slot.
    """
    user = answer.unit.worker.user_id
    slots = Slot.objects.select_related("plan", "topic", "item", "gold")
    held = slots.filter(
        unit=answer.unit, token=answer.token, assessor=user, state=State.LEASED
    ).first()
    if held is not None:
        return held, None
    answers = Judgment.objects.filter(unit=answer.unit, lease=answer.token).select_related("topic")
    before = answers.order_by("-pk").first()
    if before is None:
        raise ActionRefused("not-in-unit", "This document is no longer part of the unit.")
    own = Q(assessor=user) | Q(free_slots(), plan__state=Plan.State.OPEN)
    return slots.filter(own, pk=before.slot_id or 0).first(), before


def count_other_skips(submission: JudgmentSubmission) -> int:
    """The other workers whose current answer to the pair is a skip.

    The topic is locked: of two skips of a pair at the same moment the second counts the first.
    """
    Topic.objects.select_for_update(no_key=True).get(pk=submission.topic.pk)
    log = log_until(submission.campaign, purpose=submission.purpose)
    pair = log.filter(topic=submission.topic, docno=submission.docno, unit__isnull=False)
    others = latest_judgments(pair.exclude(assessor=submission.actor))
    return others.filter(kind=Kind.SKIP).count()


def move_slot(slot: Slot, submission: JudgmentSubmission, earlier_skips: int) -> None:
    """Fill the slot; or, after a skip, free it for other workers, at most as many times per pair
    as the plan has judgments of it.
    """
    goes_on = (
        submission.kind == Kind.SKIP
        and slot.purpose == Purpose.JUDGE
        and slot.plan.state != Plan.State.CLOSED
        and earlier_skips < slot.plan.overlap
    )
    if not goes_on:
        done = State.JUDGED if submission.kind == Kind.GRADE else State.SKIPPED
        lease_slot(slot, submission.actor, done, unit=submission.unit)
        return
    # The fields of a lease that ends, so that the query tells nothing.
    free = {
        "state": State.OPEN,
        "assessor": None,
        "token": uuid4(),
        "leased_at": None,
        "expires_at": None,
        "unit": submission.unit,
    }
    if not Slot.objects.filter(pk=slot.pk, token=slot.token).update(**free):
        raise LostRaceError
