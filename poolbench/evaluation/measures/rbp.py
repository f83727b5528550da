"""Rank-biased precision and its residual."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.scale import GAIN, MAX_REL, gain_shares

_P = Parameter(
    "p",
    "Persistence: the probability that the user continues from one document to the next. "
    "The expected number of documents viewed is 1 / (1 − p).",
    "0.8",
    kind="share",
)
_SOURCE = (
    "Moffat and Zobel, ACM TOIS 27(1), 2008; the same as in cwl_eval. Not comparable with "
    "trec_eval 10's {name}, {fault}."
)
_worked = partial(
    WorkedExample, (3, 0, 1, 2, 0, 0, 0, 2, 0, 0), (3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0)
)


def rbp(
    batch: ScoringBatch, *, p: float = 0.8, gain: str = "binary", max_rel: int | None = None
) -> Floats:
    gains = gain_shares(batch, gain, max_rel)
    rows = gains > 0
    weights = _weights(batch.ranks[rows], p)
    return batch.sums(gains[rows] * weights, rows)


def rbp_resid(batch: ScoringBatch, *, p: float = 0.8) -> Floats:
    """The weight of unjudged ranks and of the ranks below the end of the ranking."""
    rows = batch.is_judged
    return 1 - batch.sums(_weights(batch.ranks[rows], p), rows)


def _weights(ranks: Ints, p: float) -> Floats:
    return (1 - p) * np.power(p, ranks - 1, dtype=np.float64)


RBP = MeasureFamily(
    name="rbp",
    title="Rank-biased precision",
    formula="(1 − p) · Σ gain(rank) · p^(rank − 1)",
    reading="Expected gain per document viewed by a user who continues after each document "
    "with probability p.",
    source=_SOURCE.format(
        name="rbp",
        fault="which reads uninitialized memory, so that its values depend on the other "
        "measures requested",
    ),
    parameters=(_P, GAIN, MAX_REL),
    edge_cases=(
        "Unjudged documents have gain 0; `rbp_resid` is the gain they could add.",
        "Does not depend on R.",
        "`RBP` without `rel` is binary at the relevance level; ir_measures requires `rel`.",
        "p = 1: the value is 0, since no rank has any weight.",
    ),
    compute=rbp,
    examples=(
        _worked(0.47234304, "0.2 · (1 + 0.8^2 + 0.8^3 + 0.8^7)"),
        _worked(
            0.2 * (1 + 0.8**2 / 3 + 0.8**3 * 2 / 3 + 0.8**7 * 2 / 3),
            "0.2 · (1 + 0.8^2/3 + 0.8^3 · 2/3 + 0.8^7 · 2/3)",
            "rbp(gain=graded, max_rel=3)",
        ),
    ),
    spellings=("RBP",),
    group="users",
)

RBP_RESID = MeasureFamily(
    name="rbp_resid",
    title="Residual of rank-biased precision",
    formula="(1 − p) · Σ over unjudged ranks of p^(rank − 1) + p^(documents retrieved)",
    reading="How much rbp could increase if all unjudged documents were relevant, in the "
    "ranking and below its end.",
    source=_SOURCE.format(
        name="rbp_resid", fault="which is 0 if no retrieved document is unjudged"
    ),
    parameters=(_P,),
    edge_cases=(
        "Documents with a grade below 0 are unjudged.",
        (
            "The bounds of rbp exclude p^(documents retrieved), since they cover "
            "retrieved documents only."
        ),
    ),
    compute=rbp_resid,
    examples=(
        WorkedExample(
            (1, None, 0, -1),
            (1, 0, -1),
            0.2 * (0.8 + 0.8**3) + 0.8**4,
            "0.2 · (0.8 + 0.8^3) + 0.8^4",
        ),
    ),
    group="users",
    better="neither",
)
