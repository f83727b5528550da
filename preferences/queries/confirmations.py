"""The confirmation before a plan of comparisons is closed."""

from __future__ import annotations

from django.urls import reverse

from campaigns.core.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.core.faults import format_count
from preferences.models import ComparisonPlan
from preferences.queries.comparisons import count_comparison_progress


def describe_comparison_closing(plan: ComparisonPlan) -> Confirmation:
    """Before a plan of comparisons is closed. Counts that change while judges work are details."""
    progress = count_comparison_progress(plan)
    matters = []
    if progress.left:
        matters.append(
            OpenMatter(
                text="Not all comparisons are judged.",
                detail=f"{format_count(progress.left, 'judgment')} missing.",
                override=ConfirmationChoice("comparisons-open", "Close without them"),
                url=plan.get_absolute_url(),
                link="View progress",
            )
        )
    return Confirmation(
        question="Close this plan of comparisons?",
        summary=plan.title,
        before="Before you close",
        open=tuple(matters),
        consequences=(
            Consequence("For good", "A closed plan cannot be opened again."),
            Consequence("Preferences", "stay and count."),
            Consequence("Assessors", "get no more comparisons from this plan."),
        ),
        button="Close plan",
        back=reverse("comparison-plan", args=[plan.campaign.slug, plan.pk]),
        note="To stop work for a while, pause the plan instead.",
    )
