"""A reusability report as sections of remarks and tables, for every output format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from campaigns.core.cards import Card
from common.statistics.estimate import Estimate
from common.statistics.least_topics import HINT_NOTE
from evaluation.core.comparison.formats import format_p_value
from evaluation.core.comparison.rank_drop import RankDrop
from judging.core.policies import NO_ESTIMATE
from reliability.core.collection import (
    condensed_lists,
    contributors,
    correction,
    depths,
    extrapolation,
    leave_one_group_out,
    reduced_judgments,
    stability,
)
from reliability.core.collection.condensed_lists import CondensedComparison
from reliability.core.collection.contributors import Contributor
from reliability.core.collection.leave_one_group_out import LeaveOutResult
from reliability.core.collection.report import ReusabilityFacts, ReusabilityReport


@dataclass(frozen=True)
class ReportTable:
    """Formatted cells; the first column is a name. ``detail``: a long table by run or topic."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    detail: bool = False


@dataclass(frozen=True)
class ReportSection:
    """One diagnostic: its card, remarks to lead with, and its tables."""

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
    """What the scores cover and how they were computed, one sentence per line."""
    origin = "specified" if facts.depth_told else "inferred from the judgments"
    lines = [
        (
            f"{facts.runs:,} runs of {facts.teams:,} teams, {facts.topics:,} topics, "
            f"{facts.judged:,} judged documents, {facts.relevant:,} relevant (grade {facts.level} "
            "or higher)."
        ),
        (
            f"Pool: {facts.pooled_runs:,} contributing runs of {facts.pooled_teams:,} teams, depth "
            f"{facts.depth} ({origin}), {facts.pooled_documents:,} documents, "
            f"{facts.pooled_unjudged:,} unjudged."
        ),
        f"Gain: {facts.gains}. Order: {facts.order}. Means over all topics of the qrels.",
        f"Measures: {'; '.join(map(': '.join, zip(facts.measures, facts.titles, strict=True)))}.",
        f"Seed {facts.seed}. Qrels SHA-256 {facts.qrels_sha256}. {facts.product}.",
    ]
    if facts.label:
        lines.append(f"Qrels: {facts.label}. {NO_ESTIMATE}")
    if facts.one_run_teams:
        lines.insert(1, "Every run is its own team: results by team equal results by run.")
    return lines


def _contributors(report: ReusabilityReport) -> ReportSection:
    contributions, facts = report.contributors, report.facts
    head = ("runs", "judged", "relevant", "unique judged", "unique relevant", "rate", "share")
    tables = [ReportTable("By team", ("team", *head), _contributor_rows(contributions.by_team))]
    if not facts.one_run_teams:
        tables.append(
            ReportTable(
                "By run", ("run", *head), _contributor_rows(contributions.by_run), detail=True
            )
        )
    remark = (
        f"Judged documents in no contributing run within depth {facts.depth}: "
        f"{contributions.from_elsewhere:,} ({contributions.relevant_from_elsewhere:,} "
        "relevant)."
    )
    return ReportSection(contributors.CARD, (remark,), tuple(tables))


def _contributor_rows(groups: Iterable[Contributor]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            row.name,
            *map(str, (row.runs, row.judged, row.relevant, row.alone, row.relevant_alone)),
            format_p_value(row.rate),
            format_p_value(row.share),
        )
        for row in groups
    )


def _leave_out(report: ReusabilityReport) -> ReportSection:
    both = (*report.leave_team_out, *report.leave_run_out)
    head = ("measure", "left out", "mean change", "mean %", *_NAMES, "largest drop")
    rows = tuple(
        (
            result.measure,
            result.by,
            format_p_value(result.mean_change),
            format_percent(result.mean_percent),
            *format_coefficients(result.coefficients),
            format_largest_drop(result.drop),
        )
        for result in both
    )
    details = [_left_out_table(result) for result in report.leave_team_out]
    return ReportSection(
        leave_one_group_out.CARD, (), (ReportTable("All measures", head, rows), *details)
    )


def _left_out_table(result: LeaveOutResult) -> ReportTable:
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
        for row in result.runs
    )
    return ReportTable(f"{result.measure}, one team left out", head, rows, detail=True)


def _by_depth(report: ReusabilityReport) -> ReportSection:
    rows = tuple(
        (*map(str, (row.depth, row.new, row.judged, row.relevant)), format_p_value(row.rate))
        for row in report.by_depth
    )
    head = ("depth", "new", "judged", "relevant", "rate")
    return ReportSection(depths.CARD, (), (ReportTable("New documents by best rank", head, rows),))


def _extrapolation(report: ReusabilityReport) -> ReportSection:
    estimate = report.extrapolation
    if estimate.further is None:
        return ReportSection(extrapolation.CARD, (f"Undefined: {estimate.reason}.",), ())
    interval = (
        "no interval"
        if estimate.low is None
        else f"95 % {estimate.low:,.0f} to {estimate.high:,.0f}"
        + (f"; {HINT_NOTE.rstrip('.')}" if estimate.is_hint else "")
    )
    lines = [
        (
            f"{estimate.relevant:,} relevant documents within depth {estimate.depth}; about "
            f"{estimate.further:,.0f} more expected to depth {estimate.target} ({interval})."
        ),
        (
            f"Curve: log C = {format_p_value(estimate.log_c)}, s = {format_p_value(estimate.slope)}"
            f", fitted over {estimate.fitted} depths from {estimate.first} on;"
            f" {estimate.fitted_draws:,} of {estimate.draws:,} topic samples could be fitted."
        ),
        "This is an extrapolation: no document at these ranks was judged.",
    ]
    lines += [f"No interval: {estimate.reason}."] if estimate.reason else []
    return ReportSection(extrapolation.CARD, tuple(lines), ())


