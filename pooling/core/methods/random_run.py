"""Random: the next document of a random run."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import RANDOMNESS, Bandit, RunCounts, step_rng

RANDOM = Card(
    name="random",
    title="Random run",
    formula="play a run drawn uniformly from those with documents left",
    reading="Judge the next document of a randomly drawn run: the baseline for the other adaptive "
    "methods.",
    source="Losada, Parapar and Barreiro 2016, as a baseline.",
    range="–",
    edge_cases=(RANDOMNESS,),
)


def random_run(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:  # noqa: ARG001
    """A player at random."""

    def value(_: RunCounts, step: int) -> Floats:
        return step_rng(candidates, step).random(len(candidates.runs))

    return Bandit(candidates, RunCounts(candidates, "all"), value)


METHOD = PoolingMethod(RANDOM, player=random_run)
