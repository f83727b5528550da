"""Methods that play runs as bandits: judge the next document of the run with the highest value."""

from collections.abc import Callable
from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Floats, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, PoolingMethod, Values
from poolbench.pooling.players import (
    EARLIER_COUNTS,
    RANDOMNESS,
    TIES,
    UPDATE,
    Bandit,
    RunCounts,
    step_rng,
)

RunValue = Callable[[TopicCandidates, Values, RunCounts, int], Floats]
"""The value of each run before a step, from what is judged so far."""


def upper_bounds(counts: RunCounts) -> Floats:
    """By run: the upper bound; infinite without judgments."""
    share = counts.shares()
    known = counts.judged > 0
    mean = np.where(known, share, 0)
    unsure = np.log(max(counts.total, 1)) / np.where(known, counts.judged, 1)
    variance = np.minimum(0.25, mean * (1 - mean) + np.sqrt(2 * unsure))
    return np.asarray(share + np.sqrt(unsure * variance))


def draw_posterior(
    candidates: TopicCandidates,
    values: Values,  # noqa: ARG001
    counts: RunCounts,
    step: int,
) -> Floats:
    """By run: a draw from the posterior of its share of relevant documents."""
    missed = counts.judged - counts.relevant
    return step_rng(candidates, step).beta(1 + counts.relevant, 1 + missed)


def draw_or_share(
    candidates: TopicCandidates, values: Values, counts: RunCounts, step: int
) -> Floats:
    """By run: the share of relevant documents; with probability ε at random."""
    # The square alone can overflow.
    worth = values["c1"] * int((candidates.lengths > 0).sum()) / values["c2"] / values["c2"]
    source = step_rng(candidates, step)
    if source.random() < worth / (step + 1):
        return source.random(len(candidates.runs))
    return counts.shares()


def play_by_value(value: RunValue, candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    counts = RunCounts(candidates, values.get("update", "all"))
    return Bandit(candidates, counts, partial(value, candidates, values))


def play_by_excess_means(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
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


MAXMEAN = PoolingMethod(
    name="maxmean",
    title="MaxMean",
    formula="play argmax over runs r of (1 + jrel_r) / (2 + jret_r)",
    reading="Judge the next document of the run with the highest share of relevant documents "
    "(jrel relevant of jret judged), as the posterior mean of Beta(1 + jrel, 1 + jret − jrel).",
    source="Losada, Parapar and Barreiro 2016, 2017; TREC 2017 Common Core.",
    range="0 to 1",
    parameters=(UPDATE,),
    edge_cases=("Before any judgment every run scores 1/2.", TIES, EARLIER_COUNTS),
    player=partial(play_by_value, lambda _candidates, _values, counts, _: counts.means()),
)
MMNS = PoolingMethod(
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
    player=play_by_excess_means,
)
THOMPSON = PoolingMethod(
    name="thompson",
    title="Thompson sampling (BLA)",
    formula="play argmax over runs r of a draw from Beta(1 + jrel_r, 1 + jret_r − jrel_r)",
    reading="Draw a share of relevant documents for each run from its posterior (jrel relevant of "
    "jret judged), and judge the next document of the run with the highest draw.",
    source="Thompson 1933; for pools Losada, Parapar and Barreiro 2016, 2017.",
    range="0 to 1",
    parameters=(UPDATE,),
    edge_cases=("Before any judgment all runs are equally likely.", RANDOMNESS, EARLIER_COUNTS),
    player=partial(play_by_value, draw_posterior),
)
UCB = PoolingMethod(
    name="ucb",
    title="UCB1-tuned",
    formula="play argmax over runs r of p_r + √(ln n / jret_r · min(1/4, p_r (1 − p_r) + "
    "√(2 ln n / jret_r))), p_r = jrel_r / jret_r, n documents judged",
    reading="Judge the next document of the run whose share of relevant documents has the highest "
    "upper confidence bound: a run that is good so far, or one with few judgments (jrel relevant "
    "of jret judged).",
    source="Auer, Cesa-Bianchi and Fischer 2002; for pools Losada, Parapar and Barreiro 2016.",
    range="0 to ∞",
    parameters=(UPDATE,),
    edge_cases=(
        "Runs without judgments come before all others.",
        "p_r is a fraction, not an integer as in some published code.",
        TIES,
        EARLIER_COUNTS,
    ),
    player=partial(play_by_value, lambda _candidates, _values, counts, _: upper_bounds(counts)),
)
EGREEDY = PoolingMethod(
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
    player=partial(play_by_value, draw_or_share),
)
RANDOM = PoolingMethod(
    name="random",
    title="Random run",
    formula="play a run drawn uniformly from those with documents left",
    reading="Judge the next document of a randomly drawn run: the baseline for the other adaptive "
    "methods.",
    source="Losada, Parapar and Barreiro 2016, as a baseline.",
    range="–",
    edge_cases=(RANDOMNESS,),
    player=partial(
        play_by_value,
        lambda candidates, *at: step_rng(candidates, at[-1]).random(len(candidates.runs)),
    ),
)
