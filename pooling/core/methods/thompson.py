"""Thompson sampling: each run as often as it is likely to be the best."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import (
    EARLIER_COUNTS,
    RANDOMNESS,
    UPDATE,
    Bandit,
    RunCounts,
    step_rng,
)

THOMPSON = Card(
    name="thompson",
    title="Thompson sampling (BLA)",
    formula="play argmax over runs r of a draw from Beta(1 + jrel_r, 1 + jret_r − jrel_r)",
    reading="Draw a share of relevant documents for each run from its posterior (jrel relevant of "
    "jret judged), and judge the next document of the run with the highest draw.",
    source="Thompson 1933; for pools Losada, Parapar and Barreiro 2016, 2017.",
    range="0 to 1",
    parameters=(UPDATE,),
    edge_cases=(
        "Before any judgment all runs are equally likely.",
        RANDOMNESS,
        EARLIER_COUNTS,
    ),
)


def thompson(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by draws from the posterior."""

    def value(counts: RunCounts, step: int) -> Floats:
        missed = counts.judged - counts.relevant
        return step_rng(candidates, step).beta(1 + counts.relevant, 1 + missed)

    return Bandit(candidates, RunCounts(candidates, values["update"]), value)


METHOD = PoolingMethod(THOMPSON, player=thompson)
