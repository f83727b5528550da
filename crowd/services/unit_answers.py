"""Answers of crowd workers: a grade or skip of a document of their unit, by its token.

A document of the pool, gold and a repeat take the same queries: their time tells nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from campaigns.errors import ActionRefused
from campaigns.models import Topic
from crowd.models import CrowdWorker, WorkUnit
from judging.models import Judgment, Plan, Slot
from judging.queries.exclusions import list_active_exclusions
from judging.queries.slots import free_slots
from judging.services.crowd_acts import append_answer
from judging.services.judgment_log import (
    JudgmentSubmission,
    PairHistory,
    lock_judging,
    run_with_retries,
    uuid_conflict,
)

Kind, State = Judgment.Kind, Slot.State
BARRED = (CrowdWorker.State.EXCLUDED, CrowdWorker.State.WITHDRAWN)


@dataclass(frozen=True)
class UnitAnswer:
    """What the worker's page sends: a grade, or None with the ``reason`` why they cannot tell."""

    token: UUID
    client_uuid: UUID
    grade: int | None
    reason: str = ""
    comment: str = ""
    served_at: datetime | None = None
    active_seconds: float | None = None


def submit_unit_answer(*, unit: WorkUnit, answer: UnitAnswer) -> Judgment:
    """Save the worker's grade, or skip with its reason, of the document shown under the token.

    A further answer under a token is a revision; the same ``client_uuid`` is the same answer.
    Refused after the unit has ended, and for documents that are not the unit's. After
    ``closes_at`` an answer is still kept while no other worker has taken the document.
    """
    return run_with_retries(partial(write_unit_answer, unit, answer))


def write_unit_answer(unit: WorkUnit, answer: UnitAnswer) -> Judgment:
    lock_judging(unit.plan.campaign)
    if (slot := find_held_slot(unit, answer)) is not None:
        read = (slot.last, False, slot.seen, slot.sha256, slot.is_on_scale, slot.has_rule)
        pair = slot.topic, slot.pair_docno, slot.purpose
        return append_unit_answer(unit, answer, slot, pair, PairHistory(*read))
    # A change, a repetition, or a unit that takes no answer: step by step.
    known = Judgment.objects.filter(client_uuid=answer.client_uuid).first()
    if known is not None:
        if (known.unit_id, known.lease) != (unit.pk, answer.token):
            raise uuid_conflict()
        return known
    require_running(unit)
    held, source = find_answered_slot(unit, answer.token)
    return append_unit_answer(unit, answer, held, (source.topic, source.docno, source.purpose))


def append_unit_answer(
    unit: WorkUnit,
    answer: UnitAnswer,
    slot: Slot | None,
    pair: tuple[Topic, str, str],
    history: PairHistory | None = None,
) -> Judgment:
    """``pair``: the topic, docno and purpose of what is answered."""
    topic, docno, purpose = pair
    submission = JudgmentSubmission(
        unit.worker.user, unit.plan.campaign, topic, docno,
        Kind.SKIP if answer.grade is None else Kind.GRADE, purpose=purpose,
        source=Judgment.Source.CROWD, unit=unit.pk, **vars(answer),
    )  # fmt: skip
    return append_answer(submission, slot, history)


HELD = """
SELECT slot.*, plan.state AS plan_state, COALESCE(item.docno, gold.docno) AS pair_docno,
    (SELECT MAX(revision) FROM judging_judgment own WHERE own.campaign_id = %(campaign)s
        AND own.topic_id = slot.topic_id AND own.assessor_id = slot.assessor_id
        AND own.docno = COALESCE(item.docno, gold.docno) AND own.purpose = slot.purpose) AS last,
    (SELECT COUNT(*) FROM judging_judgment own WHERE own.campaign_id = %(campaign)s
        AND own.topic_id = slot.topic_id AND own.assessor_id = slot.assessor_id
        AND own.purpose IN ('judge', 'repeat', 'gold') AND own.revision = 1) AS seen,
    COALESCE((SELECT sha256 FROM campaigns_document text WHERE text.campaign_id = %(campaign)s
        AND text.docno = COALESCE(item.docno, gold.docno)), '') AS sha256,
    EXISTS (SELECT 1 FROM campaigns_grade
        WHERE campaign_id = %(campaign)s AND value = %(grade)s) AS is_on_scale,
    EXISTS (SELECT 1 FROM judging_stoppingrule WHERE campaign_id = %(campaign)s) AS has_rule
FROM judging_slot slot
    JOIN judging_workunit unit ON unit.id = slot.unit_id
    JOIN judging_crowdworker worker ON worker.id = unit.worker_id
    JOIN judging_plan plan ON plan.id = slot.plan_id
    LEFT JOIN pooling_poolitem item ON item.id = slot.item_id
    LEFT JOIN judging_goldpair gold ON gold.id = slot.gold_id
WHERE slot.token = %(token)s AND slot.state = 'leased' AND slot.assessor_id = %(assessor)s
    AND unit.id = %(unit)s AND unit.state = 'started'
    AND worker.state NOT IN ('excluded', 'withdrawn')
    AND NOT EXISTS (SELECT 1 FROM judging_judgment WHERE client_uuid = %(client_uuid)s)
    AND NOT EXISTS (SELECT 1 FROM judging_exclusion aside WHERE aside.unit_id = unit.id
        AND aside.undoes_id IS NULL AND NOT EXISTS
            (SELECT 1 FROM judging_exclusion undone WHERE undone.undoes_id = aside.id))
"""
"""Written out: built from models for every answer it took half of the answer's time."""


def find_held_slot(unit: WorkUnit, answer: UnitAnswer) -> Any:
    """The slot that waits for ``answer``, with what a ``PairHistory`` needs, in one query that
    locks the unit; None if there is none, or if another request has locked the unit.
    """
    values = {
        "campaign": unit.plan.campaign_id, "unit": unit.pk, "assessor": unit.worker.user_id,
        "grade": answer.grade or 0,
        "token": answer.token.hex, "client_uuid": answer.client_uuid.hex,
    }  # fmt: skip
    can_lock = connection.features.has_select_for_update
    lock = "FOR NO KEY UPDATE OF unit SKIP LOCKED" if can_lock else ""
    slot: Any = next(iter(Slot.objects.raw(HELD + lock, values)), None)
    if slot is not None:
        unit.plan.state = slot.plan_state
        slot.plan, slot.topic = unit.plan, Topic(pk=slot.topic_id)
    return slot


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
    if here.set_aside or here.worker.state in BARRED:
        raise ActionRefused("set-aside", "This unit takes no more answers.")


def find_answered_slot(unit: WorkUnit, token: UUID) -> tuple[Slot | None, Slot | Judgment]:
    """The slot to fill, and what says of which document: the slot, or the answer to change.

    A skipped document may have gone on to another worker; then a change of the skip fills no
    slot.
    """
    user = unit.worker.user_id
    slots = Slot.objects.select_related("plan", "topic", "item", "gold")
    held = slots.filter(unit=unit, token=token, assessor=user, state=State.LEASED).first()
    if held is not None:
        return held, held
    answers = Judgment.objects.filter(unit=unit, lease=token).select_related("topic")
    before = answers.order_by("-pk").first()
    if before is None:
        raise ActionRefused("not-in-unit", "This document is no longer part of the unit.")
    own = Q(assessor=user) | Q(free_slots(), plan__state=Plan.State.OPEN)
    return slots.filter(own, pk=before.slot_id or 0).first(), before
