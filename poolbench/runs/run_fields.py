"""Checks of single fields of a run: tag, column 2, rank; topics and docnos of the campaign."""

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import escape_excerpt, format_count
from poolbench.reading.machine_words import Mask, Places
from poolbench.reading.reader import DocnoArray, Ints, LineBlock, parse_decimals
from poolbench.runs.docno_files import DocnoFile
from poolbench.runs.runs import DOCNO, Q0, RANK, TAG, TOPIC, RunRows

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,19}")
TAG_FORM = "up to 20 letters A to Z, digits and _ . -, starting with a letter or digit"
_RANK = re.compile(rb"[+-]?\d{1,18}")
HEADS = {b"tag", b"runtag", b"run_tag", b"run-tag", b"runid", b"run_id"}
"""The last word of a header line; run files have none."""


@dataclass
class FieldChecks:
    """Checks the blocks of one run; ``finish`` adds the faults reported once per file."""

    source: ColumnFile
    declared_tag: str | None
    used_tags: frozenset[str]
    _first_tag: bytes | None = None
    _first_is_ranked: bool = False
    _seen_tags: set[bytes] = field(default_factory=set)
    _other_q0: list[int] = field(default_factory=list)
    _other_q0_count: int = 0
    _ranks: list[Places] = field(default_factory=list)

    def check(self, block: LineBlock) -> None:
        if not len(block):
            return
        self._check_tags(block)
        self._check_q0(block)
        self._check_ranks(block)

    def take_ranks(self) -> Places:
        """All ranks in file order, once; only for a file without E13."""
        ranks, self._ranks = np.concatenate([np.empty(0, np.int32), *self._ranks]), []
        return ranks

    def finish(self) -> None:
        if self._other_q0_count:
            message = f"Column 2 is not Q0 on {format_count(self._other_q0_count, 'line')}."
            fix = "The value is ignored; use Q0 for compatibility with other tools."
            self.source.add_fault("W01", message, fix, line=self._other_q0[0], field=Q0)

    def _check_tags(self, block: LineBlock) -> None:
        tags = block.column(TAG)
        if self._first_tag is None:
            self._first_tag = tags.text(0)
            self._first_is_ranked = _RANK.fullmatch(block.column(RANK).text(0)) is not None
            self._check_declared(tags[0], int(block.lines[0]))
        changed = np.flatnonzero(~tags.equals_text(self._first_tag)).tolist()
        for row in tags.changes().tolist() if changed else [0]:
            if (tag := tags.text(row)) not in self._seen_tags:
                self._seen_tags.add(tag)
                self._check_pattern(tag.decode(), int(block.lines[row]))
        if changed:
            self._add_changes(block, changed)

    def _check_pattern(self, tag: str, line: int) -> None:
        if not _TAG.fullmatch(tag):
            message = f"Invalid run tag: {escape_excerpt(tag, 40)}."
            fix = f"Use a tag of {TAG_FORM}."
            self.source.add_fault("E05", message, fix, line=line, field=TAG)

    def _check_declared(self, tag: str, line: int) -> None:
        if self.declared_tag is not None and tag != self.declared_tag:
            message = (
                f"The run tag {escape_excerpt(tag, 40)} does not match the declared tag,"
                f" {self.declared_tag}."
            )
            fix = "Enter the tag used in the file, or change the file."
            self.source.add_fault("E07", message, fix, line=line, field=TAG)
        if tag in self.used_tags:
            message = f"The run tag is already used in the campaign: {tag}."
            fix = "Choose a different tag, or replace the earlier run."
            self.source.add_fault("E08", message, fix, line=line, field=TAG)

    def _add_changes(self, block: LineBlock, changed: list[int]) -> None:
        first = self._first_tag or b""
        message = f"differs from that of the first line, {first.decode()[:40]}."
        fix = "Use the same tag on every line."
        if first.lower() in HEADS and not self._first_is_ranked:
            fix = "Remove the first line; it looks like a header."
        tags = block.column(TAG)
        entries = (
            (int(block.lines[i]), f"The run tag {escape_excerpt(tags.text(i), 40)} {message}", fix)
            for i in changed
        )
        self.source.add_faults("E06", entries, len(changed), field=TAG)

    def _check_q0(self, block: LineBlock) -> None:
        others = np.flatnonzero(~block.column(Q0).equals_text(b"Q0"))
        self._other_q0_count += len(others)
        self._other_q0 = self._other_q0 or [int(block.lines[row]) for row in others[:1]]

    def _check_ranks(self, block: LineBlock) -> None:
        column = block.column(RANK)
        read = parse_decimals(column)
        ranks = np.where(read.is_odd, 0, read.values).astype(np.int64)
        bad = []
        for row in np.flatnonzero(read.is_odd | read.has_point).tolist():
            text = column.text(row)
            if _RANK.fullmatch(text):
                ranks[row] = int(text)
            else:
                bad.append((int(block.lines[row]), text))
        self._ranks.append(pack_integers(ranks))
        entries = (
            (line, f"The rank is not an integer: {escape_excerpt(text, 20)}.", "Use 1, 2, 3, …")
            for line, text in bad
        )
        self.source.add_faults("E13", entries, len(bad), field=RANK)


