"""Non-stationary MaxMean: older judgments count less, or not at all."""

from __future__ import annotations

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import EARLIER_COUNTS, UPDATE, Bandit, RunCounts

MMNS = Card(
    name="mmns",
    title="MM-NS (non-stationary MaxMean)",
    formula="play argmax over runs r of (1 + jrel_r) / (2 + jret_r); after a judgment of r "
    "jrel_r = rate · jrel_r + relevant, jret_r = rate · jret_r + 1",
    reading="MaxMean for runs whose precision falls with depth: at rate 0 only the latest judgment "
    "of a run counts, at rate 1 all of them, which is MaxMean.",
    source="Losada, Parapar and Barreiro 2017; update rule and default rate from memory of the "
    "paper.",
    range="0 to 1",
    parameters=(
        UPDATE,
        Parameter(
            "rate", "Share of the counts kept at each judgment, from 0 to 1.", "0", kind="share"
        ),
    ),
    edge_cases=(
        (
            "At rate 0 a run scores 2/3 after a relevant document, 1/3 after a non-relevant one, "
            "and 1/2 before any."
        ),
        EARLIER_COUNTS,
    ),
)


def mmns(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by posterior means of discounted counts."""
    counts = RunCounts(candidates, values["update"], values["rate"])
    return Bandit(candidates, counts, lambda seen, _: seen.means())


METHOD = PoolingMethod(MMNS, player=mmns)
