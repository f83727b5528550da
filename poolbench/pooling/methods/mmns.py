"""Non-stationary MaxMean: older judgments count less, or not at all."""

from __future__ import annotations

from poolbench.cards import Card, Parameter
from poolbench.pooling.candidates import Floats, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, PoolingMethod, Values
from poolbench.pooling.players import EARLIER_COUNTS, TIES, UPDATE, Bandit, RunCounts

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
            "and 1/2 before any. Most runs are tied, so the lot decides."
        ),
        (
            "Between the rates 0 and 1 runs are compared by what they exceed (1 − rate) / "
            "(3 − 2 rate), the limit after many non-relevant documents: old judgments still count."
        ),
        TIES,
        EARLIER_COUNTS,
    ),
)


def mmns(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by posterior means of discounted counts."""
    counts = RunCounts(candidates, values["update"], values["rate"])
    return Bandit(candidates, counts, lambda seen, _: excess_means(seen))


def excess_means(counts: RunCounts) -> Floats:
    """By run: (1 + relevant) / (2 + judged), ordered alike but with all digits.

    After many non-relevant documents all means are near (1 − rate) / (3 − 2 rate), and what tells
    runs apart is lost in the last digit. So this is the share by which they exceed that limit:
    1 + relevant times the limit's reciprocal over 2 + judged, less 1, where
    judged = (1 − rateⁿ) / (1 − rate) after n judgments.
    """
    if counts.rate == 1:
        return counts.means()
    missing = counts.faded / (3 - 2 * counts.rate)
    return (counts.relevant + missing) / (1 - missing)


METHOD = PoolingMethod(MMNS, player=mmns)
