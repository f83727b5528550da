"""Links to a report in its formats."""

from __future__ import annotations

from django import template

from poolbench.reports.writers import LABELS

register = template.Library()
ORDER = ("csv", "json", "tex", "md", "html")
"""The formats of a result: to compute with, to print, to read."""
OFFERED = (LABELS["csv"], LABELS["json"])


@register.filter
def list_report_files(url: str) -> list[tuple[str, str]]:
    """Label and address of the report in all formats, from its address in any of them."""
    path, mark, query = url.partition("?")
    base = path.rpartition(".")[0]
    return [(LABELS[ending], f"{base}.{ending}{mark}{query}") for ending in ORDER]


@register.filter
def list_other_formats(json_url: str) -> list[tuple[str, str]]:
    """Those beside CSV and JSON, from the address of JSON."""
    return [row for row in list_report_files(json_url) if row[0] not in OFFERED]


@register.filter
def join_query(url: str, query: str) -> str:
    """The address with a query string, which may be empty."""
    return f"{url}?{query}" if query else url
