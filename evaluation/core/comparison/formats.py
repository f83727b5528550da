"""Format the comparison of all run pairs as aligned tables, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from campaigns.core.csv_files import merge_conditions, write_csv
from common.statistics.estimate import Estimate
from common.statistics.least_topics import HINT, HINT_NOTE
from evaluation.core.comparison.compare import Comparisons, PairRow
from evaluation.core.comparison.discriminative import discriminative_power
from evaluation.core.comparison.interval import mean_to_dict

UNDEFINED = "null"
COLUMNS = (
    *("first", "second", "n", "difference", "effect", "wins", "losses", "ties"),
    *("statistic", "p_value", "adjusted", "different"),
)
HEADS = (
    *("first", "second", "n", "difference", "d_z", "wins", "losses", "ties"),
    *("statistic", "p", "adjusted p", ""),
)

Measured = dict[str, Comparisons]
"""Comparisons by measure name."""

Conditions = dict[str, dict[str, Any]]
"""Score provenance by run."""


def comparison_to_table(measured: Measured, scored: Conditions | None = None) -> str:  # noqa: ARG001
    """A block per measure: settings, runs by descending mean, pairs, and reasons for undefined
    values."""
    return "\n".join(_block(name, compared) for name, compared in measured.items())


def _block(name: str, compared: Comparisons) -> str:
    power = discriminative_power(compared)
    head = (
        f"{name}: {compared.test}, correction {compared.correction}, alpha "
        f"{compared.alpha:g}; {compared.topics} topics, {compared.left_out} not in all runs; "
        f"{power.different} of {power.pairs} pairs significant\n"
    )
    lines = [
        head,
        "\n",
        _runs(compared),
        "\n",
        align_comparison_rows([HEADS, *map(_cells, compared.rows)]),
    ]
    lines += [f"{note}\n" for note in list_interval_notes(compared.means)]
    lines += [f"warning: {compared.warning}\n"] if compared.warning else []
    lines += [f"{text}\n" for text in list_p_value_notes(compared.rows)]
    return "".join(lines)


def _runs(compared: Comparisons) -> str:
    """Each run's mean with its interval, in descending order, undefined ones last."""
    runs = zip(compared.tags, compared.means, strict=True)
    ranked = sorted(runs, key=lambda run: (run[1].value is None, -(run[1].value or 0.0)))
    heads = ("run", "", "n", "mean", f"{1 - compared.alpha:.0%} low", "high", "")
    rows = (
        (
            tag,
            "",
            str(mean.n),
            format_p_value(mean.value),
            format_p_value(mean.low),
            format_p_value(mean.high),
            HINT if mean.is_hint else "",
        )
        for tag, mean in ranked
    )
    return align_comparison_rows([heads, *rows])


def list_p_value_notes(rows: Iterable[PairRow]) -> list[str]:
    """How p values were computed and why some are undefined, without duplicates."""
    reasons = (f"{r.first} ~ {r.second}: undefined, {r.reason}" for r in rows if r.reason)
    ways = (f"p: {row.note}" for row in rows if row.note)
    return list(dict.fromkeys([*ways, *reasons]))


def _cells(row: PairRow) -> tuple[str, ...]:
    counts = (str(row.wins), str(row.losses), str(row.ties))
    tested = (
        format_p_value(row.statistic),
        format_p_value(row.p_value),
        format_p_value(row.adjusted),
    )
    difference = (str(row.n), format_p_value(row.difference), format_p_value(row.effect))
    return (row.first, row.second, *difference, *counts, *tested, "*" if row.different else "")


def format_p_value(value: float | None) -> str:
    """Four decimals, small values in scientific notation, or null."""
    if value is None:
        return UNDEFINED
    return f"{value:.1e}" if 0 < abs(value) < 0.00005 else f"{value:.4f}"


def list_interval_notes(means: Iterable[Estimate]) -> list[str]:
    """Why means have no interval, and the note of those marked as a hint."""
    listed = list(means)
    missing = [f"interval: undefined, {m.why}." for m in listed if m.why]
    return list(dict.fromkeys([*missing, *(HINT_NOTE for m in listed if m.is_hint)]))


def align_comparison_rows(rows: Sequence[Sequence[str]]) -> str:
    """Left-align the first two columns, right-align the others."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def comparison_to_csv(measured: Measured, scored: Conditions | None = None) -> str:
    """A line per measure and pair, in full precision; an undefined value is empty. Tests and
    corrections are among the conditions.
    """
    conditions = {
        "measures": {name: compared.conditions() for name, compared in measured.items()},
        "scores": merge_conditions(list((scored or {}).items())),
    }
    rows = (
        (
            *(name, *(getattr(row, column) for column in COLUMNS[:-1])),
            *(int(row.different), row.note, row.reason),
        )
        for name, compared in measured.items()
        for row in compared.rows
    )
    return write_csv("comparisons", ("measure", *COLUMNS, "note", "reason"), rows, conditions)


def comparison_to_json(measured: Measured, scored: Conditions | None = None) -> str:
    """Settings, means, discriminative power and pairs by measure; undefined is null."""
    by_name = {name: comparison_to_dict(compared) for name, compared in measured.items()}
    content = {"scores": scored or {}, "measures": by_name}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def comparison_to_dict(compared: Comparisons) -> dict[str, Any]:
    """One measure's comparisons as plain values."""
    return {
        "conditions": compared.conditions(),
        "runs": [
            {"run": tag, **mean_to_dict(mean)}
            for tag, mean in zip(compared.tags, compared.means, strict=True)
        ],
        "discriminative_power": asdict(discriminative_power(compared)),
        "pairs": [asdict(row) for row in compared.rows],
    }


FORMATS: dict[str, Callable[[Measured, Conditions], str]] = {
    "table": comparison_to_table,
    "csv": comparison_to_csv,
    "json": comparison_to_json,
}
