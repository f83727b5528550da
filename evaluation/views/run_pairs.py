"""All runs against all, by the campaign's test; and the measures against one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from campaigns.attachments import attachment_response
from campaigns.views.helpers import SignedInRequest
from evaluation.charts.caterpillar import build_caterpillar
from evaluation.core.comparison.compare import Comparisons, PairRow
from evaluation.core.comparison.formats import FORMATS
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
from evaluation.views.access import get_board
from evaluation.views.cells import (
    build_column,
    compared_measures,
    format_p,
    format_signed,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.runs import get_requested_measure, page_context, set_url

MOST_RUNS = 60
"""Runs in the map of pairs; beyond them it cannot be read."""
MOST_PAIRS = 400
"""Pairs in the table of the page; the downloads have all."""
MOST_MEASURES = 12


@dataclass(frozen=True)
class PairMapCell:
    """A cell of the map: how the run of the row stands to that of the column."""

    kind: str
    said: str


@dataclass(frozen=True)
class CorrelationCell:
    """A cell of the map of measures."""

    text: str
    said: str
    step: int


def pairs_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    board = get_board(request, slug, pk)
    name = get_requested_measure(request, board, compared_measures(board))
    choice = get_requested_test(request, board)
    entries = rank_entries(board, name)
    found = select_run_pairs(board, entries, name, choice)
    shown = sorted(found.rows, key=lambda row: (row.adjusted is None, row.adjusted or 0.0))
    context = (
        page_context(board, name, compared_measures(board))
        | choice_context(choice)
        | {
            "crumbs": [("Scores", set_url(board)), ("All pairs", "")],
            "chosen": build_column(board.measure(name)),
            "found": found,
            "different": len(found.different),
            "leaders": select_best_and_indistinguishable(entries, found),
            "lower": board.lower_is_better(name),
            "picture": build_caterpillar(
                [entry.tag for entry in entries],
                bootstrap_intervals(board, entries, name),
                [entry.own for entry in entries],
            ),
            "map": build_pair_map(entries[:MOST_RUNS], found, lower=board.lower_is_better(name)),
            "table": [(row, *format_pair_row(row)) for row in shown[:MOST_PAIRS]],
            "more": max(0, len(shown) - MOST_PAIRS),
        }
    )
    return render(request, "evaluation/pairs.html", context)


def pairs_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """All pairs of one measure as CSV or JSON, with what the answer depends on."""
    if fmt not in ("csv", "json"):
        raise Http404(f"no format {fmt}")
    board = get_board(request, slug, pk)
    name = get_requested_measure(request, board, compared_measures(board))
    choice = get_requested_test(request, board)
    entries = rank_entries(board, name)
    found = select_run_pairs(board, entries, name, choice)
    told = {entry.tag: board.score_set.conditions for entry in entries}
    return attachment_response(FORMATS[fmt]({name: found}, told), f"{slug}-pairs-{pk}-{name}.{fmt}")


def measures_compared_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Which measures rank the runs alike, and how well each tells them apart."""
    board = get_board(request, slug, pk)
    coefficient = request.GET.get("by", "")
    coefficient = coefficient if coefficient in CORRELATIONS else "tau-b"
    names = select_requested_measures(request, board)
    choice = get_requested_test(request, board, len(names))
    if not names:
        raise Http404("no measure of these scores can be compared")
    found = ranking_correlations(board, names, coefficient)
    rows = [
        (first, [correlation_cell(first, second, found) for second in names]) for first in names
    ]
    context = (
        page_context(board, names[0])
        | choice_context(choice)
        | {
            "crumbs": [("Scores", set_url(board)), ("Measures", "")],
            "names": names,
            "map": rows,
            "by": CORRELATIONS[coefficient].card,
            "directed": CORRELATIONS[coefficient].directed,
            "coefficients": [each.card for each in CORRELATIONS.values()],
            "powers": [
                (
                    build_column(board.measure(name)),
                    power,
                    None if power.share is None else 100 * power.share,
                )
                for name, power in discriminative_powers(board, names, choice)
            ],
        }
    )
    return render(request, "evaluation/measures_compared.html", context)


def get_requested_test(
    request: SignedInRequest, board: Leaderboard, measures: int = 1
) -> SignificanceChoice:
    """The test and correction asked for, unless ``measures`` by it would take too long."""
    test, correction = request.GET.get("test", ""), request.GET.get("correction", "")
    if test and test not in TESTS and test not in FAMILY_TESTS:
        raise Http404(f"no test {test}")
    if correction and correction not in CORRECTIONS:
        raise Http404(f"no correction {correction}")
    choice = get_test_choice(board.score_set.campaign, test, correction)
    check_comparison_size(board, choice, measures)
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


def select_requested_measures(request: SignedInRequest, board: Leaderboard) -> list[str]:
    known = compared_measures(board)
    asked = [name for name in dict.fromkeys(request.GET.getlist("m")) if name in known]
    usual = [name for name in select_visible_measures(board, ()) if name in known]
    return (asked or usual or known)[:MOST_MEASURES]


def rank_entries(board: Leaderboard, name: str) -> list[LeaderboardEntry]:
    """The board's runs, best first; those without a value last."""
    return sorted_entries(board, name)


def select_best_and_indistinguishable(
    entries: Sequence[LeaderboardEntry], found: Comparisons
) -> list[str]:
    """The best run and those that cannot be told from it."""
    if not entries:
        return []
    best = entries[0].tag
    worse = {row.second for row in found.different if row.first == best}
    return [entry.tag for entry in entries if entry.tag not in worse]


def build_pair_map(
    entries: Sequence[LeaderboardEntry], found: Comparisons, *, lower: bool
) -> list[tuple[str, int, list[PairMapCell | None]]]:
    by_pair = {(row.first, row.second): row for row in found.rows}
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
    """How run ``a`` stands to run ``b``; ``lower``: the smaller value is the better one."""
    row, turn = (by_pair[a, b], 1) if (a, b) in by_pair else (by_pair[b, a], -1)
    apart = (row.difference or 0.0) * turn
    said = f"{a} − {b}: {format_signed(apart)}, adjusted p {format_p(row.adjusted)}"
    if row.adjusted is None:
        return PairMapCell("none", f"{a}, {b}: {row.reason}")
    return PairMapCell(
        ("better" if (apart > 0) != lower else "worse") if row.different else "same", said
    )


def correlation_cell(first: str, second: str, found: dict[tuple[str, str], Any]) -> CorrelationCell:
    if first == second:
        return CorrelationCell("", first, 0)
    estimate = found.get((first, second)) or found[second, first]
    if estimate.value is None:
        return CorrelationCell("–", f"{first}, {second}: {estimate.reason}", 0)
    step = max(0, min(5, int((estimate.value - 0.5) * 10) + 1)) if estimate.value >= 0.5 else 0
    said = f"{first}, {second}: {estimate.value:.4f}, {estimate.n} runs"
    return CorrelationCell(f"{estimate.value:.2f}".replace("-", "−"), said, step)


def format_pair_row(row: PairRow) -> tuple[str, str, str, str]:
    """Difference, effect size, raw and adjusted p value as people read them."""
    apart = "–" if row.difference is None else format_signed(row.difference)
    effect = "–" if row.effect is None else format_signed(row.effect)
    return apart, effect, format_p(row.p_value), format_p(row.adjusted)
