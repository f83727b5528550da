"""The sections of a reusability report: one per diagnostic."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace

from poolbench.cards import Card
from poolbench.evaluation.comparison.formats import format_p_value
from poolbench.evaluation.comparison.rank_drop import format_rank_drop
from poolbench.judging.policies import NO_ESTIMATE
from poolbench.reliability.collection import (
    condensed_lists,
    contributors,
    correction,
    depths,
    extrapolation,
    leave_one_group_out,
    reduced_judgments,
    stability,
)
from poolbench.reliability.collection.condensed_lists import CondensedComparison
from poolbench.reliability.collection.contributors import Contributor
from poolbench.reliability.collection.figures import draw_section_figures
from poolbench.reliability.collection.leave_one_group_out import LeaveOutResult
from poolbench.reliability.collection.report import ReusabilityFacts, ReusabilityReport
from poolbench.reports.report import Column, Section, Table, make_columns
from poolbench.statistics.least_topics import HINT_NOTE

MAX_ROWS = 20
"""Rows in text of tables by team and by depth, which grow with the campaign."""


CARDS = (
    contributors.CARD,
    leave_one_group_out.CARD,
    depths.CARD,
    extrapolation.CARD,
    stability.CARD,
    reduced_judgments.CARD,
    condensed_lists.CARD,
    correction.CARD,
)
"""In the order of the sections."""


def make_score_columns(*names: str) -> tuple[Column, ...]:
    return make_columns(*names, show=format_p_value)


NAMES = make_score_columns("tau", "tau_AP", "RBO")
DROP = Column("largest drop", format=format_rank_drop, undefined="none")
POOLED = Column("pooled", format=lambda value: "yes" if value else "no")
MEASURE = Column("measure", left=True)
RUN = Column("run", left=True)
PERCENT = "{:.1f}".format


def build_sections(report: ReusabilityReport) -> list[Section]:
    """All diagnostics with their figures, in the order of the report."""
    sections = [
        _contributors(report),
        _leave_out(report),
        _by_depth(report),
        _extrapolation(report),
        _stability(report),
        _reduced(report),
        _condensed(report),
        _corrections(report),
    ]
    return [replace(each, figures=draw_section_figures(report, each.name)) for each in sections]


def build_card_section(card: Card, notes: Iterable[str], tables: Iterable[Table]) -> Section:
    """A diagnostic, introduced and defined by its card."""
    undefined = [f"Undefined (null): {card.undefined}"] if card.undefined else []
    remarks = (f"Range: {card.range}.", *card.edge_cases, *undefined, f"Source: {card.source}")
    return Section(
        title=card.title,
        tables=tuple(tables),
        notes=tuple(notes),
        name=card.name,
        titled=True,
        reading=card.reading,
        definition=(card.formula, *remarks),
    )


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


def make_table(
    caption: str,
    columns: Iterable[Column],
    rows: Iterable[tuple[object, ...]],
    *,
    detail: bool = False,
    most: int | None = None,
) -> Table:
    """Plain text has the caption above the table."""
    cells = tuple(rows)
    return Table(caption, tuple(columns), cells, caption, detail=detail, lead=caption, most=most)


def _contributors(report: ReusabilityReport) -> Section:
    contributions, facts = report.contributors, report.facts
    tables = [_contributor_table("team", contributions.by_team)]
    if not facts.one_run_teams:
        tables.append(_contributor_table("run", contributions.by_run))
    remark = (
        f"Judged documents in no contributing run within depth {facts.depth}: "
        f"{contributions.from_elsewhere:,} ({contributions.relevant_from_elsewhere:,} "
        "relevant)."
    )
    return build_card_section(contributors.CARD, [remark], tables)


def _contributor_table(by: str, groups: Iterable[Contributor]) -> Table:
    columns = (
        Column(by, left=True),
        *make_columns("runs", "judged", "relevant", "unique judged", "unique relevant"),
        *make_score_columns("rate", "share"),
    )
    rows = map(astuple, groups)
    return make_table(f"By {by}", columns, rows, detail=by == "run", most=MAX_ROWS)


def _leave_out(report: ReusabilityReport) -> Section:
    columns = (
        *(MEASURE, Column("left out"), *make_score_columns("mean change")),
        *(Column("mean %", format=PERCENT), *NAMES, DROP),
    )
    rows = (
        (
            *(result.measure, result.by, result.mean_change, result.mean_percent),
            *(estimate.value for estimate in result.coefficients.values()),
            result.drop,
        )
        for result in (*report.leave_team_out, *report.leave_run_out)
    )
    details = map(_left_out_table, report.leave_team_out)
    tables = (make_table("All measures", columns, rows), *details)
    return build_card_section(leave_one_group_out.CARD, (), tables)


def _left_out_table(result: LeaveOutResult) -> Table:
    columns = (
        *(RUN, Column("team"), POOLED, *make_score_columns("score", "without", "change")),
        *(Column("%", format=PERCENT), *make_columns("rank", "rank without")),
    )
    rows = map(astuple, result.runs)
    return make_table(f"{result.measure}, one team left out", columns, rows, detail=True)


def _by_depth(report: ReusabilityReport) -> Section:
    columns = (
        *(Column("depth", left=True), *make_columns("new", "judged", "relevant")),
        *make_score_columns("rate"),
    )
    rows = map(astuple, report.by_depth)
    table = make_table("New documents by best rank", columns, rows, most=MAX_ROWS)
    return build_card_section(depths.CARD, (), [table])


def _extrapolation(report: ReusabilityReport) -> Section:
    estimate = report.extrapolation
    if estimate.further is None:
        return build_card_section(extrapolation.CARD, [f"Undefined: {estimate.reason}."], ())
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
    return build_card_section(extrapolation.CARD, lines, ())


def _stability(report: ReusabilityReport) -> Section:
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
    return build_card_section(stability.CARD, remarks, _stability_tables(report))


def _stability_tables(report: ReusabilityReport) -> Iterator[Table]:
    signs = report.stability
    teams = (Column("teams", left=True), Column("relevant"))
    caption = "Relevant documents by number of contributing teams"
    yield make_table(caption, teams, signs.of_teams.items())
    runs = (
        (row.run, row.team, row.pooled, *row.shares.values())
        for row in sorted(signs.runs, key=lambda row: (row.shares["10"] or 0.0, row.run))
    )
    cuts = make_score_columns(*(f"judged@{k}" for k in stability.CUTS))
    columns = (RUN, Column("team"), POOLED, *cuts)
    yield make_table("Runs, lowest judged@10 first", columns, runs, detail=True)
    topics = (
        (t.topic, t.judged, t.relevant, t.density, t.alone, t.elsewhere, t.concentration)
        for t in signs.topics
    )
    columns = (
        *(Column("topic", left=True), *make_columns("judged", "relevant")),
        *(*make_score_columns("density"), *make_columns("unique", "elsewhere")),
        *make_score_columns("concentration"),
    )
    yield make_table("Topics", columns, topics, detail=True)


def _reduced(report: ReusabilityReport) -> Section:
    facts = report.facts
    columns = (
        *(Column("%", left=True), Column("judged", format="{:.3f}".format)),
        *make_score_columns("score", "SE of score", "tau", "SE of tau", "sd", "min", "max"),
        *(*make_score_columns("tau to first", "SE to first"), DROP),
    )
    tables = []
    for name in facts.measures:
        rows = (
            (
                *(row.level, row.judged, row.score, row.score_standard_error),
                *(row.tau.mean, row.tau.standard_error, row.tau.sd, row.tau.least, row.tau.most),
                *(row.tau_to_first.mean, row.tau_to_first.standard_error, row.drop),
            )
            for row in report.reduced
            if row.measure == name
        )
        tables.append(make_table(name, columns, rows))
    remark = (
        f"{facts.draws:,} draws, seed {facts.seed}; SE: standard error of the mean over draws; the "
        f"first measure is {facts.measures[0]}."
    )
    return build_card_section(reduced_judgments.CARD, [remark], tables)


def _condensed(report: ReusabilityReport) -> Section:
    gaps = make_score_columns("mean gap contributing", "mean gap others")
    rows = (
        (
            *(comparison.measure, comparison.mean_gap_pooled, comparison.mean_gap_others),
            *(estimate.value for estimate in comparison.coefficients.values()),
            comparison.drop,
        )
        for comparison in report.condensed
    )
    table = make_table("All measures", (MEASURE, *gaps, *NAMES, DROP), rows)
    details = map(_gap_table, report.condensed)
    return build_card_section(condensed_lists.CARD, (), (table, *details))


def _gap_table(comparison: CondensedComparison) -> Table:
    columns = (
        *(RUN, POOLED, *make_score_columns("plain", "condensed", "gap")),
        *make_columns("rank", "rank condensed"),
    )
    return make_table(comparison.measure, columns, map(astuple, comparison.runs), detail=True)


def _corrections(report: ReusabilityReport) -> Section:
    corrections = report.corrections
    if reason := next((row.reason for row in corrections if row.reason), None):
        return build_card_section(correction.CARD, [f"Undefined: {reason}."], ())
    numbers = make_score_columns("bias", "sd of the losses", "largest loss")
    columns = (MEASURE, *numbers, Column("other runs"))
    rows = ((row.measure, row.bias, row.sd, row.most, len(row.runs)) for row in corrections)
    scores = (RUN, *make_score_columns("score", "corrected"))
    details = (
        make_table(row.measure, scores, map(astuple, row.runs), detail=True) for row in corrections
    )
    tables = (make_table("All measures", columns, rows), *details)
    return build_card_section(correction.CARD, (), tables)
