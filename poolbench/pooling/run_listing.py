"""From runs to a listing: truncate each run and merge all of them topic by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from poolbench.pooling.candidates import Floats, Ints, RunListing
from poolbench.reading.machine_words import Places, choose_offset_type
from poolbench.reading.reader import DocnoArray
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.run_matrix import PairDictionary, RunMatrix
from poolbench.runs.tables import QrelsTable, RunTable, group_starts, split_topic_ranges

Run = TypeVar("Run")

_ENTRIES = 1 << 18
"""Entries of a listing that are put in order at once: some 40 MB."""
_MARKS = 32
"""So many bytes of marks for each code take longer than sorting the codes."""
_STAYING = 1 << 23
"""Entries of truncated runs that stay in memory, 100 MB; with more, runs are read for each part."""


@dataclass(frozen=True)
class SelectedRuns(Mapping[str, RunMatrix]):
    """Those of ``runs`` with the ``tags``, each loaded where it is used."""

    runs: Mapping[str, RunMatrix]
    tags: Sequence[str]

    def __len__(self) -> int:
        return len(self.tags)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tags)

    def __getitem__(self, tag: str) -> RunMatrix:
        return self.runs[tag]


@dataclass(frozen=True)
class TruncatedRun:
    """The top documents of one run: topic and rank of each row, and its index in the run."""

    topic: Ints
    rank: Ints
    row: Ints


def truncate_run(run: RunTable, cutoff: int) -> RunTable:
    """The first ``cutoff`` documents of each topic, without a reference to the file's bytes."""
    cut = cut_run(run.topics, run.starts, run.topics, cutoff)
    starts = group_starts(np.minimum(np.diff(run.starts), cutoff))
    return RunTable(
        run.tag, run.topics, starts, pack_docnos([run.docnos.take(cut.row)]), run.scores[cut.row]
    )


def build_listing(
    runs: Iterable[RunTable], cutoff: int, seed: int, topics: Collection[str] | None = None
) -> RunListing:
    """The first ``cutoff`` documents of each run and topic; ``topics`` None: all.

    Raises ``ValueError`` for two runs with the same tag.
    """
    ordered = sort_runs_by_tag([(run.tag, run) for run in runs])
    names = answered_topics([run for _, run in ordered], topics)
    cuts = [cut_run(run.topics, run.starts, names, cutoff) for _, run in ordered]
    docnos = pack_docnos(
        [run.docnos.take(cut.row) for (_, run), cut in zip(ordered, cuts, strict=True)]
    )
    scores = [run.scores[cut.row] for (_, run), cut in zip(ordered, cuts, strict=True)]
    tags = tuple(tag for tag, _ in ordered)
    return assemble_listing(tags, names, cuts, scores, docnos, np.arange(len(docnos)), seed)


def attach_machine_grades(listing: RunListing, grades: QrelsTable) -> RunListing:
    """``listing`` with a machine's ``grades``, -1 where it gave none."""
    at = PairIndex.from_table(grades).find(listing)
    own = np.where(at >= 0, np.maximum(grades.grades[at], -1), -1) if len(grades.grades) else at
    return replace(listing, machine_grades=own.astype(np.int64))


def hash_machine_grades(listing: RunListing) -> str:
    """sha256 of the machine's grades of all pairs, 64 bits each, little-endian."""
    grades = listing.machine_grades
    return sha256(b"" if grades is None else grades.astype("<i8").tobytes()).hexdigest()


def build_listing_from_matrices(
    runs: Mapping[str, RunMatrix],
    dictionary: PairDictionary,
    cutoff: int,
    seed: int,
    topics: Collection[str] | None = None,
) -> RunListing:
    """The same from run matrices by tag, of which one is in memory at a time.

    Large listings are made of some topics at a time.
    """
    tops, sizes = truncate_matrices(runs, cutoff, topics)
    parts = _iter_parts(tops, sizes, dictionary, cutoff, seed)
    if sum(sizes.values()) <= _ENTRIES:
        return next(parts)
    return join_listings(parts, tuple(sizes), sum(sizes.values()))


