"""Judged@k and unjudged@k: the judgment coverage of a run."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, defined_ratio
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample


def judged_at_k(batch: ScoringBatch, *, k: int) -> Floats:
    seen = np.minimum(batch.lengths, k)
    return defined_ratio(batch.count(batch.is_judged & (batch.ranks <= k)), seen)


def unjudged_at_k(batch: ScoringBatch, *, k: int) -> Floats:
    seen = np.minimum(batch.lengths, k)
    return (seen - batch.count(batch.is_judged & (batch.ranks <= k))) / k


_worked = partial(WorkedExample, (1, None, 0, -1), (2, 1, 0, -1))
_coverage = partial(
    MeasureFamily,
    parameters=(Parameter("k", "Rank cut-off.", kind="rank"),),
    suffix="k",
    group="incomplete",
    better="neither",
)
JUDGED = _coverage(
    name="judged",
    title="Judged at cut-off k",
    formula="documents with a grade ≥ 0 in the first k / min(k, documents retrieved)",
    reading="The proportion of the first k documents that are judged; if it is low, other "
    "measures are unreliable.",
    source="Judged@k of ir_measures, with negative grades counted as unjudged.",
    edge_cases=(
        "A run that retrieves fewer than k documents is divided by the number it retrieves.",
    ),
    undefined="nothing is retrieved for the topic; the topic is left out of the mean.",
    compute=judged_at_k,
    examples=(_worked(1 / 2, "2 of min(10, 4)", "judged_10"),),
    cut_spellings=("Judged", "judged"),
    bare=(5, 10, 20, 100),
)

UNJUDGED = _coverage(
    name="unj",
    title="Unjudged at cut-off k",
    formula="documents without a grade ≥ 0 in the first k / k",
    reading="A warning sign: if it is high, the run ranks documents that the assessors have "
    "not seen.",
    source="trec_eval 10 unj (not in trec_eval 9).",
    edge_cases=(
        "A run that retrieves fewer than k documents is still divided by k.",
        "It equals 1 − judged@k only if k documents are retrieved.",
        "Nothing retrieved: the value is 0.",
    ),
    compute=unjudged_at_k,
    examples=(_worked(2 / 5, "2 of 5", "unj_5"),),
    bare=(5, 10, 20),
)
