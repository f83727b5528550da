"""Preferences between two documents of a topic, from any source: their counts, and as a matrix."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ClickedPair = tuple[str, str, str]
"""``(topic, better, worse)``."""


@dataclass(frozen=True, slots=True)
class PreferenceRecord:
    """``better`` was preferred to ``worse`` ``times`` times; with ``tie`` both were equal.

    ``judge`` is empty where it is not known who preferred.
    """

    topic: str
    better: str
    worse: str
    times: int = 1
    tie: bool = False
    judge: str = ""


def group_preferences(records: Iterable[PreferenceRecord]) -> dict[str, list[PreferenceRecord]]:
    """The records of each topic, topics in the order of their first record."""
    grouped: dict[str, list[PreferenceRecord]] = defaultdict(list)
    for record in records:
        grouped[record.topic].append(record)
    return dict(grouped)


def count_clicked_pairs(counts: Mapping[ClickedPair, int]) -> list[PreferenceRecord]:
    """A record per pair with its number of sessions, in the order of ``counts``."""
    return [PreferenceRecord(*pair, times) for pair, times in counts.items()]


Floats = NDArray[np.float64]
MAX_ITEMS = 1000
"""Items of a topic: the matrices are dense."""


@dataclass(frozen=True, eq=False)
class PairMatrix:
    """``wins[i, j]``: how often item i was preferred to j; ``ties[i, j]``: how often they tied
    (symmetric). ``items`` are in order of their names.
    """

    items: tuple[str, ...]
    wins: Floats
    ties: Floats

    @property
    def points(self) -> Floats:
        """Wins, and half of the ties."""
        points: Floats = self.wins + self.ties / 2
        return points

    @property
    def majority(self) -> NDArray[np.bool_]:
        """[i, j]: i was preferred to j more often than j to i."""
        majority: NDArray[np.bool_] = self.wins > self.wins.T
        return majority


def build_pair_matrix(records: Iterable[PreferenceRecord]) -> PairMatrix:
    """The matrix of the records of one topic. Raises ``ValueError`` for too many items."""
    listed = list(records)
    items = sorted({item for record in listed for item in (record.better, record.worse)})
    if len(items) > MAX_ITEMS:
        raise ValueError(f"{len(items):,} documents in a topic; the limit is {MAX_ITEMS:,}")
    place = {item: at for at, item in enumerate(items)}
    wins, ties = np.zeros((2, len(items), len(items)))
    for record in listed:
        better, worse = place[record.better], place[record.worse]
        if record.tie:
            ties[better, worse] += record.times
            ties[worse, better] += record.times
        else:
            wins[better, worse] += record.times
    return PairMatrix(tuple(items), wins, ties)
