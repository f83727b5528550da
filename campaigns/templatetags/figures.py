"""Format numbers and labels for readers."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.translation import get_language, ngettext

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


@register.filter("plain")
def format_plain_number(number: float | str | None) -> str:
    """For programs, without the comma that a language may have; None as nothing."""
    return "" if number is None else str(number)


@register.filter
def count_runs(number: int) -> str:
    return ngettext("%(n)s run", "%(n)s runs", number) % {"n": number}


@register.filter
def count_teams(number: int) -> str:
    return ngettext("%(n)s team", "%(n)s teams", number) % {"n": number}


@register.filter
def count_topics(number: int) -> str:
    return ngettext("%(n)s topic", "%(n)s topics", number) % {"n": number}


@register.filter
def pluralize_role(label: object, people: Sequence[object]) -> str:
    """A role's label as a heading of its members; plural in English only."""
    english = (get_language() or "en").startswith("en")
    return f"{label}s" if english and len(people) != 1 else str(label)
