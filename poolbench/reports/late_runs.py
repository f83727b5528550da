"""Runs that were submitted after scores were released: their teams may have known them."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any

from poolbench.reports.report import Report


def describe_late_runs(tags: Collection[str]) -> tuple[str, ...]:
    """The note that names them, if there are any."""
    return (f"Submitted after the release: {', '.join(sorted(tags))}.",) if tags else ()


def mark_late_runs(report: Report, tags: Collection[str]) -> Report:
    """The report with them in a note, and as ``after_release`` in conditions and JSON."""
    if not tags:
        return report
    late = {"after_release": sorted(tags)}
    return replace(
        report,
        notes=(*report.notes, *describe_late_runs(tags)),
        conditions={**report.conditions, **late},
        data=report.data and partial(_merge_late_runs, report.data, late),
    )


def _merge_late_runs(data: Callable[[], Any], late: dict[str, list[str]]) -> Any:
    values = data()
    return {**values, **late} if isinstance(values, dict) else values
