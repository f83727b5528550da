"""The comparison of all run pairs as a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.discriminative import discriminative_power
from poolbench.evaluation.comparison.interval import mean_to_dict
from poolbench.evaluation.comparison.letters import assign_letters
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.reports.csv import merge_conditions
from poolbench.reports.report import UNDEFINED, Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import HINT, HINT_NOTE

Measured = dict[str, Comparisons]
"""Comparisons by measure name."""

Conditions = dict[str, dict[str, Any]]
"""Score provenance by run."""


def format_p_value(value: float | None) -> str:
    """Four decimals, small values in scientific notation, or null."""
    if value is None:
        return UNDEFINED
    return f"{value:.1e}" if 0 < abs(value) < 0.00005 else f"{value:.4f}"


def build_mean_column(measure: Measure) -> Column:
    """Of means over topics: named as in files, headed as in papers."""
    better = measure.family.better
    return Column(
        measure.name,
        format_measure_title(measure.name, over_topics=True),
        format_p_value,
        best="" if better == "neither" else better,
    )


COLUMNS = (
    *make_columns("first", "second", left=True),
    Column("n"),
    Column("difference", format=format_p_value),
    Column("effect", "d_z", format_p_value),
    *make_columns("wins", "losses", "ties"),
    Column("statistic", format=format_p_value),
    Column("p_value", "p", format_p_value),
    Column("adjusted", "adjusted p", format_p_value),
    Column("different", "", lambda different: "*" if different else ""),
)
"""Of a pair of runs; the names are those of ``PairRow``."""


def build_comparison_report(measured: Measured, scored: Conditions | None = None) -> Report:
    """By measure: settings, runs by descending mean, pairs, and reasons for undefined values.
    CSV has a line per measure and pair; tests and corrections are among the conditions.
    """
    return Report(
        title="Comparison of runs",
        sections=(build_measure_section(*item) for item in measured.items()),
        conditions={
            "measures": {name: compared.conditions() for name, compared in measured.items()},
            "scores": merge_conditions(list((scored or {}).items())),
        },
        record=Table(
            "comparisons",
            (*make_columns("measure"), *COLUMNS, *make_columns("note", "reason")),
            iter_pair_records(measured),
        ),
        data=lambda: {
            "scores": scored or {},
            "measures": {name: comparison_to_dict(compared) for name, compared in measured.items()},
        },
    )


def iter_pair_records(measured: Measured) -> Iterator[tuple[object, ...]]:
    for name, compared in measured.items():
        for row in compared.rows:
            values = (getattr(row, column.name) for column in COLUMNS[:-1])
            yield (name, *values, int(row.different), row.note, row.reason)


def build_measure_section(name: str, compared: Comparisons) -> Section:
    """The tables of one measure."""
    power = discriminative_power(compared)
    head = (
        f"{name}: {compared.test}, correction {compared.correction}, alpha "
        f"{compared.alpha:g}; {compared.topics} topics, {compared.left_out} not in all runs; "
        f"{power.different} of {power.pairs} pairs significant"
    )
    notes = (
        *list_interval_notes(compared.means),
        *([f"warning: {compared.warning}"] if compared.warning else []),
        *list_p_value_notes(compared.rows),
    )
    rows = ([getattr(row, column.name) for column in COLUMNS] for row in compared.rows)
    pairs = Table("pairs", COLUMNS, rows, "Pairs of runs", notes)
    return Section(name, (build_means_table(compared), pairs), (head,))


def build_means_table(compared: Comparisons) -> Table:
    """Each run's mean with its interval and letters, in descending order, undefined ones last."""
    runs = zip(compared.tags, compared.means, strict=True)
    ranked = sorted(runs, key=lambda run: (run[1].value is None, -(run[1].value or 0.0)))
    columns = (
        Column("run", left=True),
        Column("n"),
        Column("mean", format=format_p_value),
        Column("low", f"{1 - compared.alpha:.0%} low", format_p_value),
        Column("high", format=format_p_value),
        Column("hint", ""),
        Column("group", left=True),
    )
    letters = assign_letters(compared, [tag for tag, mean in ranked if mean.value is not None])
    rows = [
        (
            *(tag, mean.n, mean.value, mean.low, mean.high, HINT if mean.is_hint else ""),
            letters.letters.get(tag, ""),
        )
        for tag, mean in ranked
    ]
    caption = "Means of runs; runs with a letter in common do not differ significantly"
    return Table("runs", columns, rows, caption)


def list_p_value_notes(rows: Iterable[PairRow]) -> list[str]:
    """How p values were computed and why some are undefined, without duplicates."""
    reasons = (f"{r.first} ~ {r.second}: undefined, {r.reason}" for r in rows if r.reason)
    ways = (f"p: {row.note}" for row in rows if row.note)
    return list(dict.fromkeys([*ways, *reasons]))


def list_interval_notes(means: Iterable[Estimate]) -> list[str]:
    """Why means have no interval, and the note of those marked as a hint."""
    listed = list(means)
    missing = [f"interval: undefined, {m.why}." for m in listed if m.why]
    return list(dict.fromkeys([*missing, *(HINT_NOTE for m in listed if m.is_hint)]))


def comparison_to_dict(compared: Comparisons) -> dict[str, Any]:
    """One measure's comparisons as plain values; letters are by descending mean."""
    means = dict(zip(compared.tags, compared.means, strict=True))
    defined = [tag for tag, mean in means.items() if mean.value is not None]
    ranked = sorted(defined, key=lambda tag: -(means[tag].value or 0.0))
    letters = assign_letters(compared, ranked).letters
    return {
        "conditions": compared.conditions(),
        "runs": [
            {"run": tag, **mean_to_dict(mean), "group": letters.get(tag)}
            for tag, mean in means.items()
        ],
        "discriminative_power": asdict(discriminative_power(compared)),
        "pairs": [row._asdict() for row in compared.rows],
    }


FORMATS = make_formats(build_comparison_report)
