"""The registry of pooling methods by name."""

from poolbench.pooling.method import PoolingMethod
from poolbench.pooling.methods import (
    bandits,
    cal,
    comb,
    depth,
    hedge,
    influence,
    mtc,
    mtf,
    rank_scores,
    rbp,
    rule_1,
    samples,
)

LISTED = (
    depth.DEPTH,
    rank_scores.TAKE,
    depth.NTCIR,
    rank_scores.PP,
    rank_scores.DCG,
    rank_scores.RRF,
    rbp.RBP_A,
    rbp.RBP_B,
    rank_scores.BORDA,
    rank_scores.CONDORCET,
    *comb.METHODS,
    mtf.METHOD,
    bandits.MAXMEAN,
    bandits.MMNS,
    bandits.THOMPSON,
    bandits.UCB,
    bandits.EGREEDY,
    bandits.RANDOM,
    hedge.METHOD,
    rbp.RBP_C,
    mtc.METHOD,
    cal.METHOD,
    samples.STRATA,
    samples.STATAP,
    influence.METHOD,
)
METHODS: dict[str, PoolingMethod] = {method.name: method for method in LISTED}
RULE = 2
"""The rule by which new pools choose documents. A change of what any adaptive method chooses from
the same judgments needs a new rule, and the former players for the pools of the old one."""
METHODS_BY_RULE: dict[int, dict[str, PoolingMethod]] = {
    1: METHODS | {method.name: method for method in rule_1.METHODS},
    RULE: METHODS,
}
"""This alone decides which players a pool has: by rule, then name."""
ALIASES = {"fairtake": "take"}
"""Alternative names."""
GROUPS = (
    ("static", "Static methods", "The selection is known before judging starts."),
    ("adaptive", "Adaptive methods", "Each document is selected using the judgments made so far."),
    (
        "sampled",
        "Sampling methods",
        "Documents are drawn with known inclusion probabilities, so measures can be estimated.",
    ),
)
"""Kind, title, and what its methods have in common."""


def list_methods_by_kind() -> list[tuple[str, str, str, list[PoolingMethod]]]:
    """The groups that have methods, each with its methods."""
    groups = [(*group, [m for m in LISTED if m.kind == group[0]]) for group in GROUPS]
    return [group for group in groups if group[3]]
