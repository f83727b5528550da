"""Grades of assessors × pairs, from which agreement coefficients are computed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.runs.tables import QrelsTable

MISSING = np.int32(-(2**31))
"""Marks a pair that an assessor did not judge."""

Pair = tuple[str, str]
Key = tuple[str, Pair]
"""Assessor and pair."""


@dataclass(frozen=True, eq=False)
class LabelTable:
    """``grades`` is assessors × pairs, ``MISSING`` where not judged; a pair is (topic, docno).

    ``scale`` has the grades in ascending order; by default the grades that occur (0 if none).
    ``third`` (the shape of ``grades``) marks third judgments, which exist only where the planned
    ones differ; None if there are none. ``left_out`` third judgments were removed.
    """

    assessors: tuple[str, ...]
    pairs: tuple[Pair, ...]
    grades: NDArray[np.int32]
    scale: tuple[int, ...] = ()
    third: NDArray[np.bool_] | None = None
    left_out: int = 0

    def __post_init__(self) -> None:
        seen = tuple(int(g) for g in np.unique(self.grades) if g != MISSING)
        if not self.scale:
            object.__setattr__(self, "scale", seen or (0,))
        elif not set(seen) <= set(self.scale):
            raise ValueError(f"grades {sorted(set(seen) - set(self.scale))} are not on the scale")

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self.grades != MISSING
        return mask

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """Grades as positions on the scale; ``len(scale)`` where not judged."""
        positions = np.full(self.grades.shape, len(self.scale), np.int64)
        for at, grade in enumerate(self.scale):
            positions[self.grades == grade] = at
        return positions

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics of the pairs, in order of first appearance."""
        return tuple(dict.fromkeys(topic for topic, _ in self.pairs))

    @cached_property
    def topic_indices(self) -> NDArray[np.int64]:
        """For each pair, the index of its topic in ``topics``."""
        place = {topic: at for at, topic in enumerate(self.topics)}
        return np.array([place[topic] for topic, _ in self.pairs], np.int64)

    def select_assessors(self, *rows: int) -> "LabelTable":
        """The assessors at ``rows``, with the same pairs and scale."""
        return self._select(list(rows), slice(None))

    def within(self, topic: str) -> "LabelTable":
        """The pairs of one topic, for all assessors."""
        columns = [at for at, (number, _) in enumerate(self.pairs) if number == topic]
        return self._select(slice(None), columns)

    def _select(self, rows: slice | list[int], columns: slice | list[int]) -> "LabelTable":
        names, pairs = np.array(self.assessors, object), np.empty(len(self.pairs), object)
        pairs[:] = self.pairs
        return LabelTable(
            tuple(names[rows]),
            tuple(pairs[columns]),
            self.grades[rows][:, columns],
            self.scale,
            None if self.third is None else self.third[rows][:, columns],
            self.left_out,
        )

    @property
    def thirds(self) -> int:
        """The number of third judgments in the table."""
        return 0 if self.third is None else int(np.count_nonzero(self.third))

    def without_third(self) -> "LabelTable":
        """Without third judgments, and without assessors and pairs that have no others."""
        if self.third is None or not self.thirds:
            return self
        first = LabelTable(
            self.assessors,
            self.pairs,
            np.where(self.third, MISSING, self.grades),
            self.scale,
            left_out=self.left_out + self.thirds,
        )
        rows, columns = (np.flatnonzero(first.judged.any(axis=axis)).tolist() for axis in (1, 0))
        return first._select(rows, columns)

    def combine_with(self, other: "LabelTable") -> "LabelTable":
        """The assessors of both tables over the pairs of either, on the joint scale."""
        pairs = tuple(dict.fromkeys((*self.pairs, *other.pairs)))
        place = {pair: at for at, pair in enumerate(pairs)}
        grades = np.full((len(self.assessors) + len(other.assessors), len(pairs)), MISSING)
        grades[: len(self.assessors), : len(self.pairs)] = self.grades
        grades[len(self.assessors) :, [place[pair] for pair in other.pairs]] = other.grades
        scale = tuple(sorted({*self.scale, *other.scale}))
        return LabelTable((*self.assessors, *other.assessors), pairs, grades, scale)

    def binary(self, level: int) -> "LabelTable":
        """Grade 1 where the grade is at least ``level``, else 0."""
        grades = np.where(self.judged, self.grades >= level, MISSING).astype(np.int32)
        return replace(self, grades=grades, scale=(0, 1))


def labels_from_qrels(qrels: Mapping[str, QrelsTable]) -> LabelTable:
    """Labels from one qrels per assessor; grades below 0 mean "not judged" and are excluded."""
    by_assessor = [graded_pairs(table) for table in qrels.values()]
    pairs = sorted(set().union(*by_assessor)) if by_assessor else []
    place = {pair: index for index, pair in enumerate(pairs)}
    grades = np.full((len(by_assessor), len(pairs)), MISSING, np.int32)
    for row, by_pair in enumerate(by_assessor):
        columns = [place[pair] for pair in by_pair]
        grades[row, columns] = list(by_pair.values())
    return LabelTable(tuple(qrels), tuple(pairs), grades)


def graded_pairs(table: QrelsTable) -> dict[Pair, int]:
    """The grade of each pair of ``table``, without those below 0."""
    return {pair: grade for pair, grade in table.by_pair().items() if grade >= 0}


def build_labels(
    grades: Mapping[Key, int], scale: tuple[int, ...] = (), third: Collection[Key] = ()
) -> LabelTable:
    """Labels with sorted assessors and pairs; ``third`` are the keys of third judgments."""
    names = tuple(sorted({name for name, _ in grades}))
    pairs = tuple(sorted({pair for _, pair in grades}))
    row = {name: at for at, name in enumerate(names)}
    column = {pair: at for at, pair in enumerate(pairs)}
    table = np.full((len(names), len(pairs)), MISSING, np.int32)
    for (name, pair), grade in grades.items():
        table[row[name], column[pair]] = grade
    mask = np.zeros(table.shape, np.bool_)
    for name, pair in third:
        mask[row[name], column[pair]] = True
    return LabelTable(names, pairs, table, scale, mask if third else None)
