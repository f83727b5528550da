"""Links to a report in its formats."""

from __future__ import annotations

from typing import NamedTuple

from django import template

from common.report.writers import LABELS

register = template.Library()
ORDER = ("csv", "json", "tex", "md", "html")
"""The formats of a result: to compute with, to print, to read."""


class ReportFile(NamedTuple):
    label: str
    url: str


@register.filter
def list_report_files(url: str) -> list[ReportFile]:
    """The report in all formats, from its address in any of them."""
    path, mark, query = url.partition("?")
    base = path.rpartition(".")[0]
    return [ReportFile(LABELS[ending], f"{base}.{ending}{mark}{query}") for ending in ORDER]


@register.filter
def list_other_formats(json_url: str) -> list[ReportFile]:
    """Those beside CSV and JSON, from the address of JSON."""
    files = list_report_files(json_url)
    return [file for file in files if file.label not in (LABELS["csv"], LABELS["json"])]


@register.filter
def join_query(url: str, query: str) -> str:
    """The address with a query string, which may be empty."""
    return f"{url}?{query}" if query else url
