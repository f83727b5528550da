"""Format numbers and labels for readers."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.formats import number_format
from django.utils.translation import get_language

from campaigns.errors import lowercase_label

register = template.Library()


@register.filter
def format_thousands(number: int | str | None) -> str:
    """``22499`` as ``22,499``, by the rules of the language; None as a dash."""
    return number_format(number, force_grouping=True) if isinstance(number, int) else "–"


register.filter("mid", lowercase_label)


@register.filter
def pluralize_role(label: object, people: Sequence[object]) -> str:
    """A role's label as a heading of its members; plural in English only."""
    english = (get_language() or "en").startswith("en")
    return f"{label}s" if english and len(people) != 1 else str(label)
