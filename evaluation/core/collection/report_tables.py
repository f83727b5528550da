"""A report as sections of remarks and tables, which every form of it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from campaigns.core.cards import Card
from evaluation.core.collection import (
    condensed_lists,
    contributors,
    correction,
    depths,
    extrapolation,
    leave_one_group_out,
    reduced_judgments,
    stability,
)
from evaluation.core.collection.condensed_lists import CondensedComparison
from evaluation.core.collection.contributors import Contributor
from evaluation.core.collection.leave_one_group_out import LeaveOutResult
from evaluation.core.collection.report import ReusabilityFacts, ReusabilityReport
from evaluation.core.comparison.estimate import ComparisonEstimate
from evaluation.core.comparison.formats import format_p_value
from evaluation.core.comparison.rank_drop import RankDrop


@dataclass(frozen=True)
class ReportTable:
    """Cells as they are read; the first column is a name. ``detail``: run by run or topic by
    topic, for those who want to look one up.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    detail: bool = False


@dataclass(frozen=True)
class ReportSection:
    """One diagnostic: its card, what to say first, and its tables."""

    card: Card
    remarks: tuple[str, ...]
    tables: tuple[ReportTable, ...]


def build_sections(report: ReusabilityReport) -> list[ReportSection]:
    """All diagnostics, in the order of the report."""
    return [
        _contributors(report),
        _leave_out(report),
        _by_depth(report),
        _extrapolation(report),
        _stability(report),
        _reduced(report),
        _condensed(report),
        _corrections(report),
    ]


def list_condition_sentences(facts: ReusabilityFacts) -> list[str]:
    """What the numbers are of and hold under, a sentence each."""
    how = "as told" if facts.depth_told else "as found in the judgments"
    lines = [
        (
            f"{facts.runs} runs of {facts.teams} teams, {facts.topics} topics, {facts.judged:,} "
            f"judged documents, {facts.relevant:,} relevant (grade {facts.level} or higher)."
        ),
        (
            f"Pool: {facts.pooled_runs} runs of {facts.pooled_teams} teams to depth {facts.depth}, "
            f"{how}: {facts.pooled_documents:,} documents, {facts.pooled_unjudged:,} not judged."
        ),
        f"Gain: {facts.gains}. Order: {facts.order}. Means over all topics of the qrels.",
        f"Measures: {'; '.join(map(': '.join, zip(facts.measures, facts.titles, strict=True)))}.",
        f"Seed {facts.seed}. qrels sha256 {facts.qrels_sha256}. {facts.product}.",
    ]
    if facts.one_run_teams:
        lines.insert(1, "No two runs have one team: what is told by team is told by run.")
    return lines


def _contributors(report: ReusabilityReport) -> ReportSection:
    found, facts = report.contributors, report.facts
    head = ("runs", "judged", "relevant", "judged alone", "relevant alone", "rate", "share")
    tables = [ReportTable("By team", ("team", *head), _contributor_rows(found.by_team))]
    if not facts.one_run_teams:
        tables.append(
            ReportTable("By run", ("run", *head), _contributor_rows(found.by_run), detail=True)
        )
    remark = (
        f"{found.from_elsewhere:,} judged documents, {found.relevant_from_elsewhere:,} of them "
        f"relevant, stand in no pooled run down to depth {facts.depth}."
    )
    return ReportSection(contributors.CARD, (remark,), tuple(tables))


def _contributor_rows(found: Iterable[Contributor]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            row.name,
            *map(str, (row.runs, row.judged, row.relevant, row.alone, row.relevant_alone)),
            format_p_value(row.rate),
            format_p_value(row.share),
        )
        for row in found
    )


