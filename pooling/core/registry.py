"""The table of pooling methods, chosen by the name that users type."""

from __future__ import annotations

from pooling.core.method import Method
from pooling.core.methods import (
    borda,
    comb,
    condorcet,
    dcg,
    depth,
    maxmean,
    ntcir,
    pp,
    rbp_a,
    rbp_b,
    rrf,
    take,
)

LISTED = (
    depth.METHOD,
    take.METHOD,
    ntcir.METHOD,
    pp.METHOD,
    dcg.METHOD,
    rrf.METHOD,
    rbp_a.METHOD,
    rbp_b.METHOD,
    borda.METHOD,
    condorcet.METHOD,
    *comb.METHODS,
    maxmean.METHOD,
)
METHODS: dict[str, Method] = {method.name: method for method in LISTED}
ALIASES = {"fairtake": "take"}
"""Other names that people type."""
