"""Numbers as people read them."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def thousands(number: int | str | None) -> str:
    """``22499`` as ``22,499``; nothing as a dash."""
    return f"{number:,}" if isinstance(number, int) else "–"
