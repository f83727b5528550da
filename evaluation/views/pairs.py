"""All runs against all, by the campaign's test; and the measures against one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from campaigns.attachments import attachment
from campaigns.views.signed_in import SignedIn
from evaluation.charts.caterpillar import caterpillar
from evaluation.core.comparison.compare import Comparisons, PairRow
from evaluation.core.comparison.formats import FORMATS
from evaluation.core.comparison.registry import CORRECTIONS, CORRELATIONS, FAMILY_TESTS, TESTS
from evaluation.queries.board import Board, Entry
from evaluation.queries.comparing import (
    Choice,
    check_work,
    choice_of,
    correlations_of,
    intervals_of,
    pairs_among,
    powers_of,
)
from evaluation.views.cells import (
    column_of,
    compared_measures,
    p_text,
    shown_measures,
    signed,
    sorted_entries,
)
from evaluation.views.gate import board_for
from evaluation.views.runs import measure_asked, page_context, set_url

MOST_RUNS = 60
"""Runs in the map of pairs; beyond them it cannot be read."""
MOST_PAIRS = 400
"""Pairs in the table of the page; the downloads have all."""
MOST_MEASURES = 12


@dataclass(frozen=True)
class Place:
    """A cell of the map: how the run of the row stands to that of the column."""

    kind: str
    said: str


@dataclass(frozen=True)
class Correlated:
    """A cell of the map of measures."""

    text: str
    said: str
    step: int


def pairs(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    board = board_for(request, slug, pk)
    name = measure_asked(request, board, compared_measures(board))
    choice = asked_choice(request, board)
    entries = ranked(board, name)
    found = pairs_among(board, entries, name, choice)
    shown = sorted(found.rows, key=lambda row: (row.adjusted is None, row.adjusted or 0.0))
    context = (
        page_context(board, name, compared_measures(board))
        | choice_context(choice)
        | {
            "crumbs": [("Scores", set_url(board)), ("All pairs", "")],
            "chosen": column_of(board.measure(name)),
            "found": found,
            "different": len(found.different),
            "leaders": leaders(entries, found),
            "lower": board.lower_is_better(name),
            "picture": caterpillar(
                [entry.tag for entry in entries],
                intervals_of(board, entries, name),
                [entry.own for entry in entries],
            ),
            "map": pair_map(entries[:MOST_RUNS], found, lower=board.lower_is_better(name)),
            "table": [(row, *texts(row)) for row in shown[:MOST_PAIRS]],
            "more": max(0, len(shown) - MOST_PAIRS),
        }
    )
    return render(request, "evaluation/pairs.html", context)


def pairs_download(request: SignedIn, slug: str, pk: int, fmt: str) -> HttpResponse:
    """All pairs of one measure as CSV or JSON, with what the answer depends on."""
    if fmt not in ("csv", "json"):
        raise Http404(f"no format {fmt}")
    board = board_for(request, slug, pk)
    name = measure_asked(request, board, compared_measures(board))
    choice = asked_choice(request, board)
    entries = ranked(board, name)
    found = pairs_among(board, entries, name, choice)
    told = {entry.tag: board.score_set.conditions for entry in entries}
    return attachment(FORMATS[fmt]({name: found}, told), f"{slug}-pairs-{pk}-{name}.{fmt}")


def measures_compared(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Which measures rank the runs alike, and how well each tells them apart."""
    board = board_for(request, slug, pk)
    coefficient = request.GET.get("by", "")
    coefficient = coefficient if coefficient in CORRELATIONS else "tau-b"
    names = names_asked(request, board)
    choice = asked_choice(request, board, len(names))
    if not names:
        raise Http404("no measure of these scores can be compared")
    found = correlations_of(board, names, coefficient)
    rows = [(first, [correlated(first, second, found) for second in names]) for first in names]
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
                    column_of(board.measure(name)),
                    power,
                    None if power.share is None else 100 * power.share,
                )
                for name, power in powers_of(board, names, choice)
            ],
        }
    )
    return render(request, "evaluation/measures_compared.html", context)


