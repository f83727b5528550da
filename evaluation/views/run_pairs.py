"""All run pairs by the preregistered or another test, and the comparison of measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from campaigns.api.attachments import attachment_response
from campaigns.views.helpers import SignedInRequest
from evaluation.core.comparison.compare import Comparisons, PairRow
from evaluation.core.comparison.formats import FORMATS, list_interval_notes
from evaluation.core.comparison.registry import CORRECTIONS, CORRELATIONS, FAMILY_TESTS, TESTS
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
    build_column,
    compared_measures,
    format_p,
    format_signed,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.charts.caterpillar import build_caterpillar
from evaluation.views.downloads import format_label_ending
from evaluation.views.runs import get_requested_measure, page_context, set_url

MOST_RUNS = 60
"""Runs in the map of run pairs; larger maps are unreadable."""
MOST_PAIRS = 400
"""Run pairs in the table of the page; the downloads have all."""
MOST_MEASURES = 12


@dataclass(frozen=True)
class PairMapCell:
    """A cell of the map: the run of the row compared with the run of the column."""

    kind: str
    label: str


@dataclass(frozen=True)
class CorrelationCell:
    """A cell of the map of measures."""

    text: str
    label: str
    step: int


def pairs_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = get_requested_measure(request, leaderboard, compared_measures(leaderboard))
    choice = get_requested_test(request, leaderboard)
    entries = rank_entries(leaderboard, name)
    comparisons = select_run_pairs(leaderboard, entries, name, choice)
    rows = sorted(comparisons.rows, key=lambda row: (row.adjusted is None, row.adjusted or 0.0))
    intervals = bootstrap_intervals(leaderboard, entries, name)
    context = (
        page_context(leaderboard, name, compared_measures(leaderboard))
        | choice_context(choice)
        | {
            "crumbs": [("Scores", set_url(leaderboard)), ("Run pairs", "")],
            "column": build_column(leaderboard.measure(name)),
            "comparisons": comparisons,
            "different": len(comparisons.different),
            "leaders": select_best_and_indistinguishable(entries, comparisons),
            "lower": leaderboard.lower_is_better(name),
            "picture": build_caterpillar(
                [entry.tag for entry in entries],
                intervals,
                [entry.own for entry in entries],
            ),
            "interval_notes": list_interval_notes(intervals),
            "map": build_pair_map(
                entries[:MOST_RUNS], comparisons, lower=leaderboard.lower_is_better(name)
            ),
            "table": [(row, *format_pair_row(row)) for row in rows[:MOST_PAIRS]],
            "more": max(0, len(rows) - MOST_PAIRS),
        }
    )
    return render(request, "evaluation/run_pairs.html", context)


def pairs_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """All run pairs by one measure as CSV or JSON, with their provenance."""
    if fmt not in ("csv", "json"):
        raise Http404(f"unknown format {fmt}")
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = get_requested_measure(request, leaderboard, compared_measures(leaderboard))
    choice = get_requested_test(request, leaderboard)
    entries = rank_entries(leaderboard, name)
    comparisons = select_run_pairs(leaderboard, entries, name, choice)
    provenance = {entry.tag: leaderboard.score_set.provenance for entry in entries}
    return attachment_response(
        FORMATS[fmt]({name: comparisons}, provenance),
        f"{slug}-pairs-{pk}-{name}{format_label_ending(leaderboard)}.{fmt}",
    )


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
    rows = [
        (first, [correlation_cell(first, second, correlations) for second in names])
        for first in names
    ]
    context = (
        page_context(leaderboard, names[0])
        | choice_context(choice)
        | {
            "crumbs": [("Scores", set_url(leaderboard)), ("Comparison of measures", "")],
            "names": names,
            "map": rows,
            "by": CORRELATIONS[coefficient].card,
            "directed": CORRELATIONS[coefficient].directed,
            "coefficients": [each.card for each in CORRELATIONS.values()],
            "powers": [
                (
                    build_column(leaderboard.measure(name)),
                    power,
                    None if power.share is None else 100 * power.share,
                )
                for name, power in discriminative_powers(leaderboard, names, choice)
            ],
        }
    )
    return render(request, "evaluation/measures_compared.html", context)


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


def choice_context(choice: SignificanceChoice) -> dict[str, Any]:
    return {
        "choice": choice,
        "test": (TESTS | FAMILY_TESTS)[choice.test].card,
        "correction": CORRECTIONS[choice.correction].card,
        "tests": [test.card for test in (TESTS | FAMILY_TESTS).values()],
        "corrections": [each.card for each in CORRECTIONS.values()],
        "takes_correction": choice.test in TESTS,
    }


def select_requested_measures(request: SignedInRequest, leaderboard: Leaderboard) -> list[str]:
    names = compared_measures(leaderboard)
    requested = [name for name in dict.fromkeys(request.GET.getlist("m")) if name in names]
    visible = [name for name in select_visible_measures(leaderboard, ()) if name in names]
    return (requested or visible or names)[:MOST_MEASURES]


def rank_entries(leaderboard: Leaderboard, name: str) -> list[LeaderboardEntry]:
    """The runs of the leaderboard, best first; those without a value last."""
    return sorted_entries(leaderboard, name)


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
) -> list[tuple[str, int, list[PairMapCell | None]]]:
    by_pair = {(row.first, row.second): row for row in comparisons.rows}
    return [
        (
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
    label = f"{a} − {b}: {format_signed(difference)}, adjusted p {format_p(row.adjusted)}"
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
    return CorrelationCell(f"{estimate.value:.2f}".replace("-", "−"), label, step)


def format_pair_row(row: PairRow) -> tuple[str, str, str, str]:
    """Difference, effect size, raw and adjusted p value as text."""
    difference = "–" if row.difference is None else format_signed(row.difference)
    effect = "–" if row.effect is None else format_signed(row.effect)
    return difference, effect, format_p(row.p_value), format_p(row.adjusted)