def iter_listing_parts(
    runs: Mapping[str, RunMatrix],
    dictionary: PairDictionary,
    cutoff: int,
    seed: int,
    topics: Collection[str] | None = None,
) -> Iterator[RunListing]:
    """The same as listings of some topics each, in their order: for work topic by topic, so
    that never all of them are in memory. One without topics if no run answers any.
    """
    return _iter_parts(*truncate_matrices(runs, cutoff, topics), dictionary, cutoff, seed)


def truncate_matrices(
    runs: Mapping[str, RunMatrix], cutoff: int, topics: Collection[str] | None
) -> tuple[Mapping[str, RunMatrix], dict[str, int]]:
    """The top of each topic in ``runs``, or ``runs`` themselves where that is too much to stay in
    memory; and the number of entries of each topic that they answer, ascending.
    """
    wanted = None if topics is None else frozenset(topics)
    tops, sizes = dict[str, RunMatrix](), Counter[str]()
    for tag in sorted(runs):
        top = truncate_matrix(runs[tag], cutoff, wanted)
        sizes.update(dict(zip(top.topics, np.diff(top.starts).tolist(), strict=True)))
        if sizes.total() <= _STAYING:
            tops[tag] = top
    return tops if len(tops) == len(runs) else runs, dict(sorted(sizes.items()))


def _iter_parts(
    runs: Mapping[str, RunMatrix],
    sizes: Mapping[str, int],
    dictionary: PairDictionary,
    cutoff: int,
    seed: int,
) -> Iterator[RunListing]:
    names = tuple(sizes)
    ranges = list(split_topic_ranges(group_starts([*sizes.values()]), _ENTRIES)) or [(0, 0)]
    return (_list_topics(runs, dictionary, names[a:b], cutoff, seed) for a, b in ranges)


def _list_topics(
    runs: Mapping[str, RunMatrix],
    dictionary: PairDictionary,
    names: tuple[str, ...],
    cutoff: int,
    seed: int,
) -> RunListing:
    """The listing of the topics ``names``."""
    tags, cuts, scores = tuple(sorted(runs)), list[TruncatedRun](), list[Floats]()
    pairs = [np.empty(0, np.int32)]
    for tag in tags:
        run = runs[tag]
        cut = cut_run(run.topics, run.starts, names, cutoff)
        cuts.append(cut)
        pairs.append(run.pairs[cut.row])
        scores.append(run.scores[cut.row])
    code = np.concatenate(pairs)
    listed = list_distinct(code, len(dictionary))
    place = PairPlaces.from_codes(len(dictionary), listed, np.arange(len(listed))).take(code)
    docnos = dictionary.get_docnos(listed)
    return assemble_listing(tags, names, cuts, scores, docnos, place, seed)


def join_listings(parts: Iterable[RunListing], topics: tuple[str, ...], entries: int) -> RunListing:
    """The listing of ``topics`` of ``parts``, which have some of them each, in their order."""
    run, doc, rank = (np.empty(entries, np.int64) for _ in range(3))
    score, end = np.empty(entries), 0
    documents, sizes, texts, lengths = list[Ints](), list[Ints](), list[bytes](), list[Places]()
    for part in parts:
        rows = slice(end, end := end + len(part.run))
        run[rows], doc[rows], rank[rows], score[rows] = part.run, part.doc, part.rank, part.score
        documents.append(np.diff(part.starts))
        sizes.append(np.diff(part.entries))
        texts.append(part.docnos.joined())
        lengths.append(part.docnos.lengths)
    together = np.concatenate(lengths)
    return RunListing(
        runs=part.runs,
        topics=topics,
        starts=group_starts(np.concatenate(documents)),
        docnos=DocnoArray(b"".join(texts), group_starts(together)[:-1], together),
        entries=group_starts(np.concatenate(sizes)),
        run=run,
        doc=doc,
        rank=rank,
        score=score,
        seed=part.seed,
    )


def truncate_matrix(run: RunMatrix, cutoff: int, topics: Collection[str] | None) -> RunMatrix:
    """The first ``cutoff`` documents of each topic, or of each of ``topics``, copied."""
    names = tuple(topic for topic in run.topics if topics is None or topic in topics)
    cut = cut_run(run.topics, run.starts, names, cutoff)
    starts = group_starts(np.bincount(cut.topic, minlength=len(names)))
    return RunMatrix(names, starts, run.pairs[cut.row], run.scores[cut.row])


