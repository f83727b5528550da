"""A report as sections of remarks and tables, which every form of it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from campaigns.core.cards import Card
from evaluation.core.collection import (
    by_depth,
    condensed,
    contributors,
    correction,
    extrapolation,
    leave_out,
    reduced,
    stability,
)
from evaluation.core.collection.condensed import Condensed
from evaluation.core.collection.contributors import Contributor
from evaluation.core.collection.leave_out import LeftOut
from evaluation.core.collection.report import Facts, Report
from evaluation.core.comparison.drop import Drop
from evaluation.core.comparison.estimate import Estimate
from evaluation.core.comparison.formats import shown


@dataclass(frozen=True)
class Table:
    """Cells as they are read; the first column is a name. ``detail``: run by run or topic by
    topic, for those who want to look one up.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    detail: bool = False


@dataclass(frozen=True)
class Section:
    """One diagnostic: its card, what to say first, and its tables."""

    card: Card
    remarks: tuple[str, ...]
    tables: tuple[Table, ...]


def sections_of(report: Report) -> list[Section]:
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


def conditions_of(facts: Facts) -> list[str]:
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


def _contributors(report: Report) -> Section:
    found, facts = report.contributors, report.facts
    head = ("runs", "judged", "relevant", "judged alone", "relevant alone", "rate", "share")
    tables = [Table("By team", ("team", *head), _contributor_rows(found.by_team))]
    if not facts.one_run_teams:
        tables.append(Table("By run", ("run", *head), _contributor_rows(found.by_run), detail=True))
    remark = (
        f"{found.from_elsewhere:,} judged documents, {found.relevant_from_elsewhere:,} of them "
        f"relevant, stand in no pooled run down to depth {facts.depth}."
    )
    return Section(contributors.CARD, (remark,), tuple(tables))


def _contributor_rows(found: Iterable[Contributor]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            row.name,
            *map(str, (row.runs, row.judged, row.relevant, row.alone, row.relevant_alone)),
            shown(row.rate),
            shown(row.share),
        )
        for row in found
    )


def _leave_out(report: Report) -> Section:
    both = (*report.leave_team_out, *report.leave_run_out)
    head = ("measure", "left out", "mean change", "mean %", *_NAMES, "largest drop")
    rows = tuple(
        (
            found.measure,
            found.by,
            shown(found.mean_change),
            percent(found.mean_percent),
            *coefficients(found.coefficients),
            drop(found.drop),
        )
        for found in both
    )
    details = [_left_table(found) for found in report.leave_team_out]
    return Section(leave_out.CARD, (), (Table("All measures", head, rows), *details))


def _left_table(found: LeftOut) -> Table:
    head = ("run", "team", "pooled", "score", "without", "change", "%", "rank", "rank without")
    rows = tuple(
        (
            row.run,
            row.group,
            "yes" if row.pooled else "no",
            *map(shown, (row.score, row.without, row.change)),
            percent(row.percent),
            *map(whole, (row.rank, row.rank_without)),
        )
        for row in found.runs
    )
    return Table(f"{found.measure}, a team left out", head, rows, detail=True)


def _by_depth(report: Report) -> Section:
    rows = tuple(
        (*map(str, (row.depth, row.new, row.judged, row.relevant)), shown(row.rate))
        for row in report.by_depth
    )
    head = ("depth", "new", "judged", "relevant", "rate")
    return Section(by_depth.CARD, (), (Table("New documents by best rank", head, rows),))


def _extrapolation(report: Report) -> Section:
    found = report.extrapolation
    if found.further is None:
        return Section(extrapolation.CARD, (f"Undefined: {found.reason}.",), ())
    ends = "no interval" if found.low is None else f"95 % {found.low:,.0f} to {found.high:,.0f}"
    lines = [
        (
            f"{found.found:,} relevant documents down to depth {found.depth}; about "
            f"{found.further:,.0f} more from there to depth {found.target} ({ends})."
        ),
        (
            f"Curve: log C = {shown(found.log_c)}, s = {shown(found.slope)}, fitted over "
            f"{found.fitted} depths from {found.first} on; {found.drawn} of {found.draws} draws of "
            "topics could be fitted."
        ),
        "It is an extrapolation: nobody has judged there.",
    ]
    lines += [f"No interval: {found.reason}."] if found.reason else []
    return Section(extrapolation.CARD, tuple(lines), ())


