"""Two runs by topic as a report: values, differences, and the preregistered test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.formats import format_p_value
from poolbench.evaluation.comparison.marks import describe_test
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats


class TopicPair(NamedTuple):
    """The values of two runs on a topic; the difference is None if one of them is."""

    topic: str
    title: str
    first: float | None
    second: float | None
    difference: float | None


def build_pair_report(
    runs: tuple[str, str],
    measure: tuple[str, str],
    pairs: Sequence[TopicPair],
    compared: Comparisons | None,
    conditions: Mapping[str, Any],
) -> Report:
    """``measure`` is its name in files and its title; ``compared`` has the one pair of runs."""
    name, title = measure
    first, second = runs
    columns = (
        *make_columns("topic", "title", left=True),
        Column("first", first, format_p_value),
        Column("second", second, format_p_value),
        Column("difference", format=format_p_value),
    )
    stated = {"measure": name, "first": first, "second": second, "scores": dict(conditions)}
    if compared is not None:
        stated["comparison"] = compared.conditions()
    notes = (describe_pair(title, compared),) if compared is not None else ()
    table = Table("topics", columns, pairs, f"{title} of {first} and {second} by topic", notes)
    return Report(
        title=f"{first} and {second}: {title} by topic",
        sections=[Section("By topic", (table,))],
        conditions=stated,
        record=table,
        data=lambda: {"conditions": stated, "topics": [pair._asdict() for pair in pairs]},
    )


def describe_pair(title: str, compared: Comparisons) -> str:
    """The outcome of the test in a sentence."""
    if not compared.rows:
        return ""
    (row,) = compared.rows
    if row.adjusted is None:
        return f"Difference in {title}: not tested, {row.reason}."
    word = "significant" if row.different else "not significant"
    return (
        f"Mean difference in {title}: {format_p_value(row.difference)}, {word}: adjusted p "
        f"{format_p_value(row.adjusted)} by {describe_test(compared)}."
    )


PAIR_FORMATS = make_formats(build_pair_report)
