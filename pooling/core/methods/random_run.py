"""Random: any run, its next document."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import Bandit, RunCounts, step_rng

RANDOM = Card(
    name="random",
    title="Random run",
    formula="play a run drawn evenly among those that have a document left",
    reading="Judge the next document of a run that is drawn by lot: what the methods that learn "
    "have to beat.",
    source="Losada, Parapar and Barreiro 2016, as a baseline.",
    range="–",
    edge_cases=("Chance comes from the seed, the topic and the number of documents given.",),
)


def random_run(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:  # noqa: ARG001
    """A player by lot."""

    def value(_: RunCounts, step: int) -> Floats:
        return step_rng(candidates, step).random(len(candidates.runs))

    return Bandit(candidates, RunCounts(candidates, "all"), value)


METHOD = PoolingMethod(RANDOM, player=random_run)
