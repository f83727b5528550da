"""A disagreement report as aligned tables, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from campaigns.core.csv_files import write_csv
from evaluation.core.comparison.formats import format_p_value
from reliability.core.disagreement.rankings import TREATMENTS, SystemRanking
from reliability.core.disagreement.report import DisagreementReport
from reliability.core.disagreement.resampling import ResampledRankings

PAIRS = 20
"""Pairs in the table of the command; CSV and JSON have all."""
RUN_COLUMNS = ("rank", "score", "rank_low", "rank_high", "low", "high")


def disagreement_to_json(report: DisagreementReport) -> str:
    """The whole report; undefined is null with a reason."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def disagreement_runs_to_csv(report: DisagreementReport) -> str:
    """One line per run, best first: rank and score by the policy, the bands of both, and rank
    and score by each other set of qrels.
    """
    others = [row for row in report.rankings if row is not report.by_policy]
    names = [
        name
        for row in others
        for name in (f"rank {row.labelled_name}", f"score {row.labelled_name}")
    ]
    rows: list[Sequence[object]] = []
    for at in report.order:
        own = [value for row in others for value in (row.ranks[at], row.scores[at])]
        rows.append((report.tags[at], *run_row_values(report, at), *own))
    return write_csv("disagreement runs", ("run", *RUN_COLUMNS, *names), rows, asdict(report.facts))


def run_row_values(report: DisagreementReport, at: int) -> tuple[int | float | None, ...]:
    """The values of ``RUN_COLUMNS`` of the run at that index."""
    base = report.by_policy
    band = report.bootstrap.bands[at] if report.bootstrap.bands else None
    if band is None:
        return (base.ranks[at], base.scores[at], None, None, None, None)
    ranks = (base.ranks[at], base.scores[at], band.rank_low, band.rank_high)
    return (*ranks, band.low, band.high)


def disagreement_pairs_to_csv(report: DisagreementReport) -> str:
    """One line per disagreement, highest rank-swap value first."""
    head = ("topic", "docno", "grades", "policy", "grade", "value", "swaps", "closed", "shift")
    rows: list[Sequence[object]] = []
    for v in report.values:
        grades = " ".join(map(str, v.grades))
        pair = (v.topic, v.docno, grades, v.policy, v.grade)
        rows.append((*pair, v.value, v.swaps, v.closed, v.shift))
    return write_csv("disagreements", head, rows, asdict(report.facts))


def disagreement_to_table(report: DisagreementReport) -> str:
    """Rankings, resampled rankings, runs with bands, and the pairs of highest value."""
    facts = report.facts
    head = (
        f"{facts.measure}, policy {facts.policy}{f' ({facts.label})' if facts.label else ''}, "
        f"level {facts.level}; {facts.runs} runs, "
        f"{facts.topics} topics, {facts.assessors} assessors\n"
        f"{facts.pairs:,} judged pairs, {facts.judged_by_several:,} by at least two assessors, "
        f"{facts.disputed:,} disagreements; qrels of an assessor: {TREATMENTS[facts.treat]}\n"
    )
    parts = [
        head,
        align_disagreement_rows([_ranking_head(report), *map(_ranking_cells, report.rankings[1:])]),
        _resampled_text("bootstrap over assessors", report.bootstrap),
        _resampled_text("one random assessor per topic", report.swaps),
        align_disagreement_rows([("run", *RUN_COLUMNS), *_run_rows(report)]),
        _pairs_text(report),
        _turning_text(report),
    ]
    return "\n".join(part for part in parts if part)


def _ranking_head(report: DisagreementReport) -> tuple[str, ...]:
    return ("qrels", "pairs", "topics", *report.rankings[0].coefficients, "largest drop")


def _ranking_cells(row: SystemRanking) -> tuple[str, ...]:
    values = (format_p_value(estimate.value) for estimate in row.coefficients.values())
    drop = row.drop and f"{row.drop.tag} {row.drop.before} to {row.drop.after}"
    return (row.labelled_name, str(row.judged), str(row.topics), *values, drop or "none")


def _resampled_text(name: str, resampled: ResampledRankings) -> str:
    if resampled.reason:
        return f"{name}: {resampled.reason}\n"
    rows: list[tuple[str, ...]] = [
        (f"{name}, {resampled.draws} draws, seed {resampled.seed}", "mean", "min", "5 %", "95 %")
    ]
    rows += [
        (key, *map(format_p_value, (spread.mean, spread.least, spread.p5, spread.p95)))
        for key, spread in resampled.coefficients.items()
    ]
    return align_disagreement_rows(rows)


def _run_rows(report: DisagreementReport) -> Iterable[tuple[str, ...]]:
    for at in report.order:
        cells = run_row_values(report, at)
        texts = (str(cell) if isinstance(cell, int) else format_p_value(cell) for cell in cells)
        yield (report.tags[at], *texts)


def _pairs_text(report: DisagreementReport) -> str:
    if not report.values:
        return ""
    rows = [("pair", "grades", "policy", "grade", "swaps", "closed", "shift")]
    for v in report.values[:PAIRS]:
        grades = " ".join(map(str, v.grades))
        pair = (f"{v.topic} {v.docno}", grades, str(v.policy), str(v.grade))
        rows.append((*pair, f"{v.swaps:g}", format_p_value(v.closed), format_p_value(v.shift)))
    more = len(report.values) - PAIRS
    return align_disagreement_rows(rows) + (f"and {more} more\n" if more > 0 else "")


def _turning_text(report: DisagreementReport) -> str:
    turning = report.turning
    if turning is None:
        return ""
    head = f"{turning.better} before {turning.worse}"
    if turning.reason:
        return f"{head}: {turning.reason}\n"
    head = f"{head} by {format_p_value(turning.gap)}"
    if turning.needed is None:
        return f"{head}: stable even if all these pairs are adjudicated\n"
    first = "first pair" if turning.needed == 1 else f"first {turning.needed} pairs"
    return f"{head}: reversed after adjudicating the {first}\n"


def align_disagreement_rows(rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            [row[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        ).rstrip()
        + "\n"
        for row in rows
    )


FORMATS: dict[str, Callable[[DisagreementReport], str]] = {
    "table": disagreement_to_table,
    "csv": disagreement_runs_to_csv,
    "pairs-csv": disagreement_pairs_to_csv,
    "json": disagreement_to_json,
}
