"""Rank-biased precision, and how far unseen judgments could still raise it."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats, Ints
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.scale import GAIN, MAX_REL, gain_shares

_P = Parameter(
    "p",
    "Persistence: the chance with which the reader goes on from one document to the next. "
    "1 / (1 − p) documents are read on average.",
    "0.8",
    kind="share",
)
_SOURCE = (
    "Moffat and Zobel, ACM TOIS 27(1), 2008; cwl_eval computes the same. Not comparable with "
    "trec_eval 10's {name}, {fault}."
)
_FERRO = (3, 0, 1, 2, 0, 0, 0, 2, 0, 0)
_JUDGED = (3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0)


def rbp(
    batch: ScoringBatch, *, p: float = 0.8, gain: str = "binary", max_rel: int | None = None
) -> Floats:
    gains = gain_shares(batch, gain, max_rel)
    rows = gains > 0
    weights = _weights(batch.ranks[rows], p)
    return batch.sums(gains[rows] * weights, rows)


def rbp_resid(batch: ScoringBatch, *, p: float = 0.8) -> Floats:
    """All weight but that of judged ranks, which is what unjudged ranks and the end leave."""
    rows = batch.is_judged
    return 1 - batch.sums(_weights(batch.ranks[rows], p), rows)


def _weights(ranks: Ints, p: float) -> Floats:
    return (1 - p) * np.power(p, ranks - 1, dtype=np.float64)


RBP = MeasureFamily(
    Card(
        name="rbp",
        title="Rank-biased precision",
        formula="(1 − p) · Σ gain(rank) · p^(rank − 1)",
        reading="What a reader gains by document who after each goes on with chance p.",
        source=_SOURCE.format(
            name="rbp",
            fault="which reads memory that it never set, so that it prints other "
            "values with other measures beside it",
        ),
        parameters=(_P, GAIN, MAX_REL),
        edge_cases=(
            "Unjudged documents gain nothing; `rbp_resid` tells what they could add.",
            "Does not depend on R.",
            "p = 1 gives 0: no rank has any weight.",
        ),
    ),
    rbp,
    (
        WorkedExample(_FERRO, _JUDGED, 0.47234304, "0.2 · (1 + 0.8^2 + 0.8^3 + 0.8^7)"),
        WorkedExample(
            _FERRO,
            _JUDGED,
            0.2 * (1 + 0.8**2 / 3 + 0.8**3 * 2 / 3 + 0.8**7 * 2 / 3),
            "0.2 · (1 + 0.8^2/3 + 0.8^3 · 2/3 + 0.8^7 · 2/3)",
            "rbp(gain=graded, max_rel=3)",
        ),
    ),
    spellings=("RBP",),
    group="users",
)

RBP_RESID = MeasureFamily(
    Card(
        name="rbp_resid",
        title="Residual of rank-biased precision",
        formula="(1 − p) · Σ over unjudged ranks of p^(rank − 1) + p^(documents retrieved)",
        reading="How much rbp could still rise if all that is unjudged were relevant, in the "
        "ranking and below its end.",
        source=_SOURCE.format(
            name="rbp_resid", fault="which is 0 where nothing retrieved is unjudged"
        ),
        parameters=(_P,),
        edge_cases=(
            "Documents with a grade below 0 are unjudged.",
            "The bounds of rbp leave out p^(documents retrieved): they are of retrieved ones.",
        ),
    ),
    rbp_resid,
    (
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