def _stability(report: ReusabilityReport) -> ReportSection:
    signs = report.stability
    dense = [topic.topic for topic in signs.topics if topic.alarm]
    lows = ", ".join(f"{runs} at k = {k}" for k, runs in signs.low_runs.items())
    remarks = [
        f"Runs with judged@k below {stability.JUDGED_ALARM}, of {len(signs.runs):,}: {lows}.",
        (
            f"Topics with more than one in {stability.DENSE} judged documents relevant: "
            f"{len(dense)} of {len(signs.topics)}{': ' if dense else ''}{', '.join(dense)}."
        ),
        (
            f"Relevant documents unique to one team: {signs.relevant_alone:,} of "
            f"{signs.relevant:,} ({format_p_value(signs.concentration)})."
        ),
    ]
    counts = tuple((teams, str(number)) for teams, number in signs.of_teams.items())
    runs = tuple(
        (
            row.run,
            row.team,
            "yes" if row.pooled else "no",
            *map(format_p_value, row.shares.values()),
        )
        for row in sorted(signs.runs, key=lambda row: (row.shares["10"] or 0.0, row.run))
    )
    topics = tuple(
        (
            row.topic,
            *map(str, (row.judged, row.relevant)),
            format_p_value(row.density),
            *map(str, (row.alone, row.elsewhere)),
            format_p_value(row.concentration),
        )
        for row in signs.topics
    )
    cuts = tuple(f"judged@{k}" for k in stability.CUTS)
    density = ("topic", "judged", "relevant", "density", "unique", "elsewhere", "concentration")
    tables = (
        ReportTable(
            "Relevant documents by number of contributing teams", ("teams", "relevant"), counts
        ),
        ReportTable(
            "Runs, lowest judged@10 first", ("run", "team", "pooled", *cuts), runs, detail=True
        ),
        ReportTable("Topics", density, topics, detail=True),
    )
    return ReportSection(stability.CARD, tuple(remarks), tables)


def _reduced(report: ReusabilityReport) -> ReportSection:
    facts = report.facts
    head = (
        *("%", "judged", "score", "SE of score", "tau", "SE of tau", "sd", "min", "max"),
        *("tau to first", "SE to first", "largest drop"),
    )
    tables = []
    for name in facts.measures:
        rows = tuple(
            (
                str(row.level),
                f"{row.judged:.3f}",
                *map(format_p_value, (row.score, row.score_standard_error)),
                *map(format_p_value, (row.tau.mean, row.tau.standard_error, row.tau.sd)),
                *map(format_p_value, (row.tau.least, row.tau.most)),
                *map(format_p_value, (row.tau_to_first.mean, row.tau_to_first.standard_error)),
                format_largest_drop(row.drop),
            )
            for row in report.reduced
            if row.measure == name
        )
        tables.append(ReportTable(name, head, rows))
    remark = (
        f"{facts.draws:,} draws, seed {facts.seed}; SE: standard error of the mean over draws; the "
        f"first measure is {facts.measures[0]}."
    )
    return ReportSection(reduced_judgments.CARD, (remark,), tuple(tables))


def _condensed(report: ReusabilityReport) -> ReportSection:
    head = ("measure", "mean gap contributing", "mean gap others", *_NAMES, "largest drop")
    rows = tuple(
        (
            comparison.measure,
            *map(format_p_value, (comparison.mean_gap_pooled, comparison.mean_gap_others)),
            *format_coefficients(comparison.coefficients),
            format_largest_drop(comparison.drop),
        )
        for comparison in report.condensed
    )
    details = [_gap_table(comparison) for comparison in report.condensed]
    return ReportSection(
        condensed_lists.CARD, (), (ReportTable("All measures", head, rows), *details)
    )


def _gap_table(comparison: CondensedComparison) -> ReportTable:
    head = ("run", "pooled", "plain", "condensed", "gap", "rank", "rank condensed")
    rows = tuple(
        (
            row.run,
            "yes" if row.pooled else "no",
            *map(format_p_value, (row.plain, row.condensed, row.gap)),
            *map(format_integer, (row.rank, row.rank_condensed)),
        )
        for row in comparison.runs
    )
    return ReportTable(comparison.measure, head, rows, detail=True)


def _corrections(report: ReusabilityReport) -> ReportSection:
    corrections = report.corrections
    if reason := next((row.reason for row in corrections if row.reason), None):
        return ReportSection(correction.CARD, (f"Undefined: {reason}.",), ())
    head = ("measure", "bias", "sd of the losses", "largest loss", "other runs")
    rows = tuple(
        (row.measure, *map(format_p_value, (row.bias, row.sd, row.most)), str(len(row.runs)))
        for row in corrections
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
        for row in corrections
    ]
    return ReportSection(correction.CARD, (), (ReportTable("All measures", head, rows), *details))


_NAMES = ("tau", "tau_AP", "RBO")


def format_coefficients(estimates: dict[str, Estimate]) -> list[str]:
    """Three cells: tau-b, tau_AP in its defined form, and rank-biased overlap."""
    return [format_p_value(estimate.value) for estimate in estimates.values()]


def format_largest_drop(drop: RankDrop | None) -> str:
    return "none" if drop is None else f"{drop.tag} {drop.before} to {drop.after}"


def format_percent(value: float | None) -> str:
    return "null" if value is None else f"{value:.1f}"


def format_integer(value: int | None) -> str:
    return "null" if value is None else str(value)


def summary_tables(tables: Sequence[ReportTable]) -> list[ReportTable]:
    """The tables without the details."""
    return [table for table in tables if not table.detail]
