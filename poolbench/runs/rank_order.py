"""What the ranks of a run say of its scores.

They are read once, some topics at a time, so that the arrays of one step stay in the processor's
cache and the memory of a check does not grow with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Mask, Places
from poolbench.reading.reader import DocnoArray, Floats, Ints
from poolbench.runs.runs import RunRows
from poolbench.runs.tables import split_topic_ranges


@dataclass(frozen=True)
class RankedRows:
    """The rows of some topics by topic, then rank; equal ranks by score descending. By position:
    row of the file, index of the topic, rank, score.
    """

    rows: Ints
    codes: Ints
    ranks: Ints
    scores: Floats

    @property
    def same_topic(self) -> Mask:
        """Whether each row but the last has the topic of the next one."""
        same: Mask = self.codes[:-1] == self.codes[1:]
        return same

    def sort(self) -> "RankedRows":
        if (~self.same_topic | (self.ranks[:-1] < self.ranks[1:])).all():
            return self
        order = np.lexsort((-self.scores, self.ranks, self.codes))
        return RankedRows(
            self.rows[order], self.codes[order], self.ranks[order], self.scores[order]
        )

    def count_topics(self, places: Ints) -> int:
        return len(np.unique(self.codes[places]))

    def find_rises(self) -> Ints:
        """The places before a higher score of the same topic."""
        return np.flatnonzero(self.same_topic & (self.scores[:-1] < self.scores[1:]))

    def find_irregular(self) -> Ints:
        """The places of ranks that do not follow the one before, or begin otherwise than 0 or 1."""
        same_topic = self.same_topic
        irregular = np.concatenate(([False], same_topic & (np.diff(self.ranks) != 1)))
        first = np.concatenate(([True], ~same_topic))
        return np.flatnonzero(irregular | (first & (self.ranks != 0) & (self.ranks != 1)))


@dataclass(frozen=True)
class ScoreRise:
    """The first document that has a higher score than the one of the rank before: its row, topic,
    ranks and scores of both.
    """

    row: int
    topic: str
    ranks: tuple[int, int]
    scores: tuple[float, float]


@dataclass(frozen=True)
class MovedTie:
    """The first document with a tied score whose rank is not that by docno, descending: its row,
    topic and rank, and the docno that is ranked there.
    """

    row: int
    topic: str
    rank: int
    ranked: str


@dataclass
class RankOrder:
    """Topics with a rise of the score and with irregular ranks, documents and topics with moved
    ties, and the first of each in the order of topics and ranks.
    """

    risen: int = 0
    rise: ScoreRise | None = None
    irregular: int = 0
    irregular_row: int = -1
    moved: int = 0
    moved_topics: int = 0
    tie: MovedTie | None = None

    def add(self, ranked: RankedRows, topics: tuple[str, ...], docnos: DocnoArray) -> None:
        if len(places := ranked.find_rises()):
            self.risen += ranked.count_topics(places)
            self.rise = self.rise or _describe_rise(ranked, int(places[0]), topics)
        if len(places := ranked.find_irregular()):
            self.irregular += ranked.count_topics(places)
            if self.irregular_row < 0:
                self.irregular_row = int(ranked.rows[places[0]])
        if self.rise is None:  # which says more than ties
            self._add_ties(ranked, topics, docnos)

    def _add_ties(self, ranked: RankedRows, topics: tuple[str, ...], docnos: DocnoArray) -> None:
        equal = ranked.same_topic & (ranked.scores[:-1] == ranked.scores[1:])
        tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
        if not len(tied):
            return
        ids = docnos.take(ranked.rows[tied])
        group = np.cumsum(~np.append(False, equal)[tied])
        order = np.lexsort((-ids.ranks(), group))
        moved = np.flatnonzero(order != np.arange(len(order)))
        if not len(moved):
            return
        at = tied[moved[0]]
        topic = topics[ranked.codes[at]]
        first = ids[int(order[moved[0]])]
        self.tie = self.tie or MovedTie(int(ranked.rows[at]), topic, int(ranked.ranks[at]), first)
        self.moved += len(moved)
        self.moved_topics += ranked.count_topics(tied[moved])


def _describe_rise(ranked: RankedRows, at: int, topics: tuple[str, ...]) -> ScoreRise:
    both = slice(at, at + 2)
    first, second = ranked.ranks[both].tolist()
    low, high = ranked.scores[both].tolist()
    topic = topics[ranked.codes[at]]
    return ScoreRise(int(ranked.rows[at + 1]), topic, (first, second), (low, high))


def read_rank_order(rows: RunRows, ranks: Places) -> RankOrder:
    """``ranks`` are by row of the file."""
    order = RankOrder()
    for ranked in iter_ranked_rows(rows, ranks):
        order.add(ranked, rows.grouped.topics, rows.docnos)
    return order


def iter_ranked_rows(rows: RunRows, ranks: Places) -> Iterator[RankedRows]:
    grouped = rows.grouped
    for first, end in split_topic_ranges(grouped.starts, BLOCK):
        listed = grouped.rows(first, end)
        codes = np.repeat(np.arange(first, end), np.diff(grouped.starts[first : end + 1]))
        numbers = listed if isinstance(listed, np.ndarray) else np.arange(listed.start, listed.stop)
        own = ranks[listed].astype(np.int64)
        yield RankedRows(numbers, codes, own, rows.scores[listed]).sort()
