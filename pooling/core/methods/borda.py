"""BordaTake: documents by sum of ranks, with a mean rank where a run does not list them."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

BORDA = Card(
    name="borda",
    title="BordaTake (sum of ranks)",
    formula="score(d) = −Σ over runs r of (rank_r(d) if r lists d, else (L_r + 1 + n) / 2), "
    "where r lists L_r of the n documents listed by any run",
    reading="Documents with the lowest sum of ranks come first; a document that a run does not "
    "list counts with the mean of the run's unused ranks.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="−number of runs · n to −number of runs",
    edge_cases=(
        "n counts the topic's documents within the cut-off, not those of the collection.",
        "A run without documents for the topic adds −(n + 1) / 2 to every score: no change.",
    ),
)


def borda_scores(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: minus the sum of ranks."""
    unlisted = (candidates.lengths + 1 + len(candidates)) / 2
    return candidates.sums(unlisted[candidates.run] - candidates.rank) - float(unlisted.sum())


METHOD = score_based_method(BORDA, borda_scores)
