"""The scores of one run, with bounds from its unjudged documents, and the comparison of two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from campaigns.models import Run
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.models import ScoreSet
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.queries.score_changes import list_earlier_sets
from evaluation.queries.scoring_inputs import rebuild_run_batch
from evaluation.views.access import get_entry, get_visible_leaderboard
from evaluation.views.cells import (
    bar_length,
    build_column,
    compared_measures,
    describe_run_estimate,
    format_run_interval,
    select_visible_measures,
    sorted_entries,
)
from evaluation.views.curves import build_precision_recall_curves
from evaluation.views.significance import assess_significance
from poolbench.charts.chart import Chart
from poolbench.evaluation.bounds import compute_bounds
from poolbench.evaluation.charts.topics import (
    build_box_chart,
    build_difference_chart,
    build_precision_histogram,
    build_topic_chart,
    precision_histogram,
)
from poolbench.evaluation.comparison.formats import TopicPair
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.evaluation.spread import BestMedianWorst
from poolbench.files.natural_sort import natural_sort_key
from poolbench.number_formats import format_score
from poolbench.statistics.box_plot import summarize_as_box

R_PRECISION = "Rprec"
MOST_DOCUMENTS = 50_000
"""For more documents the bounds take too long for a page; use the command."""
TIE = 1e-9
"""Two values this close are a tie: smaller differences are rounding errors."""


@dataclass(frozen=True)
class ComparisonRow:
    """A table line: a value with best, median and worst of the campaign."""

    name: str
    title: str
    value: float | None
    spread: BestMedianWorst
    whole: bool
    bounds: str = ""
    interval: str = ""
    interval_title: str = ""

    @property
    def bar(self) -> float | None:
        return bar_length(self.value, self.spread)

    @property
    def tops(self) -> bool:
        return self.spread.is_best(self.value)


def run_scores_view(request: SignedInRequest, slug: str, pk: int, run: int) -> HttpResponse:
    leaderboard = get_visible_leaderboard(request, slug, pk)
    entry = get_entry(leaderboard, run)
    measure = leaderboard.measure(get_requested_measure(request, leaderboard))
    unjudged, topic_bounds = count_unjudged_documents(
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
            topic_bounds.get(leaderboard.topics[at], ""),
        )
        for at in order
    ]
    # ``missing``: the number of topics without a value; ``reasons``: why means are undefined.
    page = {
        "entry": entry,
        "column": column,
        "means": mean_rows(leaderboard, entry),
        "topics": topics,
        "topic_bounds": topic_bounds,
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
        "has_earlier": has_earlier_scores(leaderboard, entry),
    }
    curves = build_precision_recall_curves(leaderboard, [entry], request.GET.get("topic", ""))
    head = score_page(leaderboard, list_topic_measures(leaderboard), column.name)
    return render_page(request, "evaluation/run.html", head, page, unjudged, curves)


def has_earlier_scores(leaderboard: Leaderboard, entry: LeaderboardEntry) -> bool:
    """Whether the reader has seen earlier scores of the run."""
    return bool(list_earlier_sets(leaderboard.score_set, entry.run, leaderboard.reader))


def count_unjudged_documents(
    leaderboard: Leaderboard, entry: LeaderboardEntry, measure: Measure, *, show_bounds: bool
) -> tuple[dict[str, object], dict[str, str]]:
    """The unjudged documents retrieved, if ``show_bounds`` with the bounds of the measure over all
    topics, and by topic, which can take a second.
    """
    if leaderboard.score_set.is_estimate:
        return {}, {}
    ranking = rebuild_run_batch(leaderboard.score_set, Run.objects.get(pk=entry.run))
    retrieved = int(ranking.lengths.sum())
    too_many = retrieved > MOST_DOCUMENTS
    page: dict[str, object] = {
        "unjudged_documents": retrieved - int(ranking.is_judged.sum()),
        "too_many": too_many,
    }
    if not show_bounds or too_many:
        return page, {}
    (bounds,) = compute_bounds(ranking, [measure])
    page["bounds"] = format_bounds(bounds.mean_low, bounds.mean_high)
    page["bounds_reason"] = bounds.reason.rstrip(".")
    pairs = zip(leaderboard.topics, bounds.low.tolist(), bounds.high.tolist(), strict=True)
    return page, {topic: format_bounds(low, high) or "–" for topic, low, high in pairs}


def format_bounds(low: float | None, high: float | None) -> str | None:
    if low is None or high is None or not isfinite(low) or not isfinite(high):
        return None
    ends = [format_score(low), format_score(high)]
    return ends[0] if low == high else f" {_('to')} ".join(ends)


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
    page = score_page(leaderboard, names, name)
    late = {False: "", True: ", " + _("after release")}
    runs = [
        (entry.tag, f"{entry.tag} ({entry.team}{late[entry.after_release]})")
        for entry in leaderboard.entries
    ]
    page |= {"runs": runs, "column": column, "a": a, "b": b}
    if a and b:
        page |= compare_by_topic(leaderboard, a, b, name)
        page |= build_precision_recall_curves(leaderboard, [a, b])
        page |= assess_significance(leaderboard, a, b, name)
    return render_page(request, "evaluation/compare.html", page)


def list_topic_pairs(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> list[TopicPair]:
    """The differences a − b, largest first; topics that are undefined for a or b come last."""
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
    return [*defined, *(pair for pair in pairs if pair.difference is None)]


def compare_by_topic(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> dict[str, object]:
    pairs = list_topic_pairs(leaderboard, a, b, name)
    differences = [pair.difference for pair in pairs if pair.difference is not None]
    sign = -1 if leaderboard.lower_is_better(name) else 1
    return {
        "pairs": pairs,
        "left_out": len(pairs) - len(differences),
        "mean": sum(differences) / len(differences) if differences else None,
        "wins": sum(value * sign > TIE for value in differences),
        "losses": sum(value * sign < -TIE for value in differences),
        "ties": sum(abs(value) <= TIE for value in differences),
        "chart": build_difference_chart(
            format_measure_title(name),
            (a.tag, b.tag),
            [pair.topic for pair in pairs[: len(differences)]],
            [value * sign for value in differences],
            _("%(measure)s: %(a)s minus %(b)s, largest difference first.")
            % {"measure": build_column(leaderboard.measure(name)).title, "a": a.tag, "b": b.tag},
        ),
        "histogram": chart_precision_histogram(leaderboard, a, b),
    }


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
    return [m.name for m in leaderboard.measures if not (m.family.summary_only or m.family.text)]


def score_page(leaderboard: Leaderboard, choices: Sequence[str], measure: str) -> dict[str, object]:
    """The part that the pages of one score set share; ``choices``: the measures to choose from."""
    return {
        "campaign": leaderboard.score_set.campaign,
        "score_set": leaderboard.score_set,
        "leaderboard": leaderboard,
        "choices": choices,
        "measure": measure,
        "chart_notes": (describe_score_set(leaderboard.score_set),),
    }


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
            **describe_interval(entry, measure.name),
        )
        for measure in leaderboard.measures
        if not measure.family.summary_only and measure.name != "num_rel"
    ]


def describe_interval(entry: LeaderboardEntry, name: str) -> dict[str, str]:
    """Of an estimate: its interval and what else is known of it."""
    estimate = entry.estimates.get(name)
    if estimate is None:
        return {}
    title = describe_run_estimate(estimate)
    return {"interval": format_run_interval(estimate.estimate), "interval_title": title}
