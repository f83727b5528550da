"""All run pairs by the preregistered or another test, and the comparison of measures."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.queries.comparison import (
    SignificanceChoice,
    check_comparison_size,
    discriminative_powers,
    get_letter_groups,
    get_test_choice,
    list_intervals,
    ranking_correlations,
    select_run_pairs,
)
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.views.access import get_visible_leaderboard
from evaluation.views.cells import (
    build_column,
    compared_measures,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.runs import get_requested_measure, list_topic_measures, score_page
from poolbench.evaluation.charts.runs import build_caterpillar
from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.formats import list_interval_notes
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.comparison.registry import (
    CORRECTIONS,
    CORRELATIONS,
    FAMILY_TESTS,
    SAMPLE_INTERVALS,
    TESTS,
    get_test_card,
)
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.number_formats import format_decimals, format_p, format_signed
from poolbench.statistics.estimate import Estimate

MOST_RUNS = 40
"""Runs in the map of run pairs; larger maps are unreadable."""
MOST_PAIRS = 100
"""Run pairs in the table of the page; the downloads have all."""
MOST_MEASURES = 12
MARKS = {"better": "▲", "worse": "▼", "same": "·", "none": "–"}


def pairs_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    leaderboard = get_visible_leaderboard(request, slug, pk)
    names = compared_measures(leaderboard)
    name = get_requested_measure(request, leaderboard, names)
    choice = get_requested_test(request, leaderboard)
    entries = sorted_entries(leaderboard, name)
    intervals = list_intervals(leaderboard, entries, name)
    picture = build_caterpillar(
        format_measure_title(name, over_topics=True),
        [entry.tag for entry in entries],
        intervals,
        [entry.own for entry in entries],
        caption_intervals(leaderboard, name, intervals),
    )
    return render_page(
        request,
        "evaluation/run_pairs.html",
        score_page(leaderboard, names, name) | {"picture": picture},
        choose_test(choice),
        lambda: build_pairs_part(leaderboard, entries, name, choice, intervals),
    )


def build_pairs_part(
    leaderboard: Leaderboard,
    entries: Sequence[LeaderboardEntry],
    name: str,
    choice: SignificanceChoice,
    intervals: Sequence[Estimate],
) -> dict[str, object]:
    """``more`` run pairs are left out of ``table``; ``untested`` pairs have no p value."""
    comparisons = select_run_pairs(leaderboard, entries, name, choice)
    lower = leaderboard.lower_is_better(name)
    rows = sorted(comparisons.rows, key=lambda row: (row.adjusted is None, row.adjusted or 0.0))
    groups, untested = build_letter_groups(leaderboard, entries, name, choice, intervals)
    return {
        "column": build_column(leaderboard.measure(name)),
        "comparisons": comparisons,
        "different": len(comparisons.different),
        "leaders": select_best_and_indistinguishable(entries, comparisons),
        "lower": lower,
        "map": build_pair_map(entries[:MOST_RUNS], comparisons, lower=lower),
        "table": rows[:MOST_PAIRS],
        "more": max(0, len(rows) - MOST_PAIRS),
        "groups": groups,
        "untested": untested,
    }


def caption_intervals(leaderboard: Leaderboard, name: str, intervals: Sequence[Estimate]) -> str:
    title = build_column(leaderboard.measure(name)).title
    if leaderboard.score_set.is_estimate:
        return f"{title}: {leaderboard.score_set.label_reading}"
    notes = [note[:1].upper() + note[1:] for note in list_interval_notes(intervals)]
    method = f"{title}: mean over topics with its 95\u00a0% bootstrap interval (BCa)."
    return " ".join([method, *notes])


def measures_compared_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Rank correlations between measures, and their discriminative power."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    names, choice, coefficient = get_measures_choice(request, leaderboard)
    correlations = ranking_correlations(leaderboard, names, coefficient)
    # ``by``: the rank correlation; ``directed``: the row is the reference ranking.
    page = {
        "names": names,
        "map": {
            first: [correlation_cell(first, second, correlations) for second in names]
            for first in names
        },
        "by": CORRELATIONS[coefficient].card,
        "directed": CORRELATIONS[coefficient].directed,
        "coefficients": [each.card for each in CORRELATIONS.values()],
        "powers": [
            (build_column(leaderboard.measure(name)), power)
            for name, power in discriminative_powers(leaderboard, names, choice)
        ],
    }
    head = score_page(leaderboard, list_topic_measures(leaderboard), names[0])
    return render_page(
        request, "evaluation/measures_compared.html", head, choose_test(choice), page
    )


def get_measures_choice(
    request: SignedInRequest, leaderboard: Leaderboard
) -> tuple[list[str], SignificanceChoice, str]:
    """The measures to compare, the test, and the coefficient by which they are correlated."""
    coefficient = request.GET.get("by", "")
    names = select_requested_measures(request, leaderboard)
    choice = get_requested_test(request, leaderboard, len(names))
    if not names:
        raise Http404("no measure ranks these runs")
    return names, choice, coefficient if coefficient in CORRELATIONS else "tau-b"


def get_requested_test(
    request: SignedInRequest, leaderboard: Leaderboard, measures: int = 1
) -> SignificanceChoice:
    """The requested test and correction, unless they take too long for ``measures`` measures."""
    test, correction = request.GET.get("test", ""), request.GET.get("correction", "")
    if test and test not in {*TESTS, *FAMILY_TESTS, SAMPLE_INTERVALS.name}:
        raise Http404(f"unknown test {test}")
    if correction and correction not in CORRECTIONS:
        raise Http404(f"unknown correction {correction}")
    choice = get_test_choice(leaderboard.score_set, test, correction)
    check_comparison_size(leaderboard, choice, measures)
    return choice


def choose_test(choice: SignificanceChoice) -> dict[str, object]:
    """The chosen test and correction, and what else can be chosen."""
    return {
        "choice": choice,
        "test": get_test_card(choice.test),
        "correction": CORRECTIONS[choice.correction].card,
        "tests": [SAMPLE_INTERVALS]
        if choice.test == SAMPLE_INTERVALS.name
        else [test.card for test in (TESTS | FAMILY_TESTS).values()],
        "corrections": [each.card for each in CORRECTIONS.values()],
        "takes_correction": choice.test not in FAMILY_TESTS,
    }


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
) -> list[tuple[str, int, list[dict[str, str]]]]:
    """Tag, place and cells of each run; the cell of the run itself is empty."""
    by_pair = {(row.first, row.second): row for row in comparisons.rows}
    p = _("adjusted p")
    tags = [entry.tag for entry in entries]
    return [
        (a, place, [pair_map_cell(a, b, by_pair, p, lower=lower) if a != b else {} for b in tags])
        for place, a in enumerate(tags, start=1)
    ]


def pair_map_cell(
    a: str, b: str, by_pair: dict[tuple[str, str], PairRow], name: str, *, lower: bool
) -> dict[str, str]:
    """Compare run ``a`` with run ``b``; ``lower``: lower values are better. ``name``: that of the
    adjusted p in the language of the page.
    """
    row, sign = (by_pair[a, b], 1) if (a, b) in by_pair else (by_pair[b, a], -1)
    difference = (row.difference or 0.0) * sign
    label = f"{a} − {b}: {format_signed(difference)}, {name} {format_p(row.adjusted)}"
    if row.adjusted is None:
        return {"mark": MARKS["none"], "kind": "none", "label": f"{a}, {b}: {row.reason}"}
    better = "better" if (difference > 0) != lower else "worse"
    kind = better if row.different else "same"
    return {"mark": MARKS[kind], "kind": kind, "label": label}


def correlation_cell(
    first: str, second: str, correlations: dict[tuple[str, str], Any]
) -> dict[str, object]:
    if first == second:
        return {"text": "", "label": first, "step": 0}
    estimate = correlations.get((first, second)) or correlations[second, first]
    if estimate.value is None:
        return {"text": "–", "label": f"{first}, {second}: {estimate.why}", "step": 0}
    step = max(0, min(5, int((estimate.value - 0.5) * 10) + 1)) if estimate.value >= 0.5 else 0
    label = f"{first}, {second}: {estimate.value:.4f}, {estimate.n} runs"
    return {"text": format_decimals(estimate.value, 2), "label": label, "step": step}


def build_letter_groups(
    leaderboard: Leaderboard,
    entries: Sequence[LeaderboardEntry],
    name: str,
    choice: SignificanceChoice,
    intervals: Sequence[Estimate],
) -> tuple[list[dict[str, object]], int]:
    """The rows of the table, and the number of pairs without a p value. ``entries`` are the best
    first, with their intervals; runs without a mean have no letter.
    """
    listed = [
        pair for pair in zip(entries, intervals, strict=True) if pair[0].means[name] is not None
    ]
    tags = {entry.run: entry.tag for entry, _ in listed}
    groups = get_letter_groups(leaderboard, tags, name, choice)
    rows: list[dict[str, object]] = [
        {
            "tag": entry.tag,
            "after_release": entry.after_release,
            "mean": entry.means[name],
            "interval": interval,
            "letters": groups.letters[entry.tag],
        }
        for entry, interval in listed
    ]
    return rows, groups.untested
