"""Interpolated precision at recall levels, and its average over them."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.curves import ELEVEN, interpolate_precision
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

_POINTS = (
    "Recall level r is reached by relevant document number ceil(r · R), the first with "
    "recall ≥ r. Profile trec_eval-9 uses floor(r · R + 0.9), trec_eval-10 rounds r · R."
)
_EDGES = (
    _POINTS,
    "A level that the ranking does not reach: precision 0.",
    "R = 0, or nothing retrieved: 0 at all levels (trec_eval -J prints -nan).",
)
_worked = partial(WorkedExample, (1, 0, 1, 0, None, 1), (1, 1, 1, 1, 0, 0))


def interpolated_precision(batch: ScoringBatch, *, recall: float) -> Floats:
    best: Floats = interpolate_precision(batch, (recall,))[:, 0]
    return best


def average_over_levels(batch: ScoringBatch, *, levels: tuple[float, ...] = ELEVEN) -> Floats:
    best = interpolate_precision(batch, levels)
    # Summed level by level as in trec_eval, so that the last digit agrees.
    summed: Floats = np.add.accumulate(best[:, ::-1], axis=1)[:, -1]
    return summed / len(levels)


IPREC_AT_RECALL = MeasureFamily(
    name="iprec_at_recall",
    title="Interpolated precision at a recall level",
    formula="highest precision at any rank where recall is at least the level",
    reading="The highest precision for users who want at least this proportion of the "
    "relevant documents; the points of the classical recall–precision curve.",
    source="van Rijsbergen 1979; trec_eval iprec_at_recall.",
    parameters=(Parameter("recall", "Recall level.", kind="level"),),
    edge_cases=_EDGES,
    compute=interpolated_precision,
    examples=(
        _worked(1.0, "recall 1/4 at rank 1: 1/1", "iprec_at_recall_0.20"),
        _worked(2 / 3, "recall 2/4 at rank 3: max(2/3, 3/6)", "iprec_at_recall_0.50"),
        _worked(0.0, "recall stops at 3/4", "iprec_at_recall_1.00"),
    ),
    cut_spellings=("IPrec",),
    suffix="recall",
    bare=ELEVEN,
    group="curves",
)

ELEVEN_POINT = MeasureFamily(
    name="11pt_avg",
    title="Interpolated precision averaged over recall levels",
    formula="mean of iprec_at_recall over the levels 0, 0.1, …, 1",
    reading="The area under the interpolated curve in eleven steps; the main measure of the "
    "early TREC years, before average precision.",
    source="Salton and McGill 1983; trec_eval 11pt_avg.",
    parameters=(
        Parameter(
            "levels",
            "Recall levels, as in trec_eval's `11pt_avg.0.25,0.5,0.75`; default: the "
            "eleven standard levels.",
            kind="levels",
        ),
    ),
    edge_cases=_EDGES,
    compute=average_over_levels,
    examples=(
        _worked(
            (3 * 1 + 3 * 2 / 3 + 2 / 2) / 11,
            "1 at 0, 0.1 and 0.2; 2/3 at 0.3, 0.4 and 0.5; 1/2 at 0.6 and 0.7; otherwise 0: 6 / 11",
        ),
        _worked(13 / 18, "(1 + 2/3 + 1/2) / 3", "11pt_avg_0.25,0.5,0.75"),
    ),
    suffix="levels",
    together=True,
    group="curves",
)
