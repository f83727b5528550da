"""The grades of a campaign of which assessors choose."""

from __future__ import annotations

from campaigns.models import Campaign


def list_judging_grades(campaign: Campaign) -> tuple[int, ...]:
    """Ascending, whether or not they occur; those below 0 are not judgments, as in qrels files."""
    grades = campaign.grades.filter(value__gte=0).order_by("value")
    return tuple(grades.values_list("value", flat=True))
