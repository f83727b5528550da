"""One run's scores beside the campaign's, and two runs beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from campaigns.views.helpers import SignedInRequest
from evaluation.charts.topics import build_difference_chart, build_topic_chart
from evaluation.queries.leaderboard import BestMedianWorst, Leaderboard, LeaderboardEntry
from evaluation.views.access import get_board, get_entry
from evaluation.views.cells import (
    UNRANKED,
    ScoreCell,
    bar_length,
    build_column,
    compared_measures,
    format_score,
    format_signed,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.curves import curve_context
from evaluation.views.significance import significance_context
from evaluation.views.unjudged import bounds_context

TIE = 1e-9
"""Two values this close are a tie: the rest is the last digit of the arithmetic."""


@dataclass(frozen=True)
class ComparisonRow:
    """A value beside best, median and worst of the campaign: one line of a table."""

    name: str
    title: str
    value: str
    number: float | None
    bar: float | None
    best: str
    median: str
    worst: str
    tops: bool
    bounds: str = ""


@dataclass(frozen=True)
class RunPair:
    """Two runs on one topic."""

    topic: str
    title: str
    a: float | None
    b: float | None
    difference: float | None

    @property
    def cells(self) -> list[ScoreCell]:
        shown = "–" if self.difference is None else format_signed(self.difference)
        return [
            ScoreCell(format_score(self.a), self.a),
            ScoreCell(format_score(self.b), self.b),
            ScoreCell(shown, self.difference),
        ]


def run_scores_view(request: SignedInRequest, slug: str, pk: int, run: int) -> HttpResponse:
    board = get_board(request, slug, pk)
    entry = get_entry(board, run)
    measure = board.measure(get_requested_measure(request, board))
    wanted = request.GET.get("bounds") == "1"
    chosen, left = build_column(measure), bounds_context(board, entry, measure, wanted=wanted)
    titles, values = topic_titles(board), board.values(entry, chosen.name)
    spreads = board.topic_spreads(chosen.name)
    order = campaign_topic_order(board.topics, titles)
    topics = [
        comparison_row(
            board.topics[at],
            titles.get(board.topics[at], ""),
            values[at],
            spreads[at],
            whole=chosen.whole,
            bounds=left["bounds_of"].get(board.topics[at], ""),
        )
        for at in order
    ]
    context = page_context(board, chosen.name) | {
        "crumbs": [("Scores", set_url(board)), (entry.tag, "")],
        "entry": entry,
        "chosen": chosen,
        "means": mean_rows(board, entry),
        "topics": topics,
        "chart": build_topic_chart(
            [board.topics[at] for at in order],
            [values[at] for at in order],
            [spreads[at] for at in order],
        ),
        "missing": sum(value is None for value in values),
        "reasons": board.scored(entry).reasons,
    }
    context |= left | curve_context(board, [entry], request.GET.get("topic", ""))
    return render(request, "evaluation/run.html", context)


def compare_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Two runs that the reader sees on the board, topic by topic."""
    board = get_board(request, slug, pk)
    name = get_requested_measure(request, board, compared_measures(board))
    a, b = get_two_entries(request, board, name)
    context = page_context(board, name, compared_measures(board)) | {
        "crumbs": [("Scores", set_url(board)), ("Compare", "")],
        "entries": board.entries,
        "chosen": build_column(board.measure(name)),
        "a": a,
        "b": b,
    }
    if a and b:
        context |= comparison(board, a, b, name) | curve_context(board, [a, b])
        context |= significance_context(board, a, b, name)
    return render(request, "evaluation/compare.html", context)


