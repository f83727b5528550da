"""Answers of crowd workers: a grade or skip of a document of their unit, by its token.

A document of the pool, gold and a repeat take the same queries: their time tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from campaigns.errors import ActionRefused
from campaigns.models import Document, Grade
from crowd.models import CrowdWorker, WorkUnit
from judging.models import Judgment, Plan, Slot, StoppingRule
from judging.queries.exclusions import list_active_exclusions
from judging.queries.judgments import SHOWN
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
        return append_unit_answer(unit, answer, slot, slot, PairHistory(*read))
    # A change, a repetition, or a unit that takes no answer: step by step.
    known = Judgment.objects.filter(client_uuid=answer.client_uuid).first()
    if known is not None:
        if (known.unit_id, known.lease) != (unit.pk, answer.token):
            raise uuid_conflict()
        return known
    require_running(unit)
    slot, source = find_answered_slot(unit, answer.token)
    return append_unit_answer(unit, answer, slot, source)


def append_unit_answer(
    unit: WorkUnit,
    answer: UnitAnswer,
    slot: Slot | None,
    source: Slot | Judgment,
    history: PairHistory | None = None,
) -> Judgment:
    submission = JudgmentSubmission(
        unit.worker.user, unit.plan.campaign, source.topic, source.docno,
        Kind.SKIP if answer.grade is None else Kind.GRADE, purpose=source.purpose,
        source=Judgment.Source.CROWD, unit=unit.pk, **vars(answer),
    )  # fmt: skip
    return append_answer(submission, slot, history)


def find_held_slot(unit: WorkUnit, answer: UnitAnswer) -> Any:
    """The slot that waits for ``answer``, with what a ``PairHistory`` needs, in one query that
    locks the unit; None if there is none, or if another request has locked the unit.
    """
    campaign = unit.plan.campaign_id
    own = Judgment.objects.filter(
        campaign=campaign, topic=OuterRef("topic"), assessor=unit.worker.user_id
    ).order_by()
    same = own.filter(docno=OuterRef("pair_docno"), purpose=OuterRef("purpose"))
    seen = own.filter(purpose__in=SHOWN, revision=1).values("assessor").annotate(n=Count("pk"))
    text = Document.objects.filter(campaign=campaign, docno=OuterRef("pair_docno"))
    aside = list_active_exclusions().filter(unit=unit.pk)
    slots = Slot.objects.select_related("plan", "topic", "item", "gold", "unit").filter(
        ~Exists(aside),
        ~Exists(Judgment.objects.filter(client_uuid=answer.client_uuid)),
        unit__public_id=unit.public_id,
        unit__state=WorkUnit.State.STARTED,
        token=answer.token, assessor=unit.worker.user_id, state=State.LEASED,
    ).exclude(unit__worker__state__in=BARRED)  # fmt: skip
    return (
        slots.annotate(
            pair_docno=Coalesce("item__docno", "gold__docno"),
            last=Subquery(same.order_by("-revision").values("revision")[:1]),
            seen=Coalesce(Subquery(seen.values("n")), 0),
            sha256=Coalesce(Subquery(text.values("sha256")[:1]), Value("")),
            is_on_scale=Exists(Grade.objects.filter(campaign=campaign, value=answer.grade or 0)),
            has_rule=Exists(StoppingRule.objects.filter(campaign=campaign)),
        )
        .select_for_update(no_key=True, skip_locked=True, of=("unit",))
        .first()
    )


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
