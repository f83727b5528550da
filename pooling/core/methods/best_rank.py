"""Take@N: documents by their best rank in any run, until the budget is spent."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

TAKE = Card(
    name="take",
    title="Take@N (FairTake@N)",
    formula="score(d) = −min over runs r of rank_r(d)",
    reading="The depth-k pool within a budget: all first ranks, then all second ranks, and so on.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="−cut-off to −1",
    edge_cases=(
        "Documents with the same best rank are ordered by seeded hash, as in FairTake.",
        "`fairtake` is an alias. No variant favors the runs listed first.",
    ),
)


def best_ranks(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: minus its best rank."""
    return -candidates.min_rank.astype(float)


METHOD = score_based_method(TAKE, best_ranks)