def list_distinct(codes: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """The distinct ones of ``codes``, ascending; all are below ``size``."""
    if size > _MARKS * len(codes):
        ordered = np.sort(codes)
        return ordered[np.diff(ordered, prepend=-1) > 0]
    # Marking the codes is several times faster than sorting them.
    is_listed = np.zeros(size, bool)
    is_listed[codes] = True
    return np.flatnonzero(is_listed).astype(np.int32)


def sort_runs_by_tag(runs: Iterable[tuple[str, Run]]) -> list[tuple[str, Run]]:
    """``runs`` by tag, so that their input order does not matter."""
    ordered = sorted(runs, key=lambda run: run[0])
    if len({tag for tag, _ in ordered}) < len(ordered):
        raise ValueError("two runs of a pool have the same tag")
    return ordered


def answered_topics(
    runs: Sequence[RunTable | RunMatrix], topics: Collection[str] | None
) -> tuple[str, ...]:
    """The topics, ascending, that any run answers, restricted to ``topics``."""
    answered = set().union(*(run.topics for run in runs))
    return tuple(sorted(answered if topics is None else answered & set(topics)))


def cut_run(topics: Sequence[str], starts: Ints, names: Sequence[str], cutoff: int) -> TruncatedRun:
    """The rows of the first ``cutoff`` documents of each topic in ``names``."""
    number = {name: at for at, name in enumerate(names)}
    topic_numbers = np.array([number.get(topic, -1) for topic in topics], np.int64)
    sizes = np.where(topic_numbers < 0, 0, np.minimum(np.diff(starts), cutoff))
    before = np.repeat(group_starts(sizes)[:-1], sizes)
    rank = np.arange(int(sizes.sum())) - before
    return TruncatedRun(
        np.repeat(topic_numbers, sizes), rank + 1, np.repeat(starts[:-1], sizes) + rank
    )


def pack_docnos(parts: Sequence[DocnoArray]) -> DocnoArray:
    """All docnos concatenated, without references to the files' bytes."""
    lengths = np.concatenate([np.empty(0, np.int64), *(part.lengths for part in parts)])
    data = b"".join(part.joined() for part in parts)
    kind = choose_offset_type(len(data))
    return DocnoArray(data, group_starts(lengths)[:-1].astype(kind), lengths.astype(kind))


def assemble_listing(
    tags: tuple[str, ...],
    names: tuple[str, ...],
    cuts: Sequence[TruncatedRun],
    scores: Sequence[Floats],
    docnos: DocnoArray,
    place: Places,
    seed: int,
) -> RunListing:
    """A listing from entries run by run; ``docnos[place[i]]`` is the docno of entry ``i``, and
    entries with the same place have the same topic.
    """
    nothing = np.empty(0, np.int64)
    topic = np.concatenate([nothing, *(cut.topic for cut in cuts)])
    run = np.repeat(np.arange(len(cuts)), [len(cut.rank) for cut in cuts])
    width = len(docnos) + 1
    topic_of = np.zeros(len(docnos), np.int64)
    topic_of[place] = topic
    key = topic_of * width + docnos.ranks()
    keys, first, row = np.unique(key, return_index=True, return_inverse=True)
    starts = np.searchsorted(keys, np.arange(len(names) + 1) * width)
    # Small integer types use radix sort, which is faster.
    order = np.argsort(topic.astype(np.min_scalar_type(len(names))), kind="stable")
    return RunListing(
        runs=tags,
        topics=names,
        starts=starts.astype(np.int64),
        docnos=docnos.take(first),
        entries=np.searchsorted(topic[order], np.arange(len(names) + 1)).astype(np.int64),
        run=run[order],
        doc=(row[place] - starts[topic])[order],
        rank=np.concatenate([nothing, *(cut.rank for cut in cuts)])[order],
        score=np.concatenate([np.empty(0), *scores])[order],
        seed=seed,
    )
