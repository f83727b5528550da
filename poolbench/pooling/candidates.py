"""The documents that runs retrieve down to a cut-off: the input of a pooling method."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.reader import DocnoArray
from poolbench.runs.hash_order import hash_orders

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

Read = Callable[[Sequence[str]], Sequence[str]]
"""Docnos to the texts of the documents, in the same order."""

DIGITS = 12
"""Values equal to this many digits are ties: the order of addition changes the last bits."""


@dataclass(frozen=True, eq=False)
class TopicCandidates:
    """One topic. Documents are numbered 0 to n − 1, docno ascending by code point.

    An entry is a document in the ranking of a run: ``run`` (a position in ``runs``), ``doc``,
    ``rank`` (from 1, in trec_eval's order) and ``score``. Entries are sorted by run, then rank;
    ``runs`` are tags ascending. ``seed`` breaks ties and determines all randomness. ``read``
    loads the texts of these documents, and ``query`` is the topic's text, for methods that need
    texts.
    """

    topic: str
    runs: tuple[str, ...]
    docnos: DocnoArray
    run: Ints
    doc: Ints
    rank: Ints
    score: Floats
    seed: int
    read: Read | None = None
    query: str = ""

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.docnos)

    @cached_property
    def tie(self) -> Ints:
        """The seeded hash of each document, which breaks ties."""
        return hash_orders(self.seed, self.topic, self.docnos.texts(slice(None)))

    @cached_property
    def lengths(self) -> Ints:
        """By run: the number of documents it lists."""
        return np.bincount(self.run, minlength=len(self.runs))

    @cached_property
    def run_counts(self) -> Ints:
        """By document: the number of runs that list it."""
        return np.bincount(self.doc, minlength=len(self))

    @cached_property
    def min_rank(self) -> Ints:
        """By document: its best rank in any run."""
        best = np.full(len(self), np.iinfo(np.int64).max)
        np.minimum.at(best, self.doc, self.rank)
        return best

    @cached_property
    def bounds(self) -> Ints:
        """Entries of run ``r`` are ``bounds[r]:bounds[r + 1]``."""
        return np.concatenate(([0], np.cumsum(self.lengths)))

    @cached_property
    def rank_table(self) -> Ints:
        """Runs × documents: the rank, 0 where the run does not list the document."""
        table = np.zeros((len(self.runs), len(self)), np.int64)
        table[self.run, self.doc] = self.rank
        return table

    def ranking(self, run: int) -> Ints:
        """The documents of a run, best first."""
        return self.doc[self.bounds[run] : self.bounds[run + 1]]

    def sums(self, values: Floats) -> Floats:
        """By document: the sum of ``values``, one per entry."""
        return np.bincount(self.doc, weights=values, minlength=len(self)).astype(np.float64)

    def best_first(self, value: Floats) -> Ints:
        """All documents by descending ``value``; ties by seeded hash."""
        rounded = round_significant(value)
        order = np.argsort(-rounded, kind="stable")
        ranked = rounded[order]
        if len(ranked) > 1 and not (ranked[1:] != ranked[:-1]).all():
            return np.lexsort((self.tie, -rounded))
        return order

    def by_hash(self, documents: Ints) -> Ints:
        """``documents`` in seeded hash order, which is independent of ranks and runs."""
        return documents[np.argsort(self.tie[documents], kind="stable")]


def round_significant(value: Floats) -> Floats:
    """``value`` rounded to ``DIGITS`` significant digits of the largest."""
    largest = float(np.abs(value).max(initial=0))
    if not 0 < largest < np.inf:
        return value
    return np.round(value / largest, DIGITS)


@dataclass(frozen=True, eq=False)
class RunListing:
    """All topics, ascending by code point. Documents of topic ``i`` are the rows
    ``starts[i]:starts[i + 1]`` of ``docnos``, its entries ``entries[i]:entries[i + 1]`` of the
    other columns; ``doc`` counts from 0 in each topic. ``queries`` are by topic.
    ``machine_grades`` are by row, -1 where a machine gave none, for a sample that they help to
    draw.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    starts: Ints
    docnos: DocnoArray
    entries: Ints
    run: Ints
    doc: Ints
    rank: Ints
    score: Floats
    seed: int
    read: Read | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    machine_grades: Ints | None = None

    def topic(self, index: int) -> TopicCandidates:
        documents = slice(int(self.starts[index]), int(self.starts[index + 1]))
        rows = slice(int(self.entries[index]), int(self.entries[index + 1]))
        return TopicCandidates(
            topic=self.topics[index],
            runs=self.runs,
            docnos=self.docnos.take(documents),
            run=self.run[rows],
            doc=self.doc[rows],
            rank=self.rank[rows],
            score=self.score[rows],
            seed=self.seed,
            read=self.read,
            query=self.queries.get(self.topics[index], ""),
        )

    def __iter__(self) -> Iterator[TopicCandidates]:
        return (self.topic(index) for index in range(len(self.topics)))

    def __len__(self) -> int:
        """The number of topics."""
        return len(self.topics)
