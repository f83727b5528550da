"""Hedge: runs vote on documents and lose weight for wrong votes."""

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Floats, Mask, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, NextDocument, PoolingMethod, Values
from poolbench.pooling.players import playable_runs

ROUNDING = 1e-10
"""Votes of documents, and logarithms of weights, that differ by less are equal: losses of
thousands of judgments are exact to about 1e-12."""


def hedge_gains(candidates: TopicCandidates) -> Floats:
    """Runs × documents: g_r(d)."""
    n = len(candidates)
    rank = candidates.rank_table
    log_rank = np.where(rank > 0, np.log(np.maximum(rank, 1)), mean_log_rank(candidates)[:, None])
    return np.asarray(np.log(max(n, 1)) - log_rank)


def mean_log_rank(candidates: TopicCandidates) -> Floats:
    """By run: the mean of ln i over the ranks that it leaves open; ln n if it lists all."""
    n, lengths = len(candidates), candidates.lengths
    logs = np.log(np.arange(1, n + 1))
    below = logs.sum() - np.concatenate(([0], np.cumsum(logs)))[lengths]
    mean = below / np.maximum(n - lengths, 1)
    return np.asarray(np.where(lengths < n, mean, np.log(max(n, 1))))


class Hedge(AdaptivePlayer):
    """A player by weighted votes. Weights are stored as logarithms, which cannot underflow.

    A run gives all documents that it does not list the same vote. So votes are compared without
    it: only what the runs that list a document give it on top. Otherwise the vote of a run with
    nearly all the weight would round away what the others say of the documents it does not list.
    """

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        self.candidates = candidates
        self.gains = hedge_gains(candidates)
        # By entry, at least 0.
        log_rank = np.log(candidates.rank)
        self.advantage = mean_log_rank(candidates)[candidates.run] - log_rank
        self.loss = np.zeros(len(candidates.runs))
        self.log_beta = np.log(max(values["beta"], np.finfo(float).tiny))

    def log_weights(self) -> Floats:
        """By run, up to a constant."""
        return np.asarray(self.loss * self.log_beta)

    def weights(self) -> Floats:
        """By run; their sum is 1."""
        logs = self.log_weights()
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        tied, runs, logs = available.copy(), np.ones(len(self.loss), bool), self.log_weights()
        while np.count_nonzero(tied) > 1:
            runs &= playable_runs(self.candidates, tied)
            if not runs.any():
                break
            # Relative to the heaviest of these runs, whose weight is 1.
            below = logs - logs[runs].max()
            votes = self.votes(np.where(runs, np.exp(np.minimum(below, 0)), 0))
            tied &= votes >= votes[tied].max() * (1 - ROUNDING)
            # The heaviest runs cannot tell apart what is still tied.
            runs &= below < -ROUNDING
        documents = np.flatnonzero(tied)
        return NextDocument(int(documents[np.argmin(self.candidates.tie[documents])]))

    def votes(self, weights: Floats) -> Floats:
        """By document: what it gets on top of a document that no run lists."""
        return self.candidates.sums(weights[self.candidates.run] * self.advantage)

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        self.loss += (-0.5 if relevant else 0.5) * self.gains[:, choice.doc]


METHOD = PoolingMethod(
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
        (
            "At β = 0 the run with the smallest loss decides, the next one where it lists none of "
            "the documents, and so on; at β = 1 nothing is learned."
        ),
        (
            "Votes are compared by what the runs that list a document add to those that do not: "
            "however small the weight of a run, it orders the documents that heavier runs cannot "
            "tell apart."
        ),
        "Documents with equal votes are ordered by seeded hash.",
    ),
    player=Hedge,
)
