"""MTC: the document that says most about which run has the higher average precision."""

from statistics import NormalDist

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Floats, Ints, Mask, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, NextDocument, PoolingMethod, Values
from poolbench.pooling.players import best_run

UNKNOWN = 0.5
"""The probability that an unjudged document is relevant."""
ROUNDING = 1e-24
"""A smaller variance is rounding: differences of reciprocal ranks are far larger."""


class MinimalTestCollection(AdaptivePlayer):
    """A player by weights. ``f`` and ``g`` have a value per entry of the runs; where a run does
    not list a document they are 0.
    """

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        self.candidates = candidates
        self.alpha = values["alpha"]
        self.own = 1 / candidates.rank
        self.f = self.own.copy()
        self.g = 1 + reciprocal_sums_after(candidates)
        self.chance = np.full(len(candidates), UNKNOWN)
        self.finished: bool | None = None

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        return NextDocument(best_run(self.weights(), available, self.candidates.tie))

    def weights(self) -> Floats:
        """By document."""
        return np.sqrt(np.maximum(self.pairwise_spread(self.f), self.pairwise_spread(self.g)))

    def pairwise_spread(self, value: Floats) -> Floats:
        """By document: the sum over all run pairs of their squared difference in ``value``."""
        # Equal to R Σ (value − mean)²; runs that do not list the document differ by the mean.
        runs, doc = len(self.candidates.runs), self.candidates.doc
        run_counts = self.candidates.run_counts
        mean = self.candidates.sums(value) / runs
        squares = self.candidates.sums((value - mean[doc]) ** 2)
        spread = runs * (squares + (runs - run_counts) * mean**2)
        # Documents that change nothing are tied, and no remainder of a subtraction parts them.
        return np.where(spread < ROUNDING, 0, spread)

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        self.chance[choice.doc] = relevant
        self.finished = None
        candidates = self.candidates
        rank = candidates.rank_table[candidates.run, choice.doc]
        others = (rank > 0) & (candidates.doc != choice.doc)
        shared = 1 / np.maximum(candidates.rank[others], rank[others])
        if relevant:
            self.f[others] += shared
        else:
            self.g[others] -= shared

    def is_finished(self) -> bool:
        """Whether the better run of every pair is known with confidence 1 − α."""
        if self.finished is None:
            self.finished = self.alpha > 0 and self.are_all_pairs_certain()
        return self.finished

    def are_all_pairs_certain(self) -> bool:
        """The same, recomputed."""
        likely = (self.f + self.g) / 2
        expected = self.chance[self.candidates.doc] * (self.own + likely) / 2
        mean = np.bincount(self.candidates.run, expected, minlength=len(self.candidates.runs))
        order = np.argsort(mean, kind="stable").tolist()
        # Neighbors are the least certain, and one uncertain pair is enough.
        gaps = range(1, len(order))
        pairs = ((order[at], order[at + gap]) for gap in gaps for at in range(len(order) - gap))
        return all(self.is_pair_certain(mean[s] - mean[r], likely, r, s) for r, s in pairs)

    def is_pair_certain(self, mean: float, likely: Floats, r: int, s: int) -> bool:
        """Whether P(ΔAP < 0) of runs ``r`` and ``s``, with mean ``mean``, is outside α to 1 − α;
        ``likely``, one per entry, is how much each document would add to the AP of its run.
        """
        unknown = self.unjudged_documents(r, s)
        moves = self.values_in_run(r, likely)[unknown] - self.values_in_run(s, likely)[unknown]
        ranks = self.candidates.rank_table
        both = pair_weights(ranks[r, unknown]) - pair_weights(ranks[s, unknown])
        variance = float((moves**2).sum() / 4 + (np.triu(both, 1) ** 2).sum() / 16)
        if variance < ROUNDING:
            return True
        return NormalDist().cdf(-abs(mean) / variance**0.5) < float(self.alpha)

    def unjudged_documents(self, r: int, s: int) -> Ints:
        """The unjudged documents that either run lists."""
        either = (self.candidates.rank_table[[r, s]] > 0).any(axis=0)
        return np.flatnonzero(either & (self.chance == UNKNOWN))

    def values_in_run(self, run: int, value: Floats) -> Floats:
        """By document: the ``value`` of its entry in ``run``, or 0."""
        entries = slice(self.candidates.bounds[run], self.candidates.bounds[run + 1])
        by_doc = np.zeros(len(self.candidates))
        by_doc[self.candidates.doc[entries]] = value[entries]
        return by_doc


def reciprocal_sums_after(candidates: TopicCandidates) -> Floats:
    """By entry: Σ 1 / i over the later ranks i of its run."""
    sums = np.concatenate(([0], np.cumsum(1 / np.arange(1, len(candidates) + 1))))
    return np.asarray(sums[candidates.lengths[candidates.run]] - sums[candidates.rank])


def pair_weights(rank: Ints) -> Floats:
    """Documents × documents of one run: a_ij."""
    rank_or_inf = np.where(rank > 0, rank, np.inf)
    return np.asarray(1 / np.maximum.outer(rank_or_inf, rank_or_inf))


METHOD = PoolingMethod(
    name="mtc",
    title="MTC (minimal test collections)",
    formula="a_ij = 1 / max(rank_r(i), rank_r(j)), 0 if r does not list both; "
    "f_r(i) = a_ii + Σ a_ij over j judged relevant; g_r(i) = a_ii + Σ a_ij over j ≠ i not judged "
    "non-relevant; judge argmax over documents i of "
    "max(√Σ (f_r(i) − f_s(i))², √Σ (g_r(i) − g_s(i))²), sums over run pairs r, s",
    reading="Judge the document whose judgment, relevant or not, would change the differences in "
    "average precision between the runs most.",
    source="Carterette, Allan and Sitaraman 2006, from memory of the paper.",
    range="0 to ∞",
    parameters=(
        Parameter(
            "alpha",
            "The step ends once P(ΔAP < 0) is outside α to 1 − α for every run pair. "
            "0: no early end.",
            "0",
            kind="share",
        ),
    ),
    edge_cases=(
        (
            "For two runs the weights are those of the paper, |f_1 − f_2| and |g_1 − g_2|. The sum "
            "over run pairs for more runs is our extension."
        ),
        (
            "P treats each unjudged document as relevant with probability 1/2, independently, and "
            "ΔAP as normally distributed. A run pair whose difference is certain is decided."
        ),
        "Each topic is decided on its own; the paper uses the mean over topics.",
        "Judgments of earlier steps count like any other.",
    ),
    player=MinimalTestCollection,
)