def _leave_out(report: ReusabilityReport) -> ReportSection:
    both = (*report.leave_team_out, *report.leave_run_out)
    head = ("measure", "left out", "mean change", "mean %", *_NAMES, "largest drop")
    rows = tuple(
        (
            found.measure,
            found.by,
            format_p_value(found.mean_change),
            format_percent(found.mean_percent),
            *format_coefficients(found.coefficients),
            format_largest_drop(found.drop),
        )
        for found in both
    )
    details = [_left_table(found) for found in report.leave_team_out]
    return ReportSection(
        leave_one_group_out.CARD, (), (ReportTable("All measures", head, rows), *details)
    )


def _left_table(found: LeaveOutResult) -> ReportTable:
    head = ("run", "team", "pooled", "score", "without", "change", "%", "rank", "rank without")
    rows = tuple(
        (
            row.run,
            row.group,
            "yes" if row.pooled else "no",
            *map(format_p_value, (row.score, row.without, row.change)),
            format_percent(row.percent),
            *map(format_integer, (row.rank, row.rank_without)),
        )
        for row in found.runs
    )
    return ReportTable(f"{found.measure}, a team left out", head, rows, detail=True)


def _by_depth(report: ReusabilityReport) -> ReportSection:
    rows = tuple(
        (*map(str, (row.depth, row.new, row.judged, row.relevant)), format_p_value(row.rate))
        for row in report.by_depth
    )
    head = ("depth", "new", "judged", "relevant", "rate")
    return ReportSection(depths.CARD, (), (ReportTable("New documents by best rank", head, rows),))


def _extrapolation(report: ReusabilityReport) -> ReportSection:
    found = report.extrapolation
    if found.further is None:
        return ReportSection(extrapolation.CARD, (f"Undefined: {found.reason}.",), ())
    ends = "no interval" if found.low is None else f"95 % {found.low:,.0f} to {found.high:,.0f}"
    lines = [
        (
            f"{found.found:,} relevant documents down to depth {found.depth}; about "
            f"{found.further:,.0f} more from there to depth {found.target} ({ends})."
        ),
        (
            f"Curve: log C = {format_p_value(found.log_c)}, s = {format_p_value(found.slope)},"
            f" fitted over {found.fitted} depths from {found.first} on;"
            f" {found.drawn} of {found.draws} draws of topics could be fitted."
        ),
        "It is an extrapolation: nobody has judged there.",
    ]
    lines += [f"No interval: {found.reason}."] if found.reason else []
    return ReportSection(extrapolation.CARD, tuple(lines), ())


def _stability(report: ReusabilityReport) -> ReportSection:
    found = report.stability
    dense = [topic.topic for topic in found.topics if topic.alarm]
    lows = ", ".join(f"{runs} at {k}" for k, runs in found.low_runs.items())
    remarks = [
        f"Runs with judged@k below {stability.JUDGED_ALARM}: {lows}, of {len(found.runs)}.",
        (
            f"Topics with more than one relevant in {stability.DENSE} judged: {len(dense)} of "
            f"{len(found.topics)}{': ' if dense else ''}{', '.join(dense)}."
        ),
        (
            f"Relevant documents that one team alone brought: {found.relevant_alone:,} of "
            f"{found.relevant:,} ({format_p_value(found.concentration)})."
        ),
    ]
    counts = tuple((teams, str(number)) for teams, number in found.of_teams.items())
    runs = tuple(
        (
            row.run,
            row.team,
            "yes" if row.pooled else "no",
            *map(format_p_value, row.shares.values()),
        )
        for row in sorted(found.runs, key=lambda row: (row.shares["10"] or 0.0, row.run))
    )
    topics = tuple(
        (
            row.topic,
            *map(str, (row.judged, row.relevant)),
            format_p_value(row.density),
            *map(str, (row.alone, row.elsewhere)),
            format_p_value(row.concentration),
        )
        for row in found.topics
    )
    cuts = tuple(f"judged@{k}" for k in stability.CUTS)
    density = ("topic", "judged", "relevant", "density", "alone", "elsewhere", "concentration")
    tables = (
        ReportTable(
            "Relevant documents by how many teams brought them", ("teams", "relevant"), counts
        ),
        ReportTable(
            "Runs, least judged first", ("run", "team", "pooled", *cuts), runs, detail=True
        ),
        ReportTable("Topics", density, topics, detail=True),
    )
    return ReportSection(stability.CARD, tuple(remarks), tables)


