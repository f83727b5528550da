"""The judgments that runs are scored against."""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.options import gains_for_grades
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.qrels import write_qrels
from poolbench.runs.residual import remove_judged_pairs
from poolbench.runs.sampled_qrels import SampledQrels, number_strata, write_prels, write_strata
from poolbench.runs.tables import QrelsTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JudgmentTable:
    """Judgments by topic: ``grades[starts[i]:starts[i + 1]]`` are those of ``topics[i]``.

    A *listed* document has a line in the qrels, whatever its grade (-1 is pooled and unjudged).
    ``digest`` is the hex SHA-256 of the qrels; ``index`` finds a run's documents if rows are
    given as docnos.

    Judgments of a sampled pool have two more arrays, by judgment: ``strata``, the number of its
    stratum (counted across topics), and ``inclusion``, its inclusion probability, NaN outside
    the sample. Both are None if unknown.
    """

    topics: tuple[str, ...]
    starts: Ints
    grades: NDArray[np.int32]
    digest: str = ""
    index: PairIndex | None = field(default=None, repr=False)
    strata: Ints | None = field(default=None, repr=False)
    inclusion: Floats | None = field(default=None, repr=False)

    @classmethod
    def from_table(cls, qrels: QrelsTable) -> "JudgmentTable":
        """The judgments of a qrels table, in its order."""
        index = PairIndex.from_table(qrels)
        return cls(tuple(qrels.topics), qrels.starts, qrels.grades, hash_qrels(qrels), index)

    @classmethod
    def from_sampled(cls, sampled: SampledQrels) -> "JudgmentTable":
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
    ) -> "JudgmentTable":
        """Judgments without docnos, for rows given as indices in ``grades``."""
        return cls(tuple(topics), starts, grades, digest)

    @cached_property
    def topic_index(self) -> Ints:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def count(self, mask: Mask) -> Ints:
        """Number of judgments of each topic in ``mask``; shape (topics,)."""
        return np.bincount(self.topic_index[mask], minlength=len(self.topics))

    def counts_at(self, level: int) -> tuple[Ints, Ints]:
        """R and N of each topic: the number of grades at or above ``level``, and from 0 to below
        it.

        Cached by level, since all runs of a campaign need the same counts.
        """
        if level not in self._counts:
            relevant = self.grades >= level
            nonrelevant = (self.grades >= 0) & ~relevant
            self._counts[level] = self.count(relevant), self.count(nonrelevant)
        return self._counts[level]

    def best_first(self, gains: Floats) -> tuple[Ints, Ints]:
        """``(order, ranks)`` of the ideal ranking: judgments by topic and descending gain."""
        order = np.lexsort((-gains, self.topic_index))
        return order, np.arange(1, len(order) + 1) - self.starts[self.topic_index]

    def falling_gains(self, table: Mapping[int, float] | None) -> tuple[Floats, Ints, Ints]:
        """Gains of the ideal ranking of each topic, their topics and their ranks from 1.

        Cached by gain table.
        """
        key = tuple(sorted((table or {}).items()))
        if key not in self._ideals:
            gains = gains_for_grades(self.grades, table)
            order, ranks = self.best_first(gains)
            self._ideals[key] = gains[order], self.topic_index, ranks
        return self._ideals[key]

    @cached_property
    def ideal_gains(self) -> dict[Hashable, Floats]:
        """The gain of the ideal ranking of each topic, by all that it depends on: filled by
        measures, since all runs of a campaign need the same.
        """
        return {}

    @cached_property
    def _counts(self) -> dict[int, tuple[Ints, Ints]]:
        return {}

    @cached_property
    def _ideals(self) -> dict[tuple[tuple[int, float], ...], tuple[Floats, Ints, Ints]]:
        return {}


def hash_qrels(qrels: QrelsTable) -> str:
    """Hex SHA-256 of the four columns as they are written."""
    return hashlib.sha256(write_qrels(qrels)).hexdigest()


def remove_judgments(judged: JudgmentTable, before: QrelsTable) -> JudgmentTable:
    """``judged`` without what ``before`` has judged. Raises ``ValueError`` for a sample, whose
    strata would no longer have their sizes.
    """
    if judged.strata is not None or judged.inclusion is not None:
        raise ValueError("a sample of judgments has no residual: its strata would lose documents")
    if judged.index is None:
        raise ValueError("judgments created from arrays have no docnos to remove by")
    table = QrelsTable(judged.topics, judged.starts, judged.index.docnos, judged.grades)
    return JudgmentTable.from_table(remove_judged_pairs(table, before))
