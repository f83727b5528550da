"""Expected reciprocal rank: readers stop at a document with a chance that its grade gives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch, safe_ratio, sum_by_place
from evaluation.core.judgments import Floats, Ints
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.scale import MAX_REL, top_grade
from evaluation.core.segments import running_products, shift_down

_K = Parameter("k", "Ranks looked at; without it all.", kind="rank")
_EDGES = (
    "The grade decides, not the gain table, nor the relevance level.",
    "Unjudged documents never stop the reader.",
)
_SOURCE = "Chapelle, Metzler, Zhang and Grinspan, CIKM 2009"
_RANKED, _JUDGED = (3, 0, 2, None, 1), (3, 3, 2, 1, 0)


def err(batch: ScoringBatch, *, k: int | None = None, max_rel: int | None = None) -> Floats:
    top = top_grade(batch, max_rel)
    rows = batch.grades > 0
    if k is not None:
        rows &= batch.ranks <= k
    kept = batch.select_rows(rows)
    return _expected(kept.grades.astype(np.float64), kept.segment, kept.ranks, kept.starts, top)


def nerr(batch: ScoringBatch, *, k: int | None = None, max_rel: int | None = None) -> Floats:
    top = top_grade(batch, max_rel)
    return safe_ratio(err(batch, k=k, max_rel=top), _ideal(batch, k, top))


def _ideal(batch: ScoringBatch, k: int | None, top: int) -> Floats:
    """err of all judged documents by falling grade, by segment."""
    grades, topic_index, ranks = batch.judged.falling_gains(None)
    rows = grades > 0
    if k is not None:
        rows &= ranks <= k
    topics = len(batch.judged.topics)
    starts = np.searchsorted(topic_index[rows], np.arange(topics + 1))
    return _expected(grades[rows], topic_index[rows], ranks[rows], starts, top)[batch.topic_index]


def stop_probabilities(grades: ArrayLike, top: int) -> Floats:
    """The chance that a document of each grade, 0 or more, stops the reader."""
    reached = np.minimum(np.asarray(grades, np.float64), top)
    return np.asarray(np.exp2(reached - top) - np.exp2(-float(top)))


def _expected(grades: Floats, place: Ints, ranks: Ints, starts: Ints, top: int) -> Floats:
    """Σ 1/rank · chance to stop there and nowhere above, by ``place``."""
    stops = stop_probabilities(grades, top)
    chance = stops * shift_down(running_products(1 - stops, starts), starts, 1.0)
    return sum_by_place(place, chance / ranks, len(starts) - 1)


ERR = MeasureFamily(
    Card(
        name="err",
        title="Expected reciprocal rank",
        formula="Σ 1/rank · s(rank) · Π over ranks above of (1 − s), "
        "s = (2^grade − 1) / 2^max_rel; err_20: over the first 20",
        reading="How soon, as 1/rank, a reader is satisfied who stops at each document with a "
        "chance that grows with its grade.",
        source=f"{_SOURCE}; gdeval's ERR is `err_20(max_rel=4)`.",
        parameters=(_K, MAX_REL),
        edge_cases=(
            *_EDGES,
            "Below 1 even for the best ranking: a single document of grade 3 of 3 gives 7/8.",
        ),
    ),
    err,
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            7 / 8 + 1 / 8 * 3 / 8 / 3 + 1 / 8 * 5 / 8 * 1 / 8 / 5,
            "7/8 + 1/8 · 3/8 / 3 + 1/8 · 5/8 · 1/8 / 5",
            "err(max_rel=3)",
        ),
        WorkedExample(_RANKED, _JUDGED, 7 / 16, "7/16", "err_2(max_rel=4)"),
    ),
    spellings=("ERR",),
    cut_spellings=("ERR",),
    suffix="k",
    group="users",
)

NERR = MeasureFamily(
    Card(
        name="nerr",
        title="Normalised expected reciprocal rank",
        formula="err / err of all judged documents by falling grade; nerr_20: both of the first 20",
        reading="How near err comes to that of the best possible ranking.",
        source=f"{_SOURCE}, normalised as nDCG is (Clarke and others, WSDM 2011).",
        parameters=(_K, MAX_REL),
        edge_cases=(*_EDGES, "A topic without a grade above 0 counts as 0."),
    ),
    nerr,
    (
        WorkedExample(
            (0, 2),
            (2, 1, 0),
            (3 / 4 / 2) / (3 / 4 + 1 / 4 * 1 / 4 / 2),
            "(3/4 / 2) / (3/4 + 1/4 · 1/4 / 2)",
            "nerr(max_rel=2)",
        ),
    ),
    spellings=("nERR",),
    cut_spellings=("nERR",),
    suffix="k",
    group="users",
)
