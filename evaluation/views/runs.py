"""The scores of one run, and the comparison of two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from campaigns.models import Campaign
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.models import ScoreSet
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.views.access import get_entry, get_visible_leaderboard
from evaluation.views.cells import (
    ScoreColumn,
    bar_length,
    build_column,
    compared_measures,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.curves import build_precision_recall_curves
from evaluation.views.significance import assess_significance
from evaluation.views.unjudged import count_unjudged_documents
from poolbench.charts.chart import Chart
from poolbench.evaluation.charts.topics import (
    build_box_chart,
    build_difference_chart,
    build_precision_histogram,
    build_topic_chart,
    precision_histogram,
)
from poolbench.evaluation.comparison.formats import TopicPair
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.evaluation.spread import BestMedianWorst
from poolbench.files.natural_sort import natural_sort_key
from poolbench.statistics.box_plot import summarize_as_box

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R_PRECISION = "Rprec"
TIE = 1e-9
"""Two values this close are a tie: smaller differences are rounding errors."""


@dataclass(frozen=True)
class ScorePage:
    """What pages of a score set have in common. ``choices``: the measures to choose from."""

    campaign: Campaign
    score_set: ScoreSet
    leaderboard: Leaderboard
    choices: Sequence[str]
    measure: str
    chart_notes: tuple[str, ...]


@dataclass(frozen=True)
class ComparisonRow:
    """A table line: a value with best, median and worst of the campaign."""

    name: str
    title: str
    value: float | None
    spread: BestMedianWorst
    whole: bool
    bounds: str = ""

    @property
    def bar(self) -> float | None:
        return bar_length(self.value, self.spread)

    @property
    def tops(self) -> bool:
        return self.spread.is_best(self.value)


@dataclass(frozen=True)
class ComparePage:
    """``a`` and ``b`` are None if the leaderboard has fewer runs."""

    entries: Sequence[LeaderboardEntry]
    column: ScoreColumn
    a: LeaderboardEntry | None
    b: LeaderboardEntry | None


@dataclass(frozen=True)
class TopicDifferences:
    """Differences a − b by topic, largest first; ``left_out`` topics are undefined for a or b."""

    pairs: list[TopicPair]
    left_out: int
    mean: float | None
    wins: int
    losses: int
    ties: int
    chart: Chart
    histogram: Chart | None


def run_scores_view(request: SignedInRequest, slug: str, pk: int, run: int) -> HttpResponse:
    leaderboard = get_visible_leaderboard(request, slug, pk)
    entry = get_entry(leaderboard, run)
    measure = leaderboard.measure(get_requested_measure(request, leaderboard))
    unjudged = count_unjudged_documents(
        leaderboard, entry, measure, show_bounds=request.GET.get("bounds") == "1"
    )
    column = build_column(measure)
    titles, values = topic_titles(leaderboard), leaderboard.values(entry, column.name)
    spreads = leaderboard.best_median_worst_by_topic(column.name)
    order = campaign_topic_order(leaderboard.topics, titles)
    topics = [
        ComparisonRow(
            leaderboard.topics[at],
            titles.get(leaderboard.topics[at], ""),
            values[at],
            spreads[at],
            column.whole,
            unjudged.topic_bounds.get(leaderboard.topics[at], ""),
        )
        for at in order
    ]
    # ``missing``: the number of topics without a value; ``reasons``: why means are undefined.
    page = {
        "entry": entry,
        "column": column,
        "means": mean_rows(leaderboard, entry),
        "topics": topics,
        "chart": build_topic_chart(
            format_measure_title(column.name),
            entry.tag,
            [leaderboard.topics[at] for at in order],
            [values[at] for at in order],
            [spreads[at] for at in order],
            _("%(measure)s of %(run)s by topic, compared with all %(n)s runs.")
            % {"measure": column.title, "run": entry.tag, "n": len(leaderboard.means)},
        ),
        "boxes": build_run_boxes(leaderboard, entry, column.name, order),
        "missing": sum(value is None for value in values),
        "reasons": leaderboard.as_scored_run(entry).reasons,
    }
    curves = build_precision_recall_curves(leaderboard, [entry], request.GET.get("topic", ""))
    head = score_page(leaderboard, list_topic_measures(leaderboard), column.name)
    return render_page(request, "evaluation/run.html", head, page, unjudged, curves)


def build_run_boxes(
    leaderboard: Leaderboard, entry: LeaderboardEntry, name: str, order: Sequence[int]
) -> Chart | None:
    """All runs by topic with the run marked; only for those who see all runs, since best, median
    and worst are all that others may know of them.
    """
    if not leaderboard.reader.sees_all_runs:
        return None
    values = leaderboard.values(entry, name)
    scores = leaderboard.tables[:, :, leaderboard.column(name)]
    return build_box_chart(
        format_measure_title(name),
        entry.tag,
        [leaderboard.topics[at] for at in order],
        [summarize_as_box(scores[:, at]) for at in order],
        [values[at] for at in order],
        _(
            "How the scores of all %(n)s runs are distributed on each topic: a long box is a topic "
            "on which runs differ."
        )
        % {"n": len(leaderboard.means)},
    )


def compare_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Two runs of the leaderboard, topic by topic."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    names = compared_measures(leaderboard)
    name = get_requested_measure(request, leaderboard, names)
    a, b = get_two_entries(request, leaderboard, name)
    column = build_column(leaderboard.measure(name))
    parts: list[DataclassInstance] = [
        score_page(leaderboard, names, name),
        ComparePage(leaderboard.entries, column, a, b),
    ]
    if a and b:
        parts += [
            compare_by_topic(leaderboard, a, b, name),
            build_precision_recall_curves(leaderboard, [a, b]),
            assess_significance(leaderboard, a, b, name),
        ]
    return render_page(request, "evaluation/compare.html", *parts)


def compare_by_topic(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> TopicDifferences:
    titles = topic_titles(leaderboard)
    pairs = [
        TopicPair(topic, titles.get(topic, ""), x, y, None if x is None or y is None else x - y)
        for topic, x, y in zip(
            leaderboard.topics,
            leaderboard.values(a, name),
            leaderboard.values(b, name),
            strict=True,
        )
    ]
    defined = [pair for pair in pairs if pair.difference is not None]
    defined.sort(key=lambda pair: (-(pair.difference or 0.0), natural_sort_key(pair.topic)))
    differences = [pair.difference or 0.0 for pair in defined]
    sign = -1 if leaderboard.lower_is_better(name) else 1
    return TopicDifferences(
        pairs=[*defined, *(pair for pair in pairs if pair.difference is None)],
        left_out=len(pairs) - len(defined),
        mean=sum(differences) / len(differences) if differences else None,
        wins=sum(value * sign > TIE for value in differences),
        losses=sum(value * sign < -TIE for value in differences),
        ties=sum(abs(value) <= TIE for value in differences),
        chart=build_difference_chart(
            format_measure_title(name),
            (a.tag, b.tag),
            [pair.topic for pair in defined],
            [value * sign for value in differences],
            _("%(measure)s: %(a)s minus %(b)s, largest difference first.")
            % {"measure": build_column(leaderboard.measure(name)).title, "a": a.tag, "b": b.tag},
        ),
        histogram=chart_precision_histogram(leaderboard, a, b),
    )


def chart_precision_histogram(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry
) -> Chart | None:
    """Of R-precision, whatever measure is compared; None if it was not evaluated."""
    if R_PRECISION not in leaderboard.score_set.measures or a is b:
        return None
    first, second = leaderboard.as_scored_run(a), leaderboard.as_scored_run(b)
    order = sorted(leaderboard.topics, key=natural_sort_key)
    title = format_measure_title(R_PRECISION)
    values = precision_histogram(first, second, R_PRECISION)
    return build_precision_histogram(values, title, (a.tag, b.tag), order)


def list_topic_measures(leaderboard: Leaderboard) -> list[str]:
    """The measures with a score for each topic."""
    return [m.name for m in leaderboard.measures if not (m.family.summary_only or m.family.text)]


def score_page(leaderboard: Leaderboard, choices: Sequence[str], measure: str) -> ScorePage:
    """The part that the pages of one score set share."""
    return ScorePage(
        campaign=leaderboard.score_set.campaign,
        score_set=leaderboard.score_set,
        leaderboard=leaderboard,
        choices=choices,
        measure=measure,
        chart_notes=(describe_score_set(leaderboard.score_set),),
    )


def describe_score_set(score_set: ScoreSet) -> str:
    """What the numbers of a chart were computed from, for its files."""
    qrels, label = score_set.qrels, f", {score_set.label}" if score_set.label else ""
    return (
        f"qrels {qrels.version} (sha256 {qrels.sha256[:12]}){label}, {len(score_set.topics)} topics"
    )


def topic_titles(leaderboard: Leaderboard) -> dict[str, str]:
    """Title by number, in the campaign's order."""
    return dict(leaderboard.score_set.campaign.topics.values_list("number", "title"))


