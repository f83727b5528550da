"""Links to a report in its other formats."""

from __future__ import annotations

from django import template

from common.report.writers import LABELS

register = template.Library()


@register.filter
def list_other_formats(json_url: str) -> list[tuple[str, str]]:
    """``(label, address)`` of the formats beside CSV and JSON, from the address of JSON."""
    path, mark, query = json_url.partition("?")
    base = path.removesuffix(".json")
    return [
        (label, f"{base}.{ending}{mark}{query}")
        for ending, label in LABELS.items()
        if ending not in ("csv", "json")
    ]
