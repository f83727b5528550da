"""Plans for the crowd: what is refused for them, and one more judgment of a pair."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from django.db import transaction
from django.db.models import Max

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import Audience, Plan, Purpose, Slot
from judging.services.assignments import Assessors
from judging.services.plan_slots import insert_open_slots
from poolbench.files.faults import format_count
from poolbench.judging.designs.registry import DESIGNS
from pooling.models import Pool

MAX_OVERLAP = 20
TOPIC_OWNER = "topic-owner"


@dataclass(frozen=True)
class PlanOptions:
    """The options of a plan, except pool and assessors; without an ``order`` that which fits the
    pool.
    """

    design: str = "overlap"
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    order: str = ""
    third_from: int = 0
    repeat_share: float = 0.0
    rationale: str = Plan.Rationale.NO
    first_language: str = Plan.Language.BOTH
    propagate: bool = False


def check_crowd_options(pool: Pool, scheme: PlanOptions, assessors: Assessors) -> None:
    """Refuse what a plan without assessors cannot hold; work units do repeats themselves."""
    if any(assessors.values()):
        fix = "Leave the assessors out, or plan for assessors."
        raise ActionRefused("crowd-has-no-assessors", "The crowd has no assessors.", fix)
    if pool.is_adaptive:
        fix = "Freeze a pool by depth, or plan for assessors."
        raise ActionRefused("pool-grows", "The crowd cannot judge an adaptive pool.", fix)
    design = DESIGNS.get(scheme.design)
    if design is not None and (design.reserves or scheme.design == TOPIC_OWNER):
        message = f"The design {scheme.design} names assessors; the crowd has none."
        raise ActionRefused("design-names-assessors", message, "Use overlap or share.")
    if scheme.third_from:
        fix = "Use judgments per document, and a higher maximum."
        raise ActionRefused("no-thirds", "The crowd gives no third judgments.", fix)
    if scheme.repeat_share:
        fix = "Set the repeats per unit in the study."
        raise ActionRefused("no-repeat-share", "Repeats are part of work units.", fix)
    if scheme.propagate:
        fix = "Plan without: each document is judged."
        message = "Judgments of the crowd are not propagated to duplicates."
        raise ActionRefused("no-propagation", message, fix)
    if scheme.rationale != Plan.Rationale.NO:
        fix = "Plan without rationales."
        raise ActionRefused("no-rationale", "The crowd highlights no passages.", fix)
    if scheme.first_language != Plan.Language.BOTH:
        fix = "Leave out what is shown first."
        raise ActionRefused("no-translations", "The crowd reads the original alone.", fix)


def check_max_overlap(audience: str, overlap: int, max_overlap: int | None) -> None:
    """Refuse a maximum for assessors, and one out of range."""
    if max_overlap is None:
        return
    if audience != Audience.CROWD or not overlap <= max_overlap <= MAX_OVERLAP:
        raise ActionRefused(
            "bad-maximum",
            f"Invalid maximum of judgments per document: {max_overlap}.",
            f"For the crowd, enter an integer between {overlap} and {MAX_OVERLAP}.",
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
        rows = counts.values_list("item", "topic", "last", "position")
        new = [
            (item, topic, last + 1, position, None, uuid4().hex)
            for item, topic, last, position in rows
            if last + 1 < limit
        ]
        if new:
            insert_open_slots(plan, new)
            events.log_event(
                campaign=plan.campaign,
                actor=actor,
                code="plan.one_more",
                subject=format_count(len(new), "judgment"),
                plan=plan.pk,
            )
    return len(new)
