"""The judgments that runs are scored against."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.core.pair_index import PairIndex
from campaigns.core.qrels import write_qrels
from campaigns.core.sampled_qrels import (
    SampledQrels,
    number_strata,
    write_prels,
    write_strata,
)
from campaigns.core.tables import QrelsTable
from evaluation.core.options import gains_for_grades

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Judged:
    """Judgments by topic: ``grades[starts[i]:starts[i + 1]]`` are those of ``topics[i]``.

    A *listed* document is one with a line in the qrels, whatever its grade (-1 is pooled
    and not judged). ``digest`` is the hex sha256 of the qrels; ``index`` finds a run's
    documents where rows come as docnos.

    Judgments of a sampled pool have more by judgment: ``strata``, the number of its stratum
    (counted across topics), and ``inclusion``, the probability with which it came into the
    sample, NaN outside of it. Both are None where they are not known.
    """

    topics: tuple[str, ...]
    starts: Ints
    grades: NDArray[np.int32]
    digest: str = ""
    index: PairIndex | None = field(default=None, repr=False)
    strata: Ints | None = field(default=None, repr=False)
    inclusion: Floats | None = field(default=None, repr=False)

    @classmethod
    def from_table(cls, qrels: QrelsTable) -> Judged:
        """The judgments of a qrels table, in its order."""
        digest = hashlib.sha256(write_qrels(qrels)).hexdigest()
        index = PairIndex.from_table(qrels)
        return cls(tuple(qrels.topics), qrels.starts, qrels.grades, digest, index)

    @classmethod
    def from_sampled(cls, sampled: SampledQrels) -> Judged:
        """The judgments of a sampled pool, in the order of its qrels."""
        known = sampled.strata is not None
        written = write_strata(sampled) if known else write_prels(sampled)
        return replace(
            cls.from_table(sampled.qrels),
            digest=hashlib.sha256(written).hexdigest(),
            strata=number_strata(sampled.qrels, sampled.strata or ()) if known else None,
            inclusion=sampled.inclusion,
        )

    @classmethod
    def from_arrays(
        cls, topics: Sequence[str], starts: Ints, grades: NDArray[np.int32], digest: str = ""
    ) -> Judged:
        """Judgments without docnos, for rows that come as places in ``grades``."""
        return cls(tuple(topics), starts, grades, digest)

    @cached_property
    def topic_of(self) -> Ints:
        """The topic index of each judgment."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def count(self, mask: Mask) -> Ints:
        """How many judgments of each topic are in ``mask``; shape (topics,)."""
        return np.bincount(self.topic_of[mask], minlength=len(self.topics))

    def counts_at(self, level: int) -> tuple[Ints, Ints]:
        """R and N of each topic: judgments of grade ``level`` or above, and from 0 below it.

        Kept by level, since every run of a campaign asks for the same.
        """
        if level not in self._counts:
            relevant = self.grades >= level
            nonrelevant = (self.grades >= 0) & ~relevant
            self._counts[level] = self.count(relevant), self.count(nonrelevant)
        return self._counts[level]

    def best_first(self, gains: Floats) -> tuple[Ints, Ints]:
        """``(order, ranks)`` of the ideal ranking: judgments by topic and falling gain."""
        order = np.lexsort((-gains, self.topic_of))
        return order, np.arange(1, len(order) + 1) - self.starts[self.topic_of]

    def falling_gains(self, table: Mapping[int, float] | None) -> tuple[Floats, Ints, Ints]:
        """Gains of the ideal ranking of each topic, their topics and their ranks from 1.

        Kept by gain table.
        """
        key = tuple(sorted((table or {}).items()))
        if key not in self._ideals:
            gains = gains_for_grades(self.grades, table)
            order, ranks = self.best_first(gains)
            self._ideals[key] = gains[order], self.topic_of, ranks
        return self._ideals[key]

    @cached_property
    def _counts(self) -> dict[int, tuple[Ints, Ints]]:
        return {}

    @cached_property
    def _ideals(self) -> dict[tuple[tuple[int, float], ...], tuple[Floats, Ints, Ints]]:
        return {}
