"""PPTake: documents by the number of runs that list them."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

PP = Card(
    name="pp",
    title="PPTake (how many runs)",
    formula="score(d) = number of runs r with d within the cut-off",
    reading="What most runs agree on comes first, wherever they rank it.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="1 to the number of runs",
    edge_cases=(
        "Ties are many: all documents of one run alone are equal, and the hash decides.",
        "The cut-off of the spec matters, since all ranks within it count alike.",
    ),
)


def pp_scores(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001 -- none
    """By document: how many runs list it."""
    return candidates.listed.astype(float)


METHOD = score_based_method(PP, pp_scores)
