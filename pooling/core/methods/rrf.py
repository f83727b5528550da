"""RRFTake: documents by reciprocal rank fusion."""

from __future__ import annotations

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

RRF = Card(
    name="rrf",
    title="RRFTake (reciprocal ranks)",
    formula="score(d) = Σ over runs r that list d of 1 / (k + rank_r(d))",
    reading="Every run that lists a document adds to its score, top ranks more than others: a "
    "large k counts runs, a small k counts first ranks.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="above 0, to the number of runs / (k + 1)",
    parameters=(Parameter("k", "Added to every rank.", "60", kind="whole"),),
    edge_cases=(
        "Runs that do not list the document add nothing.",
        "`k` is not a pool depth: the cut-off of the spec limits the ranks that count.",
    ),
)


def rrf_scores(candidates: TopicCandidates, values: Values) -> Floats:
    """By document: the sum of reciprocal ranks."""
    return candidates.sums(1 / (float(values["k"]) + candidates.rank))


METHOD = score_based_method(RRF, rrf_scores)
