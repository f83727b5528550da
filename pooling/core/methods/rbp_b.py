"""RBP-B: documents by what they take off the residuals of all runs, one after the other."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import DIGITS, Floats, Ints, Mask, TopicCandidates
from pooling.core.method import PoolingMethod, Values

RBP_B = Card(
    name="rbp_b",
    title="RBP-B (geometric ranks, residuals)",
    formula="repeat: argmax over d of Σ over runs r that list d of w_r(d) · resid_r, where "
    "w_r(d) = (1 − p) p^(rank_r(d) − 1) and resid_r = 1 − Σ of w_r over what is pooled already",
    reading="Like method A, but a run of which much is known already counts less, so that all "
    "runs come to be known about equally well.",
    source="Moffat, Webber and Zobel 2007, method B.",
    range="0 to the number of runs",
    parameters=(
        Parameter("p", "Patience: the share of readers who go on to the next rank.", "0.8",
                  kind="share"),
    ),
    edge_cases=(
        "It needs no judgments: a residual depends on which documents are judged, not on grades.",
        "What earlier steps of the spec have pooled is known before its first document.",
        "The factor 1 − p of w_r(d) changes no order and is left out, so that p = 1 is `pp`.",
        "p = 0: documents that some run ranks first, by how many do; all others are equal.",
    ),
)  # fmt: skip


class RbpResiduals:
    """What is not known yet of each run, as a share of its RBP."""

    def __init__(self, candidates: TopicCandidates, p: float, known: Mask) -> None:
        # Sums of what is left: 1 − Σ of what was taken would lose the digits of small ones.
        self.left = np.zeros((len(candidates.runs), int(candidates.lengths.max())))
        self.left[candidates.run, candidates.rank - 1] = (1 - p) * p ** (candidates.rank - 1.0)
        # At once: many entries are of one run, and ``take`` copies a row for each.
        self.left[candidates.run[known], candidates.rank[known] - 1] = 0
        self.unlisted = p ** candidates.lengths.astype(float)
        self.of_run = self.unlisted + self.left.sum(axis=1)

    def take(self, run: Ints, rank: Ints) -> None:
        """The document at ``rank`` of each ``run``, all of them others, is known now."""
        self.left[run, rank - 1] = 0
        self.of_run[run] = self.unlisted[run] + self.left[run].sum(axis=1)


def rbp_b_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:
    """What is open, in the order in which it is taken."""
    p = float(values["p"])
    wanted = available[candidates.doc]
    residuals = RbpResiduals(candidates, p, ~wanted)
    by_doc = np.argsort(candidates.doc, kind="stable")
    owns = np.split(by_doc, np.cumsum(candidates.listed)[:-1])
    run, doc = candidates.run[wanted], candidates.doc[wanted]
    weight = p ** (candidates.rank[wanted] - 1.0)
    taken = np.zeros(len(candidates))
    taken[~available] = np.inf
    order = np.empty(np.count_nonzero(available), np.int64)
    alive = len(doc)
    for at in range(len(order)):
        score = np.bincount(doc, weight * residuals.of_run[run], len(available)) - taken
        best = order[at] = find_highest(score, candidates.tie)
        taken[best] = np.inf
        residuals.take(candidates.run[owns[best]], candidates.rank[owns[best]])
        alive -= len(owns[best])
        if 2 * alive < len(doc):
            kept = taken[doc] == 0
            run, doc, weight = run[kept], doc[kept], weight[kept]
    return order


def find_highest(score: Floats, tie: Ints) -> int:
    """The place of the highest of ``score``; of equal ones the first by ``tie``."""
    equal = np.flatnonzero(score >= score.max() * (1 - 10.0**-DIGITS))
    return int(equal[np.argmin(tie[equal])])


METHOD = PoolingMethod(RBP_B, order=rbp_b_order)
