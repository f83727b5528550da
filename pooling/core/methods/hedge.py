"""Hedge: runs vote on documents and lose weight for wrong votes."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Floats, Mask, TopicCandidates
from pooling.core.method import NextDocument, PoolingMethod, Values
from pooling.core.players import best_run

HEDGE = Card(
    name="hedge",
    title="Hedge",
    formula="judge argmax over documents d of Σ_r w_r · g_r(d), w_r = β^loss_r / Σ β^loss; "
    "g_r(d) = ln n − ln rank_r(d), or ln n − mean of ln i over i = L_r + 1..n where r does not "
    "list d; then loss_r += ½ g_r(d) if d is not relevant, −½ g_r(d) if it is",
    reading="Judge the document that the most trusted runs rank highest; a run gains trust by "
    "ranking relevant documents high and non-relevant ones low.",
    source="Aslam, Pavlu and Savell 2003.",
    range="0 to ln n",
    parameters=(
        Parameter(
            "beta", "From 0 to 1: lower values discount poor runs faster.", "0.1", kind="share"
        ),
    ),
    edge_cases=(
        "n is the number of the topic's candidates; L_r is the number of documents that r lists.",
        "Judgments of earlier steps count: every run's ranking of those documents is known.",
        "At β = 0 only the run with the smallest loss counts; at β = 1 nothing is learned.",
    ),
)


def hedge_gains(candidates: TopicCandidates) -> Floats:
    """Runs × documents: g_r(d)."""
    n = len(candidates)
    logs = np.log(np.arange(1, n + 1))
    below = logs.sum() - np.concatenate(([0], np.cumsum(logs)))[candidates.lengths]
    # The mean is not used for a run that lists all documents.
    mean = below / np.maximum(n - candidates.lengths, 1)
    rank = candidates.rank_table
    log_rank = np.where(rank > 0, np.log(np.maximum(rank, 1)), mean[:, None])
    return np.asarray(np.log(max(n, 1)) - log_rank)


class Hedge:
    """A player by weighted votes. Weights are stored as logarithms, which cannot underflow."""

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        self.tie = candidates.tie
        self.gains = hedge_gains(candidates)
        self.loss = np.zeros(len(candidates.runs))
        self.log_beta = np.log(max(values["beta"], np.finfo(float).tiny))

    def weights(self) -> Floats:
        """By run; their sum is 1."""
        logs = self.loss * self.log_beta
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        return NextDocument(best_run(self.weights() @ self.gains, available, self.tie))

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        self.loss += (-0.5 if relevant else 0.5) * self.gains[:, choice.doc]


METHOD = PoolingMethod(HEDGE, player=Hedge)
