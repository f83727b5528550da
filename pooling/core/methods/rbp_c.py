"""RBP-C: documents by what they may still add to runs that score well."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Floats, Mask, TopicCandidates
from pooling.core.method import NextDocument, PoolingMethod, Values
from pooling.core.methods.rbp_b import RbpResiduals
from pooling.core.players import best_run

RBP_C = Card(
    name="rbp_c",
    title="RBP-C",
    formula="judge argmax over documents d of Σ_r w_r(d) · resid_r · (base_r + resid_r / 2)³, "
    "w_r(d) = (1 − p) p^(rank_r(d) − 1); base_r = Σ w_r of relevant documents, "
    "resid_r = 1 − Σ w_r of judged documents",
    reading="Judge the document that weighs most in the rank-biased precision of runs that score "
    "well and have a large residual.",
    source="Moffat, Webber and Zobel 2007.",
    range="0 to the number of runs",
    parameters=(Parameter("p", "Persistence, from 0 to 1.", "0.8", kind="share"),),
    edge_cases=(
        "Documents that a run does not list have no weight in it; residuals include deeper ranks.",
        "At p = 1 all weights are 0 and documents are ordered by seeded hash.",
        "Residuals are sums of the weights left, so that small ones keep their digits.",
        "Judgments of earlier steps count like any other.",
    ),
)


class RbpC:
    """A player by weight × residual × (midpoint of the score)³."""

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        p = values["p"]
        self.candidates = candidates
        self.weight = (1 - p) * p ** (candidates.rank - 1.0)
        self.base = np.zeros(len(candidates.runs))
        self.residuals = RbpResiduals(candidates, p, np.zeros(len(candidates.rank), bool))
        self.residual = self.residuals.of_run  # changed in place

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        return NextDocument(best_run(self.values(), available, self.candidates.tie))

    def values(self) -> Floats:
        """By document."""
        factor = self.residual * (self.base + self.residual / 2) ** 3
        return self.candidates.sums(self.weight * factor[self.candidates.run])

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        entries = np.flatnonzero(self.candidates.doc == choice.doc)
        runs = self.candidates.run[entries]
        self.residuals.take(runs, self.candidates.rank[entries])
        self.base[runs] += relevant * self.weight[entries]


METHOD = PoolingMethod(RBP_C, player=RbpC)
