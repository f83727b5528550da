"""RBPTake-A: documents by the sum of their weights in rank-biased precision."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import DIGITS, Floats, TopicCandidates
from pooling.core.method import Values, score_based_method

RBP_A = Card(
    name="rbp_a",
    title="RBPTake-A (geometric ranks)",
    formula="score(d) = Σ over runs r that list d of (1 − p) p^(rank_r(d) − 1)",
    reading="Documents with the largest total weight in the RBP of the runs come first.",
    source="Moffat, Webber and Zobel 2007, method A; Lipani et al. 2017.",
    range="0 to the number of runs",
    parameters=(
        Parameter("p", "Persistence: the share of users who go on to the next rank.", "0.8",
                  kind="share"),
    ),
    edge_cases=(
        "The factor 1 − p does not affect the order and is omitted, so that p = 1 is `pp`.",
        "p = 0: the number of runs that rank the document first; all others are tied.",
        "Runs that do not list the document add nothing.",
    ),
)  # fmt: skip


def rbp_sums(candidates: TopicCandidates, values: Values) -> Floats:
    """By document: the sum of weights without the factor 1 − p."""
    return candidates.sums(np.power(float(values["p"]), candidates.rank - 1.0, dtype=np.float64))


def rbp_places(candidates: TopicCandidates, values: Values) -> Floats:
    """By document: the index of its sum among all distinct sums, ascending, from 0."""
    # Sums span many powers of ten: each is rounded on its own, not relative to the largest.
    mantissa, power = np.frexp(rbp_sums(candidates, values))
    rounded = np.ldexp(np.round(mantissa, DIGITS), power)
    return np.unique(rounded, return_inverse=True)[1].astype(float)


METHOD = score_based_method(RBP_A, rbp_places)
