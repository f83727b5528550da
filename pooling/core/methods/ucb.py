"""UCB1-tuned: the run with the highest upper confidence bound."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.method import AdaptivePlayer, PoolingMethod, Values
from pooling.core.players import EARLIER_COUNTS, TIES, UPDATE, Bandit, RunCounts

UCB = Card(
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
)


def upper_bounds(counts: RunCounts) -> Floats:
    """By run: the upper bound; infinite without judgments."""
    share = counts.shares()
    known = counts.judged > 0
    mean = np.where(known, share, 0)
    unsure = np.log(max(counts.total, 1)) / np.where(known, counts.judged, 1)
    variance = np.minimum(0.25, mean * (1 - mean) + np.sqrt(2 * unsure))
    return np.asarray(share + np.sqrt(unsure * variance))


def ucb(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """A player by upper bounds."""
    counts = RunCounts(candidates, values["update"])
    return Bandit(candidates, counts, lambda seen, _: upper_bounds(seen))


METHOD = PoolingMethod(UCB, player=ucb)
