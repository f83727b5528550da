"""Which run contributed which document to the pool, and at which rank."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.judgments import Ints, Mask
from poolbench.pooling.candidates import RunListing
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.tables import QrelsTable, group_starts, split_topic_ranges

Codes = NDArray[np.int32]
AT_ONCE = 1 << 18
"""Entries that are put in order at once: some 15 MB."""

MAX_INFERRED_DEPTH = 100
"""The largest pool depth that is inferred from the judgments."""
SHARE = 0.9
"""The share of new documents at a depth that must be judged for the depth to be pooled."""

NO_GROUP, SEVERAL = -1, -2
"""Instead of a group: no group contributed the document, or several did."""

NO_RUN = "no run contributed to the pool"
NO_TOPIC = "no contributing run answers a topic of the qrels"
NO_DEPTH = (
    "the pool depth cannot be inferred from the judgments (less than "
    f"{100 * SHARE:.0f} % of the top-ranked documents of the contributing runs are judged): "
    "specify it"
)


@dataclass(frozen=True, eq=False)
class InferredPool:
    """``runs`` are the indices of the contributing runs, pooled to ``depth``.

    By entry, a document in a run: ``run`` and ``doc``, as indices, and ``rank``; those of a topic
    are ``entries[i]:entries[i + 1]``, and so are all entries of its documents. By document:
    ``topic``, an index; ``place`` of the judgment, -1 if there is none; ``best``, the best rank in
    any contributing run. ``depth_specified`` is False if the depth was inferred from the judgments.
    ``judgments`` is the number of lines of the qrels.
    """

    runs: Ints
    depth: int
    depth_specified: bool
    entries: Ints
    run: Codes
    doc: Codes
    rank: Codes
    topic: Ints
    place: Ints
    best: Ints
    judgments: int

    def iter_blocks(self) -> Iterator[slice]:
        """All entries, those of some topics at a time."""
        for first, end in split_topic_ranges(self.entries, AT_ONCE):
            if self.entries[first] < self.entries[end]:
                yield slice(int(self.entries[first]), int(self.entries[end]))

    def contributors(self, groups: Ints) -> tuple[Ints, Ints]:
        """``(count, sole)`` by line of the qrels: how many groups contributed the document, and
        the only group that did, or NO_GROUP or SEVERAL. ``groups`` is by run.
        """
        width = int(groups.max(initial=0)) + 1
        by_doc = np.zeros(len(self.place), np.int64)
        sole_by_doc = np.full(len(self.place), SEVERAL)
        for rows in self.iter_blocks():
            # numpy.unique hashes each, which takes forty times as long where most of them differ.
            entries = np.sort(self.doc[rows].astype(np.int64) * width + groups[self.run[rows]])
            pairs = entries[np.diff(entries, prepend=-1) > 0]
            doc, group = pairs // width, pairs % width
            counts = np.bincount(doc - doc[0])
            by_doc[doc[0] : doc[0] + len(counts)] = counts
            single = by_doc[doc] == 1
            sole_by_doc[doc[single]] = group[single]
        listed = self.place >= 0
        lines = self.place[listed]
        count, sole = np.zeros(self.judgments, np.int64), np.full(self.judgments, NO_GROUP)
        count[lines], sole[lines] = by_doc[listed], sole_by_doc[listed]
        return count, sole

    def cut(self, depth: int, place: Ints) -> "InferredPool":
        """Down to ``depth``, and with other judgments: by judgment, its ``place`` among them, or
        -1. Documents keep their numbers.
        """
        within = self.rank <= depth
        return replace(
            self,
            depth=depth,
            entries=count_entries(within, self.entries),
            run=self.run[within],
            doc=self.doc[within],
            rank=self.rank[within],
            place=np.where(self.place >= 0, place[self.place], -1),
            judgments=int(np.count_nonzero(place >= 0)),
        )

    def contributed_by(self, groups: Ints, group: int) -> Mask:
        """By line of the qrels: whether the group contributed the document."""
        docs = self.doc[groups[self.run] == group]
        mask = np.zeros(self.judgments, np.bool_)
        places = self.place[docs]
        mask[places[places >= 0]] = True
        return mask


def infer_pool(
    listings: Iterable[RunListing], qrels: QrelsTable, tags: Sequence[str], depth: int | None
) -> InferredPool:
    """The pool of the runs of ``listings``, which have some topics each and are cut at ``depth`` or
    at MAX_INFERRED_DEPTH.

    Raises ``ValueError`` if no run contributed or answers a topic, or if the depth is None and
    cannot be inferred.
    """
    index, number = PairIndex.from_table(qrels), {name: n for n, name in enumerate(qrels.topics)}
    parts, documents = list[dict[str, Ints | Codes]](), 0
    for listing in listings:
        if not listing.runs:
            raise ValueError(NO_RUN)
        runs = np.array([tags.index(tag) for tag in listing.runs], np.int64)
        doc = listing.doc + np.repeat(listing.starts[:-1], np.diff(listing.entries))
        best = np.full(len(listing.docnos), np.iinfo(np.int64).max)
        np.minimum.at(best, doc, listing.rank)
        topics = np.array([number[topic] for topic in listing.topics], np.int64)
        parts.append({
            "sizes": np.diff(listing.entries),
            "run": runs[listing.run].astype(np.int32),
            "doc": (doc + documents).astype(np.int32),
            "rank": listing.rank.astype(np.int32),
            "topic": np.repeat(topics, np.diff(listing.starts)),
            "place": index.find(listing).astype(np.int64),
            "best": best,
        })  # fmt: skip
        documents += len(best)
        del listing, doc, best  # before the next one is made, and all are put together
    # The parts of each column are gone as soon as it is put together.
    whole = {name: np.concatenate([part.pop(name) for part in parts]) for name in [*parts[0]]}
    if not len(whole["sizes"]):
        raise ValueError(NO_TOPIC)
    place, best = whole["place"], whole["best"]
    judged = (place >= 0) & (qrels.grades[place] >= 0)
    limit = infer_pool_depth(best, judged) if depth is None else depth
    within, pooled = whole["rank"] <= limit, best <= limit
    renumbered = np.cumsum(pooled, dtype=np.int32) - np.int32(1)
    return InferredPool(
        runs=runs,
        depth=limit,
        depth_specified=depth is not None,
        entries=count_entries(within, group_starts(whole["sizes"])),
        run=whole["run"][within],
        doc=renumbered[whole["doc"][within]],
        rank=whole["rank"][within],
        topic=whole["topic"][pooled],
        place=place[pooled],
        best=best[pooled],
        judgments=len(qrels),
    )


def count_entries(within: Mask, starts: Ints) -> Ints:
    """The starts of topics, at ``starts`` now, of the entries ``within`` alone."""
    ranges = pairwise(starts.tolist())
    return group_starts([np.count_nonzero(within[first:end]) for first, end in ranges])


def infer_pool_depth(best: Ints, judged: Mask) -> int:
    """The deepest best rank down to which at least SHARE of the documents are judged."""
    new = np.bincount(best, minlength=2)[1:]
    seen = np.bincount(best[judged], minlength=len(new) + 1)[1:]
    short = np.flatnonzero((seen < SHARE * new) | (new == 0))
    depth = int(short[0]) if len(short) else len(new)
    if depth < 1:
        raise ValueError(NO_DEPTH)
    return depth
