"""MaxMean: play the run with the highest share of relevant documents."""

from __future__ import annotations

from campaigns.core.cards import Card
from pooling.core.candidates import TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import EARLIER_COUNTS, TIES, UPDATE, Bandit, RunCounts

MAXMEAN = Card(
    name="maxmean",
    title="MaxMean",
    formula="play argmax over runs r of (1 + jrel_r) / (2 + jret_r)",
    reading="Judge the next document of the run with the highest share of relevant documents "
    "(jrel relevant of jret judged), as the posterior mean of Beta(1 + jrel, 1 + jret − jrel).",
    source="Losada, Parapar and Barreiro 2016, 2017; TREC 2017 Common Core.",
    range="0 to 1",
    parameters=(UPDATE,),
    edge_cases=(
        "Before any judgment every run scores 1/2.",
        TIES,
        EARLIER_COUNTS,
    ),
)


def maxmean(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by posterior means."""
    counts = RunCounts(candidates, values["update"])
    return Bandit(candidates, counts, lambda seen, _: seen.means())


METHOD = PoolingMethod(MAXMEAN, player=maxmean)
