"""Expected reciprocal rank: users stop at a document with a probability given by its grade."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.scale import MAX_REL, top_grade
from poolbench.evaluation.segments import running_products, shift_down

_K = Parameter("k", "Rank cut-off; default: no cut-off.", kind="rank")
_EDGES = (
    "Depends on the grades; the gain table and the relevance level are not used.",
    "Unjudged documents have stopping probability 0.",
)
_SOURCE = "Chapelle, Metzler, Zhang and Grinspan, CIKM 2009"
_worked = partial(WorkedExample, (3, 0, 2, None, 1), (3, 3, 2, 1, 0))


def err(batch: ScoringBatch, *, k: int | None = None, max_rel: int | None = None) -> Floats:
    top = top_grade(batch, max_rel)
    rows = batch.grades > 0
    if k is not None:
        rows &= batch.ranks <= k
    graded = batch.select_rows(rows)
    return _expected(
        graded.grades.astype(np.float64), graded.segment, graded.ranks, graded.starts, top
    )


def nerr(batch: ScoringBatch, *, k: int | None = None, max_rel: int | None = None) -> Floats:
    top = top_grade(batch, max_rel)
    return safe_ratio(err(batch, k=k, max_rel=top), _ideal(batch, k, top))


def _ideal(batch: ScoringBatch, k: int | None, top: int) -> Floats:
    """err of all judged documents by descending grade, by segment."""
    grades, topic_index, ranks = batch.judged.falling_gains(None)
    rows = grades > 0
    if k is not None:
        rows &= ranks <= k
    topics = len(batch.judged.topics)
    starts = np.searchsorted(topic_index[rows], np.arange(topics + 1))
    return _expected(grades[rows], topic_index[rows], ranks[rows], starts, top)[batch.topic_index]


def stop_probabilities(grades: ArrayLike, top: int) -> Floats:
    """The probability that a document of each grade, 0 or higher, stops the user."""
    reached = np.minimum(np.asarray(grades, np.float64), top)
    return np.asarray(np.exp2(reached - top) - np.exp2(-float(top)))


def _expected(grades: Floats, place: Ints, ranks: Ints, starts: Ints, top: int) -> Floats:
    """Σ 1/rank · probability of stopping at that rank and not before, by ``place``."""
    stops = stop_probabilities(grades, top)
    stopping = stops * shift_down(running_products(1 - stops, starts), starts, 1.0)
    return sum_by_place(place, stopping / ranks, len(starts) - 1)


_reciprocal = partial(MeasureFamily, parameters=(_K, MAX_REL), suffix="k", group="users")
ERR = _reciprocal(
    name="err",
    title="Expected reciprocal rank",
    formula="Σ 1/rank · s(rank) · Π over ranks above of (1 − s), "
    "s = (2^grade − 1) / 2^max_rel; err_20: over the first 20",
    reading="Expected reciprocal of the rank at which a user is satisfied; higher grades "
    "are more likely to satisfy.",
    source=f"{_SOURCE}; gdeval's ERR is `err_20(max_rel=4)`.",
    edge_cases=(
        *_EDGES,
        (
            "`ERR@20`, as in ir_measures, and `err@20`, as gdeval prints it, are on gdeval's "
            "scale of grades 0 to 4 and have its value: they denote `err_20(max_rel=4)`."
        ),
        "Below 1 even for the ideal ranking: a single document of grade 3 of 3 gives 7/8.",
    ),
    compute=err,
    examples=(
        _worked(
            7 / 8 + 1 / 8 * 3 / 8 / 3 + 1 / 8 * 5 / 8 * 1 / 8 / 5,
            "7/8 + 1/8 · 3/8 / 3 + 1/8 · 5/8 · 1/8 / 5",
            "err(max_rel=3)",
        ),
        _worked(7 / 16, "7/16", "err_2(max_rel=4)"),
    ),
    spellings=("ERR",),
    cut_spellings=("ERR",),
)

NERR = _reciprocal(
    name="nerr",
    title="Normalized expected reciprocal rank",
    formula="err / err of all judged documents by descending grade; nerr_20: both of the first 20",
    reading="ERR relative to that of the ideal ranking.",
    source=f"{_SOURCE}, normalized as nDCG is (Clarke and others, WSDM 2011).",
    edge_cases=(
        *_EDGES,
        "`nERR@20` is on the scale of `ERR@20`: it denotes `nerr_20(max_rel=4)`.",
        "A topic without a grade above 0: the value is 0.",
    ),
    compute=nerr,
    examples=(
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
)