def _stability(report: Report) -> Section:
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
            f"{found.relevant:,} ({shown(found.concentration)})."
        ),
    ]
    counts = tuple((teams, str(number)) for teams, number in found.of_teams.items())
    runs = tuple(
        (row.run, row.team, "yes" if row.pooled else "no", *map(shown, row.shares.values()))
        for row in sorted(found.runs, key=lambda row: (row.shares["10"] or 0.0, row.run))
    )
    topics = tuple(
        (
            row.topic,
            *map(str, (row.judged, row.relevant)),
            shown(row.density),
            *map(str, (row.alone, row.elsewhere)),
            shown(row.concentration),
        )
        for row in found.topics
    )
    cuts = tuple(f"judged@{k}" for k in stability.CUTS)
    density = ("topic", "judged", "relevant", "density", "alone", "elsewhere", "concentration")
    tables = (
        Table("Relevant documents by how many teams brought them", ("teams", "relevant"), counts),
        Table("Runs, least judged first", ("run", "team", "pooled", *cuts), runs, detail=True),
        Table("Topics", density, topics, detail=True),
    )
    return Section(stability.CARD, tuple(remarks), tables)


def _reduced(report: Report) -> Section:
    facts = report.facts
    head = ("%", "judged", "score", "tau", "sd", "least", "most", "tau to first", "largest drop")
    tables = []
    for name in facts.measures:
        rows = tuple(
            (
                str(row.level),
                f"{row.judged:.3f}",
                shown(row.score),
                *map(shown, (row.tau.mean, row.tau.sd, row.tau.least, row.tau.most)),
                shown(row.tau_to_first.mean),
                drop(row.drop),
            )
            for row in report.reduced
            if row.measure == name
        )
        tables.append(Table(name, head, rows))
    remark = (
        f"{facts.draws} draws from seed {facts.seed}; the first measure is {facts.measures[0]}."
    )
    return Section(reduced.CARD, (remark,), tuple(tables))


def _condensed(report: Report) -> Section:
    head = ("measure", "mean gap pooled", "mean gap others", *_NAMES, "largest drop")
    rows = tuple(
        (
            found.measure,
            *map(shown, (found.mean_gap_pooled, found.mean_gap_others)),
            *coefficients(found.coefficients),
            drop(found.drop),
        )
        for found in report.condensed
    )
    details = [_gap_table(found) for found in report.condensed]
    return Section(condensed.CARD, (), (Table("All measures", head, rows), *details))


def _gap_table(found: Condensed) -> Table:
    head = ("run", "pooled", "plain", "condensed", "gap", "rank", "rank condensed")
    rows = tuple(
        (
            row.run,
            "yes" if row.pooled else "no",
            *map(shown, (row.plain, row.condensed, row.gap)),
            *map(whole, (row.rank, row.rank_condensed)),
        )
        for row in found.runs
    )
    return Table(found.measure, head, rows, detail=True)


def _corrections(report: Report) -> Section:
    found = report.corrections
    if reason := next((row.reason for row in found if row.reason), None):
        return Section(correction.CARD, (f"Undefined: {reason}.",), ())
    head = ("measure", "bias", "sd of the losses", "largest loss", "runs not pooled")
    rows = tuple(
        (row.measure, *map(shown, (row.bias, row.sd, row.most)), str(len(row.runs)))
        for row in found
    )
    details = [
        Table(
            row.measure,
            ("run", "score", "corrected"),
            tuple((one.run, shown(one.score), shown(one.corrected)) for one in row.runs),
            detail=True,
        )
        for row in found
    ]
    return Section(correction.CARD, (), (Table("All measures", head, rows), *details))


_NAMES = ("tau", "tau_AP", "RBO")


def coefficients(found: dict[str, Estimate]) -> list[str]:
    """Three cells: tau-b, tau_AP in the form that is defined, and rank-biased overlap."""
    return [shown(estimate.value) for estimate in found.values()]


def drop(found: Drop | None) -> str:
    return "none" if found is None else f"{found.tag} {found.before} to {found.after}"


def percent(value: float | None) -> str:
    return "null" if value is None else f"{value:.1f}"


def whole(value: int | None) -> str:
    return "null" if value is None else str(value)


def summary(tables: Sequence[Table]) -> list[Table]:
    """The tables without those of details."""
    return [table for table in tables if not table.detail]
