"""Normalised discounted cumulated gain."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import Batch, Floats, ratio, sums_by
from evaluation.core.measures.family import Example, Family

_EDGES = (
    "The relevance level is not used: every grade above 0 gains, as in trec_eval.",
    "A topic without any gain counts as 0.",
    "-M cuts the ranking and not the ideal.",
)
_SOURCE = "Järvelin and Kekäläinen 2002, with the discount of trec_eval {name}."


def ndcg(batch: Batch) -> Floats:
    return _normalised(batch, None)


def ndcg_cut(batch: Batch, *, k: int) -> Floats:
    return _normalised(batch, k)


def _normalised(batch: Batch, k: int | None) -> Floats:
    rows = batch.gains > 0
    if k is not None:
        rows &= batch.ranks <= k
    gained = batch.sums(batch.gains[rows] / np.log2(1 + batch.ranks[rows]), rows)
    return ratio(gained, _ideal(batch, k)[batch.topic_of])


def _ideal(batch: Batch, k: int | None) -> Floats:
    """DCG of the best ranking of all judged documents, by judged topic."""
    judged = batch.judged
    gains = batch.options.gain_of(judged.grades)
    if batch.options.gains:
        # A gain table need not rise with the grade.
        gains = gains[np.lexsort((-gains, judged.topic_of))]
    rows = gains > 0
    if k is not None:
        rows &= judged.ranks <= k
    discounted = gains[rows] / np.log2(1 + judged.ranks[rows])
    return sums_by(judged.topic_of[rows], discounted, len(judged.topics))


_RANKED, _JUDGED = (2, 1, 2, 0), (2, 2, 1, 0)

NDCG = Family(
    Card(
        name="ndcg",
        title="Normalised discounted cumulated gain",
        formula="DCG / ideal DCG, DCG = Σ gain(rank) / log2(1 + rank); the ideal ranks all "
        "judged documents by gain",
        reading="How near the run comes to the best possible order of all judged documents, "
        "early ranks counting most.",
        source=_SOURCE.format(name="ndcg"),
        edge_cases=_EDGES,
    ),
    ndcg,
    (Example(_RANKED, _JUDGED, 0.9651954696014428, "(2 + 1/log2 3 + 2/2) / (2 + 2/log2 3 + 1/2)"),),
    spellings=("nDCG", "NDCG"),
)

NDCG_CUT = Family(
    Card(
        name="ndcg_cut",
        title="Normalised discounted cumulated gain at rank k",
        formula="DCG of the first k / ideal DCG of the first k",
        reading="How near the first k documents come to the best possible first k.",
        source=_SOURCE.format(name="ndcg_cut"),
        parameters=(Parameter("k", "Ranks looked at."),),
        edge_cases=(
            *_EDGES,
            "A run with fewer than k documents is measured against k all the same.",
        ),
    ),
    ndcg_cut,
    (
        Example(
            _RANKED, _JUDGED, 0.8065735963827293, "(2 + 1/log2 3) / (2 + 2/log2 3)", "ndcg_cut_2"
        ),
    ),
    cut_spellings=("nDCG", "NDCG", "ndcg"),
    cutoffs=(5, 10, 15, 20, 30, 100, 200, 500, 1000),
)
