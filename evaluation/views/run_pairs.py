"""All run pairs by the preregistered or another test, and the comparison of measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.queries.comparison import (
    SignificanceChoice,
    bootstrap_intervals,
    check_comparison_size,
    discriminative_powers,
    get_test_choice,
    ranking_correlations,
    select_run_pairs,
)
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.views.access import get_visible_leaderboard
from evaluation.views.cells import (
    ScoreColumn,
    build_column,
    compared_measures,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.runs import get_requested_measure, list_topic_measures, score_page
from poolbench.cards import Card
from poolbench.charts.chart import Chart
from poolbench.evaluation.charts.runs import build_caterpillar
from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.discriminative import DiscriminativePower
from poolbench.evaluation.comparison.formats import list_interval_notes
from poolbench.evaluation.comparison.marks import assign_letters
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.comparison.registry import CORRECTIONS, CORRELATIONS, FAMILY_TESTS, TESTS
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.number_formats import format_decimals, format_p, format_signed
from poolbench.statistics.estimate import Estimate

MOST_RUNS = 60
"""Runs in the map of run pairs; larger maps are unreadable."""
MOST_PAIRS = 400
"""Run pairs in the table of the page; the downloads have all."""
MOST_MEASURES = 12
MARKS = {"better": "▲", "worse": "▼", "same": "·", "none": "–"}


@dataclass(frozen=True)
class PairMapCell:
    """A cell of the map: the run of the row compared with the run of the column."""

    kind: str
    label: str

    @property
    def mark(self) -> str:
        return MARKS[self.kind]


@dataclass(frozen=True)
class CorrelationCell:
    """A cell of the map of measures."""

    text: str
    label: str
    step: int


class PairMapRow(NamedTuple):
    """``cells`` has None for the run itself."""

    tag: str
    place: int
    cells: list[PairMapCell | None]


@dataclass(frozen=True)
class ComparisonChoice:
    """The chosen test and correction, and what else can be chosen."""

    choice: SignificanceChoice
    test: Card
    correction: Card
    tests: list[Card]
    corrections: list[Card]
    takes_correction: bool


@dataclass(frozen=True)
class RunPairsPage:
    """``leaders``: the best run and those not significantly different from it; ``lower``: lower
    values are better; ``more`` run pairs are left out of ``table``.
    """

    column: ScoreColumn
    comparisons: Comparisons
    different: int
    leaders: list[str]
    lower: bool
    picture: Chart
    map: list[PairMapRow]
    table: Sequence[PairRow]
    more: int


@dataclass(frozen=True)
class MeasuresComparedPage:
    """``by``: the rank correlation; ``directed``: the row is the reference ranking."""

    names: list[str]
    map: dict[str, list[CorrelationCell]]
    by: Card
    directed: bool
    coefficients: list[Card]
    powers: list[tuple[ScoreColumn, DiscriminativePower]]


def pairs_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    leaderboard = get_visible_leaderboard(request, slug, pk)
    names = compared_measures(leaderboard)
    name = get_requested_measure(request, leaderboard, names)
    choice = get_requested_test(request, leaderboard)
    entries = sorted_entries(leaderboard, name)
    comparisons = select_run_pairs(leaderboard, entries, name, choice)
    lower = leaderboard.lower_is_better(name)
    rows = sorted(comparisons.rows, key=lambda row: (row.adjusted is None, row.adjusted or 0.0))
    intervals = bootstrap_intervals(leaderboard, entries, name)
    page = RunPairsPage(
        column=build_column(leaderboard.measure(name)),
        comparisons=comparisons,
        different=len(comparisons.different),
        leaders=select_best_and_indistinguishable(entries, comparisons),
        lower=lower,
        picture=build_caterpillar(
            format_measure_title(name, over_topics=True),
            [entry.tag for entry in entries],
            intervals,
            [entry.own for entry in entries],
            caption_intervals(leaderboard.measure(name), intervals),
        ),
        map=build_pair_map(entries[:MOST_RUNS], comparisons, lower=lower),
        table=rows[:MOST_PAIRS],
        more=max(0, len(rows) - MOST_PAIRS),
    )
    head = score_page(leaderboard, names, name)
    letters = build_letter_part(entries, name, comparisons, intervals)
    parts = head, choose_test(choice), page, letters
    return render_page(request, "evaluation/run_pairs.html", *parts)


def caption_intervals(measure: Measure, intervals: Sequence[Estimate]) -> str:
    title = build_column(measure).title
    notes = [note[:1].upper() + note[1:] for note in list_interval_notes(intervals)]
    method = f"{title}: mean over topics with its 95\u00a0% bootstrap interval (BCa)."
    return " ".join([method, *notes])


def measures_compared_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Rank correlations between measures, and their discriminative power."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    coefficient = request.GET.get("by", "")
    coefficient = coefficient if coefficient in CORRELATIONS else "tau-b"
    names = select_requested_measures(request, leaderboard)
    choice = get_requested_test(request, leaderboard, len(names))
    if not names:
        raise Http404("no measure ranks these runs")
    correlations = ranking_correlations(leaderboard, names, coefficient)
    page = MeasuresComparedPage(
        names=names,
        map={
            first: [correlation_cell(first, second, correlations) for second in names]
            for first in names
        },
        by=CORRELATIONS[coefficient].card,
        directed=CORRELATIONS[coefficient].directed,
        coefficients=[each.card for each in CORRELATIONS.values()],
        powers=[
            (build_column(leaderboard.measure(name)), power)
            for name, power in discriminative_powers(leaderboard, names, choice)
        ],
    )
    measures = list_topic_measures(leaderboard)
    head = score_page(leaderboard, measures, names[0])
    parts = head, choose_test(choice), page
    return render_page(request, "evaluation/measures_compared.html", *parts)


def get_requested_test(
    request: SignedInRequest, leaderboard: Leaderboard, measures: int = 1
) -> SignificanceChoice:
    """The requested test and correction, unless they take too long for ``measures`` measures."""
    test, correction = request.GET.get("test", ""), request.GET.get("correction", "")
    if test and test not in TESTS and test not in FAMILY_TESTS:
        raise Http404(f"unknown test {test}")
    if correction and correction not in CORRECTIONS:
        raise Http404(f"unknown correction {correction}")
    choice = get_test_choice(leaderboard.score_set.campaign, test, correction)
    check_comparison_size(leaderboard, choice, measures)
    return choice


def choose_test(choice: SignificanceChoice) -> ComparisonChoice:
    return ComparisonChoice(
        choice=choice,
        test=(TESTS | FAMILY_TESTS)[choice.test].card,
        correction=CORRECTIONS[choice.correction].card,
        tests=[test.card for test in (TESTS | FAMILY_TESTS).values()],
        corrections=[each.card for each in CORRECTIONS.values()],
        takes_correction=choice.test in TESTS,
    )


def select_requested_measures(request: SignedInRequest, leaderboard: Leaderboard) -> list[str]:
    names = compared_measures(leaderboard)
    requested = [name for name in dict.fromkeys(request.GET.getlist("m")) if name in names]
    visible = [name for name in select_visible_measures(leaderboard, ()) if name in names]
    return (requested or visible or names)[:MOST_MEASURES]


def select_best_and_indistinguishable(
    entries: Sequence[LeaderboardEntry], comparisons: Comparisons
) -> list[str]:
    """The best run and those that are not significantly different from it."""
    if not entries:
        return []
    best = entries[0].tag
    worse = {row.second for row in comparisons.different if row.first == best}
    return [entry.tag for entry in entries if entry.tag not in worse]


def build_pair_map(
    entries: Sequence[LeaderboardEntry], comparisons: Comparisons, *, lower: bool
) -> list[PairMapRow]:
    by_pair = {(row.first, row.second): row for row in comparisons.rows}
    return [
        PairMapRow(
            a.tag,
            place,
            [
                None if a is b else pair_map_cell(a.tag, b.tag, by_pair, lower=lower)
                for b in entries
            ],
        )
        for place, a in enumerate(entries, start=1)
    ]


def pair_map_cell(
    a: str, b: str, by_pair: dict[tuple[str, str], PairRow], *, lower: bool
) -> PairMapCell:
    """Compare run ``a`` with run ``b``; ``lower``: lower values are better."""
    row, sign = (by_pair[a, b], 1) if (a, b) in by_pair else (by_pair[b, a], -1)
    difference = (row.difference or 0.0) * sign
    adjusted = f"{_('adjusted p')} {format_p(row.adjusted)}"
    label = f"{a} − {b}: {format_signed(difference)}, {adjusted}"
    if row.adjusted is None:
        return PairMapCell("none", f"{a}, {b}: {row.reason}")
    return PairMapCell(
        ("better" if (difference > 0) != lower else "worse") if row.different else "same", label
    )


def correlation_cell(
    first: str, second: str, correlations: dict[tuple[str, str], Any]
) -> CorrelationCell:
    if first == second:
        return CorrelationCell("", first, 0)
    estimate = correlations.get((first, second)) or correlations[second, first]
    if estimate.value is None:
        return CorrelationCell("–", f"{first}, {second}: {estimate.why}", 0)
    step = max(0, min(5, int((estimate.value - 0.5) * 10) + 1)) if estimate.value >= 0.5 else 0
    label = f"{first}, {second}: {estimate.value:.4f}, {estimate.n} runs"
    return CorrelationCell(format_decimals(estimate.value, 2), label, step)


class LetterRow(NamedTuple):
    tag: str
    mean: float | None
    interval: Estimate
    letters: str


@dataclass(frozen=True)
class LetterPart:
    """``untested`` pairs have no p value."""

    groups: list[LetterRow]
    untested: int


def build_letter_part(
    entries: Sequence[LeaderboardEntry],
    name: str,
    compared: Comparisons,
    intervals: Sequence[Estimate],
) -> LetterPart:
    """``entries`` are the best first, with their intervals; runs without a mean have no letter."""
    listed = [
        pair for pair in zip(entries, intervals, strict=True) if pair[0].means[name] is not None
    ]
    groups = assign_letters(compared, [entry.tag for entry, _ in listed])
    rows = [
        LetterRow(entry.tag, entry.means[name], interval, groups.letters[entry.tag])
        for entry, interval in listed
    ]
    return LetterPart(rows, groups.untested)