def _reduced(report: ReusabilityReport) -> ReportSection:
    facts = report.facts
    head = ("%", "judged", "score", "tau", "sd", "least", "most", "tau to first", "largest drop")
    tables = []
    for name in facts.measures:
        rows = tuple(
            (
                str(row.level),
                f"{row.judged:.3f}",
                format_p_value(row.score),
                *map(format_p_value, (row.tau.mean, row.tau.sd, row.tau.least, row.tau.most)),
                format_p_value(row.tau_to_first.mean),
                format_largest_drop(row.drop),
            )
            for row in report.reduced
            if row.measure == name
        )
        tables.append(ReportTable(name, head, rows))
    remark = (
        f"{facts.draws} draws from seed {facts.seed}; the first measure is {facts.measures[0]}."
    )
    return ReportSection(reduced_judgments.CARD, (remark,), tuple(tables))


def _condensed(report: ReusabilityReport) -> ReportSection:
    head = ("measure", "mean gap pooled", "mean gap others", *_NAMES, "largest drop")
    rows = tuple(
        (
            found.measure,
            *map(format_p_value, (found.mean_gap_pooled, found.mean_gap_others)),
            *format_coefficients(found.coefficients),
            format_largest_drop(found.drop),
        )
        for found in report.condensed
    )
    details = [_gap_table(found) for found in report.condensed]
    return ReportSection(
        condensed_lists.CARD, (), (ReportTable("All measures", head, rows), *details)
    )


def _gap_table(found: CondensedComparison) -> ReportTable:
    head = ("run", "pooled", "plain", "condensed", "gap", "rank", "rank condensed")
    rows = tuple(
        (
            row.run,
            "yes" if row.pooled else "no",
            *map(format_p_value, (row.plain, row.condensed, row.gap)),
            *map(format_integer, (row.rank, row.rank_condensed)),
        )
        for row in found.runs
    )
    return ReportTable(found.measure, head, rows, detail=True)


def _corrections(report: ReusabilityReport) -> ReportSection:
    found = report.corrections
    if reason := next((row.reason for row in found if row.reason), None):
        return ReportSection(correction.CARD, (f"Undefined: {reason}.",), ())
    head = ("measure", "bias", "sd of the losses", "largest loss", "runs not pooled")
    rows = tuple(
        (row.measure, *map(format_p_value, (row.bias, row.sd, row.most)), str(len(row.runs)))
        for row in found
    )
    details = [
        ReportTable(
            row.measure,
            ("run", "score", "corrected"),
            tuple(
                (one.run, format_p_value(one.score), format_p_value(one.corrected))
                for one in row.runs
            ),
            detail=True,
        )
        for row in found
    ]
    return ReportSection(correction.CARD, (), (ReportTable("All measures", head, rows), *details))


_NAMES = ("tau", "tau_AP", "RBO")


def format_coefficients(found: dict[str, ComparisonEstimate]) -> list[str]:
    """Three cells: tau-b, tau_AP in the form that is defined, and rank-biased overlap."""
    return [format_p_value(estimate.value) for estimate in found.values()]


def format_largest_drop(found: RankDrop | None) -> str:
    return "none" if found is None else f"{found.tag} {found.before} to {found.after}"


def format_percent(value: float | None) -> str:
    return "null" if value is None else f"{value:.1f}"


def format_integer(value: int | None) -> str:
    return "null" if value is None else str(value)


def summary_tables(tables: Sequence[ReportTable]) -> list[ReportTable]:
    """The tables without those of details."""
    return [table for table in tables if not table.detail]
