"""Precision–recall charts of one run or two, over all topics or of one topic."""

from collections.abc import Sequence

import numpy as np
from django.http import Http404
from django.utils.translation import gettext as _

from campaigns.models import Run
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.queries.scoring_inputs import rebuild_run_batch
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.charts.runs import build_recall_chart
from poolbench.evaluation.curves import (
    ELEVEN,
    average_curves,
    interpolate_precision,
    sawtooth_curve,
)

THREADS = 100
"""Curves of single topics are drawn behind the mean for at most so many topics."""
LONGEST = 1000
"""Ranks of the raw curve that are drawn."""


def build_precision_recall_curves(
    leaderboard: Leaderboard, entries: Sequence[LeaderboardEntry], topic: str = ""
) -> dict[str, object]:
    """Chart and table of the 11-point curves of one or two runs, the table by level of recall.
    With ``topic`` (run page only) the raw curve of the topic is drawn too.
    """
    if leaderboard.score_set.is_estimate:
        return {}  # a curve by the judged pairs alone would be no estimate
    if topic and topic not in leaderboard.topics:
        raise Http404(f"unknown topic {topic}")
    runs = Run.objects.in_bulk([entry.run for entry in entries])
    batches = [rebuild_run_batch(leaderboard.score_set, runs[entry.run]) for entry in entries]
    at = leaderboard.topics.index(topic) if topic else None
    columns = [eleven_points(batch, at) for batch in batches]
    threads, tags = background_curves(batches, at), [entry.tag for entry in entries]
    caption = caption_curves(entries, topic, has_threads=bool(threads))
    return {
        "curves": build_recall_chart(zip(tags, columns, strict=True), topic, threads, caption),
        "curve_threads": bool(threads),
        "curve_rows": list(zip(ELEVEN, zip(*columns, strict=True), strict=True)),
        "curve_means": [float(np.mean(column)) for column in columns],
        "curve_topic": topic,
        "curve_tags": tags,
    }


def caption_curves(entries: Sequence[LeaderboardEntry], topic: str, *, has_threads: bool) -> str:
    scope = _("topic %(number)s") % {"number": topic} if topic else _("mean over topics")
    tags = ", ".join(entry.tag for entry in entries)
    what = f"{_('Interpolated precision at eleven levels of recall')}, {tags}, {scope}."
    if not has_threads:
        return f"{what} {_('The higher curve is better at that recall.')}"
    thin = _("Thin lines: the ranking itself.") if topic else _("Thin lines: single topics.")
    return f"{what} {thin}"


def eleven_points(batch: ScoringBatch, at: int | None) -> list[float]:
    """The interpolated curve of the topic at ``at``, or the mean over all topics."""
    values = interpolate_precision(batch)
    if at is not None:
        return [float(value) for value in values[at]]
    return [value or 0.0 for value in average_curves(values)]


def background_curves(
    batches: Sequence[ScoringBatch], at: int | None
) -> list[list[tuple[float, float]]]:
    """Behind the curve of one run: those of all topics, or the raw curve of one topic."""
    if len(batches) > 1:
        return []
    (batch,) = batches
    if at is not None:
        recall, precision = sawtooth_curve(batch, at)
        pairs = zip(recall[:LONGEST].tolist(), precision[:LONGEST].tolist(), strict=True)
        return [list(pairs)]
    if len(batch) > THREADS:
        return []
    return [list(zip(ELEVEN, row, strict=True)) for row in interpolate_precision(batch).tolist()]