def campaign_topic_order(topics: Sequence[str], titles: Mapping[str, str]) -> list[int]:
    """Indices of ``topics`` in the campaign's order; deleted topics come last."""
    place = {number: at for at, number in enumerate(titles)}
    return sorted(range(len(topics)), key=lambda at: (place.get(topics[at], len(place)), at))


def get_requested_measure(
    request: SignedInRequest, leaderboard: Leaderboard, names: Sequence[str] | None = None
) -> str:
    """The requested measure, else the first visible one; only one of ``names``, if given."""
    requested, names = (
        request.GET.get("measure", ""),
        list_topic_measures(leaderboard) if names is None else names,
    )
    if not names or (requested and requested not in names):
        raise Http404(f"unknown measure {requested}" if requested else "no measure to compare by")
    return requested or next(
        (name for name in select_visible_measures(leaderboard, ()) if name in names), names[0]
    )


def get_two_entries(
    request: SignedInRequest, leaderboard: Leaderboard, name: str
) -> tuple[LeaderboardEntry | None, LeaderboardEntry | None]:
    """The requested runs, else the best two, the reader's own first."""
    defaults: Sequence[LeaderboardEntry] = sorted(
        sorted_entries(leaderboard, name), key=lambda entry: not entry.own
    )
    entries = []
    for at, parameter in enumerate("ab"):
        requested = request.GET.get(parameter, "")
        entry = leaderboard.find_by_name(requested) if requested else None
        if requested and entry is None:
            raise Http404(f"unknown run {requested}")
        entries.append(entry or (defaults[at] if at < len(defaults) else None))
    return entries[0], entries[1]


def mean_rows(leaderboard: Leaderboard, entry: LeaderboardEntry) -> list[ComparisonRow]:
    return [
        ComparisonRow(
            measure.name,
            build_column(measure).title,
            entry.means[measure.name],
            leaderboard.best_median_worst(measure.name),
            measure.family.whole,
        )
        for measure in leaderboard.measures
        if not measure.family.summary_only and measure.name != "num_rel"
    ]
