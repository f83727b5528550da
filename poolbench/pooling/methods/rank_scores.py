"""Methods that take documents by a score of their ranks in all runs, the highest first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poolbench.cards import Card, Parameter
from poolbench.pooling.candidates import Floats, TopicCandidates
from poolbench.pooling.method import Values, score_based_method

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
PP = Card(
    name="pp",
    title="PPTake (number of runs)",
    formula="score(d) = number of runs r with d within the cut-off",
    reading="Documents that most runs list come first, at any rank.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="1 to the number of runs",
    edge_cases=(
        "Ties are frequent, such as all documents unique to one run; seeded hash breaks them.",
        "The cut-off of the spec matters, since all ranks within it count equally.",
    ),
)
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


def sum_ranks(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: minus the sum of ranks."""
    unlisted = (candidates.lengths + 1 + len(candidates)) / 2
    return candidates.sums(unlisted[candidates.run] - candidates.rank) - float(unlisted.sum())


SCORES: dict[str, tuple[Card, Callable[[TopicCandidates, Values], Floats]]] = {
    "take": (TAKE, lambda candidates, _: -candidates.min_rank.astype(float)),
    "pp": (PP, lambda candidates, _: candidates.run_counts.astype(float)),
    "dcg": (DCG, lambda candidates, _: candidates.sums(1 / np.log2(candidates.rank + 1))),
    "rrf": (RRF, lambda c, values: c.sums(1 / (float(values["k"]) + c.rank))),
    "borda": (BORDA, sum_ranks),
}
"""By name the card, and the score of each document."""
METHODS = {name: score_based_method(*entry) for name, entry in SCORES.items()}
