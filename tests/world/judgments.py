"""An assessor's acts by their fields, as tests write them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from judging.models import Judgment, Plan, Slot
from judging.services import judgments
from judging.services.judgment_log import JudgmentSubmission


def submit_judgment(
    *,
    kind: str = Plan.Kind.JUDGE,
    grade: int | None = None,
    duplicate_of: str = "",
    slot: Slot | None = None,
    **fields: Any,
) -> Judgment:
    """A grade, or a skip if ``grade`` is None; an act of its own if no ``client_uuid`` is given."""
    if slot is not None:
        of_slot = {"campaign": slot.plan.campaign, "topic": slot.topic, "docno": slot.item.docno}
        fields = of_slot | {"token": slot.token} | fields
    fields.setdefault("client_uuid", uuid4())
    act = Judgment.Kind.SKIP if grade is None else Judgment.Kind.GRADE
    fields |= {"kind": act, "grade": grade, "original_docno": duplicate_of}
    return judgments.submit_judgment(JudgmentSubmission(**fields), kind)
