"""Format numbers and labels for readers."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.translation import get_language

from campaigns.errors import format_thousands, lowercase_label

register = template.Library()


register.filter(format_thousands)
register.filter("mid", lowercase_label)


@register.filter("percent")
def scale_to_percent(share: float | None) -> float | None:
    """0.25 as 25.0: the length of a bar. None, which has no bar, stays None."""
    return None if share is None else 100.0 * share


@register.filter("percent_of")
def scale_part_to_percent(part: float, whole: float) -> float:
    """The length of a bar: ``part`` in percent of ``whole``; 0 of nothing."""
    return 100.0 * part / whole if whole else 0.0


@register.filter
def pluralize_role(label: object, people: Sequence[object]) -> str:
    """A role's label as a heading of its members; plural in English only."""
    english = (get_language() or "en").startswith("en")
    return f"{label}s" if english and len(people) != 1 else str(label)