def pack_integers(values: Ints) -> Places:
    """The same values in 32 bits each, if they fit."""
    narrow: Places = values.astype(np.int32)
    return narrow if (narrow == values).all() else values


MAX_DOCNO = 500
PART = 1 << 18
"""Docnos that are looked up at once: so many that an index on disk is read in its order."""
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def check_topics(
    source: ColumnFile, rows: RunRows, topics: frozenset[str] | None, withheld: frozenset[str]
) -> None:
    """E16 for withheld topics, E09 for unknown ones, once per topic, with near misses (W11)."""
    present = set(rows.grouped.topics)
    unknown = present - topics - withheld if topics is not None else set()
    if not unknown and present.isdisjoint(withheld):
        return
    first, sizes = describe_topics(rows)
    near = find_near_misses(unknown, topics or ())
    for topic in sorted(unknown, key=first.__getitem__):
        fix = _choose_fix(near.get(topic), "Remove these lines or use the campaign's topic IDs.")
        message = f"Unknown topic: {escape_excerpt(topic, 40)} ({sizes[topic]})."
        source.add_fault("E09", message, fix, line=first[topic], field=TOPIC)
    for topic in filter(withheld.__contains__, first):
        message = f"Topic {topic} is withheld; runs cannot contain it ({sizes[topic]})."
        fix = "Remove the lines of this topic."
        source.add_fault("E16", message, fix, line=first[topic], field=TOPIC)
    _add_near(source, near, "topic", first.__getitem__, TOPIC)


def describe_topics(rows: RunRows) -> tuple[dict[str, int], dict[str, str]]:
    """By topic: its first line, and how many lines it has."""
    grouped = rows.grouped
    _, places = np.unique(grouped.codes, return_index=True)
    lines = map(rows.line, grouped.firsts[places].tolist())
    sizes = [format_count(size, "line") for size in np.diff(grouped.starts).tolist()]
    by_topic = zip(grouped.topics, lines, strict=True)
    return dict(by_topic), dict(zip(grouped.topics, sizes, strict=True))


@runtime_checkable
class DocnoIndex(Protocol):
    """A collection that looks for many docnos at once."""

    def contains(self, docnos: DocnoArray) -> Mask: ...

    def iter_similar(self, names: Collection[str]) -> Iterator[str]: ...


def find_unknown_rows(docnos: DocnoArray, collection: Container[str] | None) -> Ints:
    """The rows whose docno the collection lacks; without a collection those of which it is too
    long.
    """
    if collection is None:
        # No ID has more characters than bytes.
        long = np.flatnonzero(docnos.lengths > MAX_DOCNO)
        return long[[len(docnos[row]) > MAX_DOCNO for row in long.tolist()]]
    if isinstance(collection, DocnoFile):
        different = {text.decode() for text in docnos.distinct()}
        missing = collection.find_missing(different)
        return _list_rows(docnos, lambda part: [docno in missing for docno in part])
    if isinstance(collection, DocnoIndex):
        return _list_rows(docnos, lambda part: ~collection.contains(part))
    return _list_rows(docnos, lambda part: [docno not in collection for docno in part])


