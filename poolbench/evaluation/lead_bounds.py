"""Which runs could be first, whatever the unjudged documents among the runs' first ones are.

*Open* are the documents that are unjudged and among the first ``cut`` of any run; the others count
as they do now. A completion gives each open document one grade, for all runs at once. In each

- a run has at most its upper bound over its own open documents: by a measure in ``FALLING``, those
  that only other runs retrieve can but lower it;
- the leader has at least its lower bound over its own, with those of the other runs at the
  highest grade: missed, they lower it most.

So a run whose upper bound is below this lower bound is first in no completion. The converse does
not hold: no single completion need attain both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.bounds import compute_bounds
from poolbench.evaluation.completions import OPEN, CompletionRankings
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions, gains_for_grades
from poolbench.evaluation.scale import list_scale_grades, top_grade
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.run_matrix import RunMatrix
from poolbench.runs.tables import group_starts

FALLING = frozenset({
    "P", "success", "recip_rank", "map", "map_cut", "recall", "ndcg", "ndcg_cut", "ncg", "dcg",
    "cg", "err", "nerr", "rbp", "q_measure",
})  # fmt: skip
"""Families in which an unjudged document counts as not relevant, and one that is not retrieved
never raises the value, the less so the higher its grade. Tested against random topics."""
CHANGING = {"list", "unjudged", "mean", "gains"}
"""Parameters with which that need not hold."""


@dataclass(frozen=True)
class LeadBounds:
    """``unjudged``: the number of open documents. ``low`` of the mean of the first run and ``high``
    of that of each, in all completions; ``low`` is None where there is no bound.
    """

    unjudged: int
    low: float | None = None
    high: Sequence[float | None] = ()


def compute_lead_bounds(
    runs: Sequence[RunMatrix],
    judged: JudgmentTable,
    places: PairPlaces,
    options: ScoringOptions,
    measure: Measure,
    cut: int,
) -> LeadBounds:
    """The bounds of the lead of the first of ``runs`` by the mean of ``measure``.

    ``places`` are the rows of pairs in ``judged``. One of ``runs`` is used at a time.
    """
    opened, at, count = list_open_documents(runs, judged, places, cut)
    if not count or not has_lead_bounds(measure):
        return LeadBounds(count)
    batches = (build_run_batch(run, opened, at, options) for run in runs)
    first = next(batches)
    if not _has_rising_gains(first):
        return LeadBounds(count)
    (least,) = compute_bounds(_complete_others(first, count_missed=True), [measure])
    most = [
        compute_bounds(_complete_others(batch), [measure])[0].mean_high
        for batch in chain([first], batches)
    ]
    return LeadBounds(count, least.mean_low, most)


def has_lead_bounds(measure: Measure) -> bool:
    return measure.family.name in FALLING and not CHANGING & dict(measure.params).keys()


def list_open_documents(
    runs: Sequence[RunMatrix], judged: JudgmentTable, places: PairPlaces, cut: int
) -> tuple[JudgmentTable, PairPlaces, int]:
    """``judged`` with the open documents as listed ones of grade ``OPEN`` and no others below 0,
    the row of each code in it, and their number.
    """
    number = {topic: at for at, topic in enumerate(judged.topics)}
    codes, topics = [], []
    for run in runs:
        sizes = np.diff(run.starts)
        ranks = np.arange(len(run.pairs)) - np.repeat(run.starts[:-1], sizes)
        topic = np.repeat([number.get(name, -1) for name in run.topics], sizes).astype(np.int64)
        place = places.take(run.pairs)
        is_judged = (place >= 0) & (judged.grades[place] >= 0) if len(judged.grades) else place >= 0
        is_open = (ranks < cut) & (topic >= 0) & ~is_judged
        codes.append(run.pairs[is_open])
        topics.append(topic[is_open])
    opened, first = np.unique(np.concatenate(codes), return_index=True)
    # What is listed and unjudged moves to the open documents, or is none of them.
    grades = np.maximum(judged.grades, 0)
    listed = places.take(opened)
    grades[listed[listed >= 0]] = OPEN
    unlisted = listed < 0
    belongs = np.concatenate((judged.topic_index, np.concatenate(topics)[first][unlisted]))
    order = np.argsort(belongs, kind="stable")
    row = np.empty(len(order), np.int32)
    row[order] = np.arange(len(order))
    after = PairPlaces.from_codes(
        len(places),
        np.concatenate((places.codes, opened[unlisted])),
        np.concatenate((row[places.rows], row[len(grades) :])),
    )
    together = np.append(grades, np.full(np.count_nonzero(unlisted), OPEN, np.int32))[order]
    starts = group_starts(np.bincount(belongs, minlength=len(judged.topics)))
    return JudgmentTable.from_arrays(judged.topics, starts, together), after, len(opened)


def _complete_others(batch: ScoringBatch, *, count_missed: bool = False) -> ScoringBatch:
    """``batch`` with its open documents unjudged and its other unjudged ones not relevant; with
    ``count_missed``, the open ones that it misses have the highest grade.
    """
    rankings = CompletionRankings.from_batch(batch)
    ranked = np.zeros_like(rankings.ranked)
    ranked[rankings.starts[batch.segment] + batch.ranks - 1] = batch.grades
    if count_missed:
        missed = np.where(rankings.missed == OPEN, top_grade(batch), rankings.missed)
        rankings = replace(rankings, missed=missed.astype(np.int32))
    return rankings.complete(np.arange(len(batch)), ranked)


def _has_rising_gains(batch: ScoringBatch) -> bool:
    """Whether a higher grade never has a lower gain, and grade 0 that of an unjudged document."""
    grades = np.array(list_scale_grades(batch, batch.options.gains), np.int32)
    gains = gains_for_grades(grades, batch.options.gains)
    return bool(gains[0] == 0 and (np.diff(gains) >= 0).all())
