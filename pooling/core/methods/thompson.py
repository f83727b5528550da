"""Thompson sampling: each run by chance as often as it may be the best."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import EARLIER_COUNTS, UPDATE, Bandit, RunCounts, step_rng

THOMPSON = Card(
    name="thompson",
    title="Thompson sampling (BLA)",
    formula="play argmax over runs r of a draw from Beta(1 + jrel_r, 1 + jret_r − jrel_r)",
    reading="Draw for each run a share of relevant documents that fits what was judged, and judge "
    "the next document of the run with the highest draw.",
    source="Thompson 1933; for pools Losada, Parapar and Barreiro 2016, 2017.",
    range="0 to 1",
    parameters=(UPDATE,),
    edge_cases=(
        "Nothing judged: every run has the same chance.",
        "Chance comes from the seed, the topic and the number of documents given.",
        EARLIER_COUNTS,
    ),
)


def thompson(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by draws."""

    def value(counts: RunCounts, step: int) -> Floats:
        missed = counts.judged - counts.relevant
        return step_rng(candidates, step).beta(1 + counts.relevant, 1 + missed)

    return Bandit(candidates, RunCounts(candidates, values["update"]), value)


METHOD = PoolingMethod(THOMPSON, player=thompson)