def _list_rows(docnos: DocnoArray, choose: Callable[[DocnoArray], Mask | list[bool]]) -> Ints:
    """The rows that ``choose`` marks in the part that it is given."""
    starts = range(0, len(docnos), PART)
    parts = (docnos.take(slice(start, start + PART)) for start in starts)
    marked = [np.asarray(choose(part), bool) for part in parts]
    return np.flatnonzero(np.concatenate([np.empty(0, bool), *marked]))


def list_similar_docnos(names: Collection[str], collection: Container[str] | None) -> Iterable[str]:
    """Docnos of the collection in which to look for near misses of ``names``."""
    if isinstance(collection, DocnoIndex):
        return collection.iter_similar(names)
    return collection if isinstance(collection, Iterable) else ()


def check_docnos(source: ColumnFile, rows: RunRows, collection: Container[str] | None) -> None:
    """E10 for every line whose docno the collection lacks, with near misses (W11); without a
    collection for those of more than ``MAX_DOCNO`` characters.
    """
    docnos, bad = rows.docnos, find_unknown_rows(rows.docnos, collection)
    if not len(bad):
        return
    unknown = set(docnos.take(bad))
    near = find_near_misses(unknown, list_similar_docnos(unknown, collection))

    def entries() -> Iterator[tuple[int, str, str]]:
        for row in map(int, bad):
            docno = docnos[row]
            message = f"Unknown docno: {escape_excerpt(docno, 40)}."
            if len(docno) > MAX_DOCNO:
                message = f"The docno exceeds {MAX_DOCNO} characters."
            fix = _choose_fix(near.get(docno), "Use the docnos of the collection.")
            yield rows.line(row), message, fix

    source.add_faults("E10", entries(), len(bad), field=DOCNO)
    if near:
        first = find_first_rows(docnos, bad, near.keys())
        _add_near(source, near, "docno", lambda docno: rows.line(first[docno]), DOCNO)


def find_first_rows(docnos: DocnoArray, rows: Ints, names: Collection[str]) -> dict[str, int]:
    """By name: the first of ``rows``, ascending, that has it."""
    first: dict[str, int] = {}
    for row, docno in zip(rows, docnos.take(rows), strict=True):
        if docno in names:
            first.setdefault(docno, int(row))
    return first


def find_near_misses(unknown: set[str], ids: Iterable[str]) -> dict[str, str]:
    """``ids`` that differ from unknown ones only in case or leading zeros."""
    normalized = {normalize_id(name) for name in unknown}
    if not normalized:
        return {}
    matches: dict[str, str] = {}
    for name in ids:
        if (plain := normalize_id(name)) in normalized:
            matches[plain] = min(name, matches.get(plain, name))
    return {name: matches[normalize_id(name)] for name in unknown if normalize_id(name) in matches}


def normalize_id(name: str) -> str:
    """The ID, case-folded and without leading zeros in its numbers."""
    return _ZEROS.sub("", name.casefold())


def _choose_fix(near: str | None, otherwise: str) -> str:
    return otherwise if near is None else f"Did you mean {near}?"


def _add_near(
    source: ColumnFile,
    near: dict[str, str],
    noun: str,
    first_line: Callable[[str], int],
    field: int,
) -> None:
    if not near:
        return
    first = min(near, key=first_line) if len(near) <= 100 else min(near)
    message = (
        "Only case or leading zeros differ from known IDs:"
        f" {format_count(len(near), noun)}, e.g. {near[first]}."
    )
    fix = "IDs are compared byte for byte; keep leading zeros and case."
    source.add_fault("W11", message, fix, line=first_line(first), field=field)
