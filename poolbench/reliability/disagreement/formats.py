"""A disagreement report for the writers of ``poolbench.reports``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from poolbench.evaluation.comparison.formats import format_p_value
from poolbench.evaluation.comparison.rank_drop import format_rank_drop
from poolbench.reliability.disagreement.rankings import TREATMENTS
from poolbench.reliability.disagreement.report import DisagreementReport
from poolbench.reliability.disagreement.resampling import ResampledRankings
from poolbench.reliability.disagreement.turning_point import TurningPoint
from poolbench.reports.csv import write_csv
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.verdicts import Verdict, add_verdict

PAIRS = 20
"""Pairs in the table of the command; the other formats have all."""
RUN_COLUMNS = (
    Column("rank"),
    Column("score", format=format_p_value),
    *make_columns("rank_low", "rank_high"),
    *make_columns("low", "high", show=format_p_value),
)


def build_disagreement_tables(report: DisagreementReport, verdict: Verdict | None = None) -> Report:
    """The verdict on agreement if there is one, rankings, resampled rankings, runs with bands, and
    the pairs of highest value. CSV has one line per run, best first: rank and score by the policy,
    the bands of both, and rank and score by each other set of qrels.
    """
    facts = report.facts
    head = (
        f"{facts.measure}, policy {facts.policy}{f' ({facts.label})' if facts.label else ''}, "
        f"level {facts.level}; {facts.runs} runs, "
        f"{facts.topics} topics, {facts.assessors} assessors"
    )
    judged = (
        f"{facts.pairs:,} judged pairs, {facts.judged_by_several:,} by at least two assessors, "
        f"{facts.disputed:,} disagreements; qrels of an assessor: {TREATMENTS[facts.treat]}"
    )
    whole = Report(
        title="Effect of disagreement on the ranking",
        sections=iter_disagreement_sections(report),
        notes=(head, judged),
        conditions=asdict(facts),
        record=build_runs_record(report),
        data=report.as_dict,
    )
    return whole if verdict is None else add_verdict(whole, verdict)


def iter_disagreement_sections(report: DisagreementReport) -> Iterator[Section]:
    yield Section("Rankings", (build_rankings_table(report),))
    yield build_resampled_section("bootstrap over assessors", report.bootstrap)
    yield build_resampled_section("one random assessor per topic", report.swaps)
    rows = [(report.tags[at], *run_row_values(report, at)) for at in report.order]
    yield Section("Runs", (Table("runs", (Column("run", left=True), *RUN_COLUMNS), rows),))
    if report.values:
        yield Section("Pairs to adjudicate", (build_pairs_table(report),))
    if report.turning is not None:
        yield Section("Turning point", notes=(describe_turning_point(report.turning),))


def build_rankings_table(report: DisagreementReport) -> Table:
    """The ranking by each other set of qrels against that by the policy."""
    columns = (
        Column("qrels", left=True),
        *make_columns("pairs", "topics"),
        *make_columns(*report.rankings[0].coefficients, show=format_p_value),
        Column("largest drop", format=format_rank_drop, undefined="none"),
    )
    rows = [
        (
            *(row.labelled_name, row.judged, row.topics),
            *(estimate.value for estimate in row.coefficients.values()),
            row.drop,
        )
        for row in report.rankings[1:]
    ]
    return Table("rankings", columns, rows)


def build_resampled_section(name: str, resampled: ResampledRankings) -> Section:
    """The spread of the coefficients, or why there is none."""
    title = name[:1].upper() + name[1:]
    if resampled.reason:
        return Section(title, notes=(f"{name}: {resampled.reason}",))
    head = f"{name}, {resampled.draws} draws, seed {resampled.seed}"
    rows = [
        (key, spread.mean, spread.least, spread.p5, spread.p95)
        for key, spread in resampled.coefficients.items()
    ]
    numbers = make_columns("mean", "min", "5 %", "95 %", show=format_p_value)
    return Section(title, (Table(name, (Column(head, left=True), *numbers), rows),))


def run_row_values(report: DisagreementReport, at: int) -> tuple[int | float | None, ...]:
    """The values of ``RUN_COLUMNS`` of the run at that index."""
    base, band = report.by_policy, report.find_band(at)
    ranks = (base.ranks[at], base.scores[at], band.rank_low, band.rank_high)
    return (*ranks, band.low, band.high)


def build_runs_record(report: DisagreementReport) -> Table:
    others = [row for row in report.rankings if row is not report.by_policy]
    names = (
        name
        for row in others
        for name in (f"rank {row.labelled_name}", f"score {row.labelled_name}")
    )
    rows = (
        (
            *(report.tags[at], *run_row_values(report, at)),
            *(value for row in others for value in (row.ranks[at], row.scores[at])),
        )
        for at in report.order
    )
    columns = (Column("run"), *RUN_COLUMNS, *make_columns(*names))
    return Table("disagreement runs", columns, rows)


def write_pairs_csv(report: DisagreementReport) -> str:
    """Only the disagreements, highest rank-swap value first."""
    rows = (
        (
            *(v.topic, v.docno, " ".join(map(str, v.grades)), v.policy, v.grade),
            *(v.value, v.swaps, v.closed, v.shift),
        )
        for v in report.values
    )
    names = ("topic", "docno", "grades", "policy", "grade", "value", "swaps", "closed", "shift")
    record = Table("disagreements", make_columns(*names), rows)
    return write_csv(Report("Pairs to adjudicate", conditions=asdict(report.facts), record=record))


def build_pairs_table(report: DisagreementReport) -> Table:
    columns = (
        Column("pair", left=True),
        *make_columns("grades", "policy", "grade"),
        Column("swaps", format="{:g}".format),
        *make_columns("closed", "shift", show=format_p_value),
    )
    rows: list[Sequence[Any]] = [
        (
            *(f"{v.topic} {v.docno}", " ".join(map(str, v.grades)), v.policy, v.grade),
            *(v.swaps, v.closed, v.shift),
        )
        for v in report.values
    ]
    return Table("pairs", columns, rows, most=PAIRS)


def describe_turning_point(turning: TurningPoint) -> str:
    """When the order of the two runs is reversed."""
    head = f"{turning.better} before {turning.worse}"
    if turning.reason:
        return f"{head}: {turning.reason}"
    head = f"{head} by {format_p_value(turning.gap)}"
    if turning.needed is None:
        return f"{head}: stable even if all these pairs are adjudicated"
    first = "first pair" if turning.needed == 1 else f"first {turning.needed} pairs"
    return f"{head}: reversed after adjudicating the {first}"


FORMATS: dict[str, Callable[..., str]] = {
    **make_formats(build_disagreement_tables),
    "pairs-csv": write_pairs_csv,
}
