"""εₙ-greedy: mostly the best run so far, sometimes a random one."""

from __future__ import annotations

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import EARLIER_COUNTS, TIES, UPDATE, Bandit, RunCounts, step_rng

EGREEDY = Card(
    name="egreedy",
    title="εₙ-greedy",
    formula="ε_n = min(1, c1 · R / (c2² · n)); with probability ε_n play a random run, otherwise "
    "argmax over runs r of jrel_r / jret_r; n − 1 documents selected before, R runs answer",
    reading="Explores at random, less and less often, and otherwise judges the next document of "
    "the run with the highest share of relevant documents (jrel relevant of jret judged).",
    source="Auer, Cesa-Bianchi and Fischer 2002; for pools Losada, Parapar and Barreiro 2016. The "
    "defaults are ours.",
    range="0 to 1",
    parameters=(
        Parameter("c1", "Higher values explore more.", "0.01", kind="positive"),
        Parameter("c2", "Higher values explore less.", "0.1", kind="positive"),
        UPDATE,
    ),
    edge_cases=(
        "Runs without judgments come before all others.",
        "Documents selected by earlier steps count in n.",
        TIES,
        EARLIER_COUNTS,
    ),
)


def egreedy(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by share of relevant documents, or at random."""
    # The square alone can overflow.
    worth = values["c1"] * int((candidates.lengths > 0).sum()) / values["c2"] / values["c2"]

    def value(counts: RunCounts, step: int) -> Floats:
        source = step_rng(candidates, step)
        if source.random() < worth / (step + 1):
            return source.random(len(candidates.runs))
        return counts.shares()

    return Bandit(candidates, RunCounts(candidates, values["update"]), value)


METHOD = PoolingMethod(EGREEDY, player=egreedy)
