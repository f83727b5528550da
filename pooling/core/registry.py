"""The registry of pooling methods by name."""

from __future__ import annotations

from pooling.core.method import PoolingMethod
from pooling.core.methods import (
    best_rank,
    borda,
    cal,
    comb,
    condorcet,
    dcg,
    depth,
    egreedy,
    hedge,
    maxmean,
    mmns,
    mtc,
    mtf,
    ntcir,
    pp,
    random_run,
    rbp_a,
    rbp_b,
    rbp_c,
    rrf,
    rule_1,
    statap,
    strata,
    thompson,
    ucb,
)

LISTED = (
    depth.METHOD,
    best_rank.METHOD,
    ntcir.METHOD,
    pp.METHOD,
    dcg.METHOD,
    rrf.METHOD,
    rbp_a.METHOD,
    rbp_b.METHOD,
    borda.METHOD,
    condorcet.METHOD,
    *comb.METHODS,
    mtf.METHOD,
    maxmean.METHOD,
    mmns.METHOD,
    thompson.METHOD,
    ucb.METHOD,
    egreedy.METHOD,
    random_run.METHOD,
    hedge.METHOD,
    rbp_c.METHOD,
    mtc.METHOD,
    cal.METHOD,
    strata.METHOD,
    statap.METHOD,
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