def asked_choice(request: SignedIn, board: Board, measures: int = 1) -> Choice:
    """The test and correction asked for, unless ``measures`` by it would take too long."""
    test, correction = request.GET.get("test", ""), request.GET.get("correction", "")
    if test and test not in TESTS and test not in FAMILY_TESTS:
        raise Http404(f"no test {test}")
    if correction and correction not in CORRECTIONS:
        raise Http404(f"no correction {correction}")
    choice = choice_of(board.score_set.campaign, test, correction)
    check_work(board, choice, measures)
    return choice


def choice_context(choice: Choice) -> dict[str, Any]:
    return {
        "choice": choice,
        "test": (TESTS | FAMILY_TESTS)[choice.test].card,
        "correction": CORRECTIONS[choice.correction].card,
        "tests": [test.card for test in (TESTS | FAMILY_TESTS).values()],
        "corrections": [each.card for each in CORRECTIONS.values()],
        "takes_correction": choice.test in TESTS,
    }


def names_asked(request: SignedIn, board: Board) -> list[str]:
    known = compared_measures(board)
    asked = [name for name in dict.fromkeys(request.GET.getlist("m")) if name in known]
    usual = [name for name in shown_measures(board, ()) if name in known]
    return (asked or usual or known)[:MOST_MEASURES]


def ranked(board: Board, name: str) -> list[Entry]:
    """The board's runs, best first; those without a value last."""
    return sorted_entries(board, name)


def leaders(entries: Sequence[Entry], found: Comparisons) -> list[str]:
    """The best run and those that cannot be told from it."""
    if not entries:
        return []
    best = entries[0].tag
    worse = {row.second for row in found.different if row.first == best}
    return [entry.tag for entry in entries if entry.tag not in worse]


def pair_map(
    entries: Sequence[Entry], found: Comparisons, *, lower: bool
) -> list[tuple[str, int, list[Place | None]]]:
    by_pair = {(row.first, row.second): row for row in found.rows}
    return [
        (
            a.tag,
            place,
            [None if a is b else place_of(a.tag, b.tag, by_pair, lower=lower) for b in entries],
        )
        for place, a in enumerate(entries, start=1)
    ]


def place_of(a: str, b: str, by_pair: dict[tuple[str, str], PairRow], *, lower: bool) -> Place:
    """How run ``a`` stands to run ``b``; ``lower``: the smaller value is the better one."""
    row, turn = (by_pair[a, b], 1) if (a, b) in by_pair else (by_pair[b, a], -1)
    apart = (row.difference or 0.0) * turn
    said = f"{a} − {b}: {signed(apart)}, adjusted p {p_text(row.adjusted)}"
    if row.adjusted is None:
        return Place("none", f"{a}, {b}: {row.reason}")
    return Place(("better" if (apart > 0) != lower else "worse") if row.different else "same", said)


def correlated(first: str, second: str, found: dict[tuple[str, str], Any]) -> Correlated:
    if first == second:
        return Correlated("", first, 0)
    estimate = found.get((first, second)) or found[second, first]
    if estimate.value is None:
        return Correlated("–", f"{first}, {second}: {estimate.reason}", 0)
    step = max(0, min(5, int((estimate.value - 0.5) * 10) + 1)) if estimate.value >= 0.5 else 0
    said = f"{first}, {second}: {estimate.value:.4f}, {estimate.n} runs"
    return Correlated(f"{estimate.value:.2f}".replace("-", "−"), said, step)


def texts(row: PairRow) -> tuple[str, str, str, str]:
    """Difference, effect size, raw and adjusted p value as people read them."""
    apart = "–" if row.difference is None else signed(row.difference)
    effect = "–" if row.effect is None else signed(row.effect)
    return apart, effect, p_text(row.p_value), p_text(row.adjusted)