def comparison(
    board: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> dict[str, Any]:
    """Differences a − b by topic, largest first; a topic undefined for either is left out."""
    titles = topic_titles(board)
    pairs = [
        RunPair(topic, titles.get(topic, ""), x, y, None if x is None or y is None else x - y)
        for topic, x, y in zip(
            board.topics, board.values(a, name), board.values(b, name), strict=True
        )
    ]
    have = [pair for pair in pairs if pair.difference is not None]
    have.sort(key=lambda pair: (-(pair.difference or 0.0), pair.topic))
    differences = [pair.difference or 0.0 for pair in have]
    sign = -1 if board.lower_is_better(name) else 1
    return {
        "pairs": [*have, *(pair for pair in pairs if pair.difference is None)],
        "left_out": len(pairs) - len(have),
        "mean": format_signed(sum(differences) / len(differences)) if differences else "–",
        "wins": sum(value * sign > TIE for value in differences),
        "losses": sum(value * sign < -TIE for value in differences),
        "ties": sum(abs(value) <= TIE for value in differences),
        "chart": build_difference_chart(
            [pair.topic for pair in have], [value * sign for value in differences]
        ),
    }


def board_measures(board: Leaderboard) -> list[str]:
    """The measures that have a value for each topic."""
    return [m.name for m in board.measures if not (m.family.summary_only or m.family.text)]


def page_context(
    board: Leaderboard, name: str, known: Sequence[str] | None = None
) -> dict[str, Any]:
    return {
        "campaign": board.score_set.campaign,
        "score_set": board.score_set,
        "board": board,
        "choices": board_measures(board) if known is None else known,
        "measure": name,
    }


def set_url(board: Leaderboard) -> str:
    return reverse("score-set", args=[board.score_set.campaign.slug, board.score_set.pk])


def topic_titles(board: Leaderboard) -> dict[str, str]:
    """Title by number, in the campaign's order."""
    return dict(board.score_set.campaign.topics.values_list("number", "title"))


def campaign_topic_order(topics: Sequence[str], titles: Mapping[str, str]) -> list[int]:
    """Indices of ``topics`` in the campaign's order; topics it has lost come last."""
    place = {number: at for at, number in enumerate(titles)}
    return sorted(range(len(topics)), key=lambda at: (place.get(topics[at], len(place)), at))


def get_requested_measure(
    request: SignedInRequest, board: Leaderboard, known: Sequence[str] | None = None
) -> str:
    """The measure asked for, else the first that is shown: one of ``known``, or any."""
    asked, known = request.GET.get("measure", ""), board_measures(board) if known is None else known
    if not known or (asked and asked not in known):
        raise Http404(f"no measure {asked}" if asked else "no measure to compare by")
    return asked or next(
        (name for name in select_visible_measures(board, ()) if name in known), known[0]
    )


def get_two_entries(
    request: SignedInRequest, board: Leaderboard, name: str
) -> tuple[LeaderboardEntry | None, LeaderboardEntry | None]:
    """The runs asked for; without a question the best two, one's own first."""
    usual: Sequence[LeaderboardEntry] = sorted(
        sorted_entries(board, name), key=lambda entry: not entry.own
    )
    found = []
    for at, parameter in enumerate("ab"):
        asked = request.GET.get(parameter, "")
        entry = board.named(asked) if asked else None
        if asked and entry is None:
            raise Http404(f"no run {asked}")
        found.append(entry or (usual[at] if at < len(usual) else None))
    return found[0], found[1]


def mean_rows(board: Leaderboard, entry: LeaderboardEntry) -> list[ComparisonRow]:
    return [
        comparison_row(
            measure.name,
            build_column(measure).title,
            entry.means[measure.name],
            board.spread(measure.name),
            whole=measure.family.whole,
        )
        for measure in board.measures
        if not measure.family.summary_only and measure.name != "num_rel"
    ]


def comparison_row(
    name: str,
    title: str,
    value: float | None,
    spread: BestMedianWorst,
    *,
    whole: bool,
    bounds: str = "",
) -> ComparisonRow:
    best, median, worst = (
        format_score(number, whole=whole) for number in (spread.best, spread.median, spread.worst)
    )
    return ComparisonRow(
        name=name,
        title=title,
        value=format_score(value, whole=whole),
        number=value,
        bar=bar_length(value, spread),
        best=best,
        median=median,
        worst=worst,
        tops=value is not None and value == spread.best and name not in UNRANKED,
        bounds=bounds,
    )
