"""Plans for the crowd: what they allow, and what is refused for them."""

from __future__ import annotations

from typing import Protocol

from campaigns.errors import ActionRefused
from judging.core.designs.registry import DESIGNS
from judging.models import Audience, Plan
from judging.services.assignments import Assessors
from pooling.models import Pool

MAX_OVERLAP = 20
TOPIC_OWNER = "topic-owner"


class CrowdOptions(Protocol):
    """The options of a plan that matter here (``plans.PlanOptions``)."""

    @property
    def design(self) -> str: ...
    @property
    def third_from(self) -> int: ...
    @property
    def repeat_share(self) -> float: ...
    @property
    def rationale(self) -> str: ...


def check_crowd_options(pool: Pool, scheme: CrowdOptions, assessors: Assessors) -> None:
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
    if scheme.rationale != Plan.Rationale.NO:
        fix = "Plan without rationales."
        raise ActionRefused("no-rationale", "The crowd highlights no passages.", fix)


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
