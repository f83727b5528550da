"""PPTake: documents by the number of runs that list them."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

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


def pp_scores(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: the number of runs that list it."""
    return candidates.run_counts.astype(float)


METHOD = score_based_method(PP, pp_scores)
