"""Checks of single fields of a run: tag, column 2, rank; topics and docnos of the campaign."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import escape_excerpt, format_count
from poolbench.reading.machine_words import Mask
from poolbench.reading.reader import DocnoArray, Ints, LineBlock, parse_decimals
from poolbench.runs.docno_files import find_missing_docnos
from poolbench.runs.grouping import TopicGroups
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
    _ranks: list[NDArray[np.int64]] = field(default_factory=list)

    def check(self, block: LineBlock) -> None:
        if not len(block):
            return
        self._check_tags(block)
        self._check_q0(block)
        self._check_ranks(block)

    def ranks(self) -> NDArray[np.int64]:
        """All ranks in file order; only for a file without E13."""
        return np.concatenate([np.empty(0, np.int64), *self._ranks])

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
        for row in tags.changes().tolist():
            if (tag := tags.text(row)) not in self._seen_tags:
                self._seen_tags.add(tag)
                self._check_pattern(tag.decode(), int(block.lines[row]))
        changed = np.flatnonzero(~tags.equals_text(self._first_tag)).tolist()
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
        self._ranks.append(ranks)
        entries = (
            (line, f"The rank is not an integer: {escape_excerpt(text, 20)}.", "Use 1, 2, 3, …")
            for line, text in bad
        )
        self.source.add_faults("E13", entries, len(bad), field=RANK)


MAX_DOCNO = 500
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def list_topic_rows(grouped: TopicGroups) -> list[tuple[str, Ints]]:
    """Each topic of the file with its rows, in file order."""
    order, groups = grouped.order(), zip(grouped.topics, grouped.groups(), strict=True)
    return [(topic, order[start:end]) for topic, (start, end) in groups]


def check_topics(
    source: ColumnFile, rows: RunRows, topics: frozenset[str] | None, withheld: frozenset[str]
) -> None:
    """E16 for withheld topics, E09 for unknown ones, once per topic, with near misses (W11)."""
    listed = list_topic_rows(rows.grouped)
    first = {topic: int(rows.lines[members[0]]) for topic, members in listed}
    sizes = {topic: format_count(len(members), "line") for topic, members in listed}
    unknown = first.keys() - topics - withheld if topics is not None else set()
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


@runtime_checkable
class DocnoIndex(Protocol):
    """A collection that looks for many docnos at once."""

    def contains(self, docnos: DocnoArray) -> Mask: ...

    def iter_similar(self, names: Collection[str]) -> Iterator[str]: ...


def find_unknown_docnos(docnos: DocnoArray, collection: Container[str] | None) -> set[str]:
    """Those that the collection lacks; without a collection those that are too long."""
    if isinstance(collection, DocnoIndex):
        missing = docnos.take(np.flatnonzero(~collection.contains(docnos)))
        return {text.decode() for text in missing.distinct()}
    if collection is None and docnos.lengths.max(initial=0) <= MAX_DOCNO:
        return set()  # No ID has more characters than bytes.
    different = {text.decode() for text in docnos.distinct()}
    if collection is not None:
        return find_missing_docnos(different, collection)
    return {docno for docno in different if len(docno) > MAX_DOCNO}


def list_similar_docnos(names: Collection[str], collection: Container[str] | None) -> Iterable[str]:
    """Docnos of the collection in which to look for near misses of ``names``."""
    if isinstance(collection, DocnoIndex):
        return collection.iter_similar(names)
    return collection if isinstance(collection, Iterable) else ()


def check_docnos(source: ColumnFile, rows: RunRows, collection: Container[str] | None) -> None:
    """E10 for every line whose docno the collection lacks, with near misses (W11); without a
    collection for those of more than ``MAX_DOCNO`` characters.
    """
    unknown = find_unknown_docnos(rows.docnos, collection)
    if not unknown:
        return
    docnos = list(rows.docnos)
    near = find_near_misses(unknown, list_similar_docnos(unknown, collection))
    bad = [row for row, docno in enumerate(docnos) if docno in unknown]

    def entries() -> Iterator[tuple[int, str, str]]:
        for row in bad:
            docno = docnos[row]
            message = f"Unknown docno: {escape_excerpt(docno, 40)}."
            if len(docno) > MAX_DOCNO:
                message = f"The docno exceeds {MAX_DOCNO} characters."
            fix = _choose_fix(near.get(docno), "Use the docnos of the collection.")
            yield int(rows.lines[row]), message, fix

    source.add_faults("E10", entries(), len(bad), field=DOCNO)
    _add_near(source, near, "docno", lambda docno: int(rows.lines[docnos.index(docno)]), DOCNO)


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
