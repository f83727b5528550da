"""DCGTake: documents by the sum of the discounts of their ranks."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

DCG = Card(
    name="dcg",
    title="DCGTake (log-discounted ranks)",
    formula="score(d) = Σ over runs r that list d of 1 / log2(rank_r(d) + 1)",
    reading="Every run that lists a document adds to its score; rank 3 adds half as much as "
    "rank 1.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="above 0, to the number of runs",
    edge_cases=("Runs that do not list the document add nothing.",),
)


def dcg_scores(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: the sum of discounts."""
    return candidates.sums(1 / np.log2(candidates.rank + 1))


METHOD = score_based_method(DCG, dcg_scores)
