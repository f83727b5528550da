"""RBP-B: documents one by one, by how much they reduce the residuals of all runs."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import DIGITS, Floats, Ints, Mask, TopicCandidates
from pooling.core.method import PoolingMethod, Values

RBP_B = Card(
    name="rbp_b",
    title="RBP-B (geometric ranks, residuals)",
    formula="repeat: argmax over d of Σ over runs r that list d of w_r(d) · resid_r, where "
    "w_r(d) = (1 − p) p^(rank_r(d) − 1) and resid_r = 1 − Σ of w_r over documents pooled so far",
    reading="Like method A, but runs with a small residual count less, so that the residuals of "
    "all runs fall about evenly.",
    source="Moffat, Webber and Zobel 2007, method B.",
    range="0 to the number of runs",
    parameters=(
        Parameter("p", "Persistence: the share of users who go on to the next rank.", "0.8",
                  kind="share"),
    ),
    edge_cases=(
        "Needs no judgments: residuals depend on which documents are pooled, not on grades.",
        "Documents pooled by earlier steps reduce the residuals from the start.",
        "The factor 1 − p of w_r(d) does not affect the order and is omitted: p = 1 is `pp`.",
        "p = 0: the number of runs that rank the document first; all others are tied.",
    ),
)  # fmt: skip


class RbpResiduals:
    """The residual of each run, as a share of its RBP."""

    def __init__(self, candidates: TopicCandidates, p: float, pooled: Mask) -> None:
        # Sums of remaining weights: 1 − Σ of pooled weights would lose the digits of small ones.
        self.left = np.zeros((len(candidates.runs), int(candidates.lengths.max())))
        self.left[candidates.run, candidates.rank - 1] = (1 - p) * p ** (candidates.rank - 1.0)
        # All at once: ``take`` would copy a row per entry.
        self.left[candidates.run[pooled], candidates.rank[pooled] - 1] = 0
        self.unlisted = p ** candidates.lengths.astype(float)
        self.of_run = self.unlisted + self.left.sum(axis=1)

    def take(self, run: Ints, rank: Ints) -> None:
        """Pool the document at ``rank`` of each ``run``; the runs are distinct."""
        self.left[run, rank - 1] = 0
        self.of_run[run] = self.unlisted[run] + self.left[run].sum(axis=1)


def rbp_b_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:
    """The available documents in the order in which they are pooled."""
    p = float(values["p"])
    is_available = available[candidates.doc]
    residuals = RbpResiduals(candidates, p, ~is_available)
    by_doc = np.argsort(candidates.doc, kind="stable")
    owns = np.split(by_doc, np.cumsum(candidates.run_counts)[:-1])
    run, doc = candidates.run[is_available], candidates.doc[is_available]
    weight = p ** (candidates.rank[is_available] - 1.0)
    removed = np.zeros(len(candidates))
    removed[~available] = np.inf
    order = np.empty(np.count_nonzero(available), np.int64)
    alive = len(doc)
    for at in range(len(order)):
        score = np.bincount(doc, weight * residuals.of_run[run], len(available)) - removed
        best = order[at] = find_highest(score, candidates.tie)
        removed[best] = np.inf
        residuals.take(candidates.run[owns[best]], candidates.rank[owns[best]])
        alive -= len(owns[best])
        if 2 * alive < len(doc):
            active = removed[doc] == 0
            run, doc, weight = run[active], doc[active], weight[active]
    return order


def find_highest(score: Floats, tie: Ints) -> int:
    """The index of the highest ``score``; ties by the lowest ``tie``."""
    equal = np.flatnonzero(score >= score.max() * (1 - 10.0**-DIGITS))
    return int(equal[np.argmin(tie[equal])])


METHOD = PoolingMethod(RBP_B, order=rbp_b_order)
