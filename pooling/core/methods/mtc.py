"""MTC: the document that says most about which of the runs is better in average precision."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Floats, Ints, Mask, TopicCandidates
from pooling.core.method import NextDocument, PoolingMethod, Values
from pooling.core.players import best_run

UNKNOWN = 0.5
"""The probability that a document nobody has judged is relevant."""

MTC = Card(
    name="mtc",
    title="MTC (minimal test collections)",
    formula="a_ij = 1 / max(rank_r(i), rank_r(j)), 0 if r does not list both; "
    "f_r(i) = a_ii + Σ a_ij over j judged relevant; g_r(i) = a_ii + Σ a_ij over j ≠ i not judged "
    "non-relevant; judge argmax over documents i of "
    "max(√Σ (f_r(i) − f_s(i))², √Σ (g_r(i) − g_s(i))²), sums over pairs of runs r, s",
    reading="Judge the document whose relevance, or lack of it, would move the differences "
    "between the runs' average precisions most.",
    source="Carterette, Allan and Sitaraman 2006, told from memory of the paper.",
    range="0 to ∞",
    parameters=(
        Parameter(
            "alpha",
            "The step ends once P(ΔAP < 0) is outside α to 1 − α for every pair of runs. "
            "0: it goes on.",
            "0",
            kind="share",
        ),
    ),
    edge_cases=(
        (
            "For two runs the weights are those of the paper, |f_1 − f_2| and |g_1 − g_2|. The sum "
            "over pairs for more runs is our extension."
        ),
        (
            "P takes each unjudged document as relevant with probability 1/2, independently, and "
            "ΔAP as normal. A pair whose difference is certain is settled."
        ),
        "Each topic is settled for itself; the paper looks at the mean over topics.",
        "Judgments of earlier steps count as any other.",
    ),
)


class MinimalTestCollection:
    """A player by weights. ``f`` and ``g`` have a value for each entry of the runs' lists; where a
    run does not list a document they are 0.
    """

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        self.candidates = candidates
        self.alpha = values["alpha"]
        self.own = 1 / candidates.rank
        self.f = self.own.copy()
        self.g = 1 + reciprocal_sums_after(candidates)
        self.chance = np.full(len(candidates), UNKNOWN)
        self.sure: bool | None = None

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        return NextDocument(best_run(self.weights(), available, self.candidates.tie))

    def weights(self) -> Floats:
        """By document."""
        return np.sqrt(np.maximum(self.apart(self.f), self.apart(self.g)))

    def apart(self, value: Floats) -> Floats:
        """By document: the sum over all pairs of runs of their squared difference in ``value``."""
        # It is R Σ (value − mean)²; runs that do not list the document differ by the mean.
        runs, listed, doc = len(self.candidates.runs), self.candidates.listed, self.candidates.doc
        mean = self.candidates.sums(value) / runs
        squares = self.candidates.sums((value - mean[doc]) ** 2)
        return runs * (squares + (runs - listed) * mean**2)

    def judged(self, choice: NextDocument, relevant: bool) -> None:
        self.chance[choice.doc] = relevant
        self.sure = None
        candidates = self.candidates
        rank = candidates.rank_of[candidates.run, choice.doc]
        others = (rank > 0) & (candidates.doc != choice.doc)
        shared = 1 / np.maximum(candidates.rank[others], rank[others])
        if relevant:
            self.f[others] += shared
        else:
            self.g[others] -= shared

    def settled(self) -> bool:
        """Whether it is sure enough which of any two runs is better."""
        if self.sure is None:
            self.sure = self.alpha > 0 and self.are_sure()
        return self.sure

    def are_sure(self) -> bool:
        """The same, worked anew."""
        likely = (self.f + self.g) / 2
        found = self.chance[self.candidates.doc] * (self.own + likely) / 2
        mean = np.bincount(self.candidates.run, found, minlength=len(self.candidates.runs))
        order = np.argsort(mean, kind="stable").tolist()
        # Neighbours are the least sure, and one such pair is enough.
        gaps = range(1, len(order))
        pairs = ((order[at], order[at + gap]) for gap in gaps for at in range(len(order) - gap))
        return all(self.is_sure(mean[s] - mean[r], likely, r, s) for r, s in pairs)

    def is_sure(self, mean: float, likely: Floats, r: int, s: int) -> bool:
        """Whether P(ΔAP < 0) of runs ``r`` and ``s``, ``mean`` on average, is outside α to 1 − α;
        ``likely``, one an entry, is how much each document would add to the AP of a run.
        """
        unknown = self.unknown(r, s)
        moves = self.of_run(r, likely)[unknown] - self.of_run(s, likely)[unknown]
        ranks = self.candidates.rank_of
        both = pair_weights(ranks[r, unknown]) - pair_weights(ranks[s, unknown])
        variance = float((moves**2).sum() / 4 + (np.triu(both, 1) ** 2).sum() / 16)
        if not variance:
            return True
        return NormalDist().cdf(-abs(mean) / variance**0.5) < float(self.alpha)

    def unknown(self, r: int, s: int) -> Ints:
        """What either run lists and nobody has judged."""
        either = (self.candidates.rank_of[[r, s]] > 0).any(axis=0)
        return np.flatnonzero(either & (self.chance == UNKNOWN))

    def of_run(self, run: int, value: Floats) -> Floats:
        """By document: the ``value`` of its entry in ``run``, else 0."""
        entries = slice(self.candidates.bounds[run], self.candidates.bounds[run + 1])
        found = np.zeros(len(self.candidates))
        found[self.candidates.doc[entries]] = value[entries]
        return found


def reciprocal_sums_after(candidates: TopicCandidates) -> Floats:
    """By entry: Σ 1 / i over the ranks i of its run after its own."""
    sums = np.concatenate(([0], np.cumsum(1 / np.arange(1, len(candidates) + 1))))
    return np.asarray(sums[candidates.lengths[candidates.run]] - sums[candidates.rank])


def pair_weights(rank: Ints) -> Floats:
    """Documents × documents of one run: a_ij."""
    found = np.where(rank > 0, rank, np.inf)
    return np.asarray(1 / np.maximum.outer(found, found))


METHOD = PoolingMethod(MTC, player=MinimalTestCollection)
