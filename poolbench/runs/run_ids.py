"""Checks of the topics and docnos of a run against those of the campaign."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import escape_excerpt, format_count
from poolbench.reading.reader import Ints
from poolbench.runs.grouping import TopicGroups
from poolbench.runs.runs import DOCNO, TOPIC, RunRows

MAX_DOCNO = 500
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


class RunTopicRows(NamedTuple):
    """One topic of the file: its rows in file order."""

    topic: str
    rows: Ints


def iter_topic_rows(grouped: TopicGroups) -> Iterator[RunTopicRows]:
    order = grouped.order()
    for topic, (start, end) in zip(grouped.topics, grouped.groups(), strict=True):
        yield RunTopicRows(topic, order[start:end])


def check_topics(
    source: ColumnFile,
    rows: RunRows,
    topics: frozenset[str] | None,
    withheld: frozenset[str],
) -> None:
    """E16 for withheld topics, E09 for unknown ones, once per topic, with near misses (W11)."""
    unknown = [
        t for t in iter_topic_rows(rows.grouped) if topics is not None and t.topic not in topics
    ]
    near = find_near_misses({t.topic for t in unknown} - withheld, topics or ())
    for topic, members in sorted(unknown, key=lambda entry: int(entry.rows[0])):
        size = format_count(len(members), "line")
        line = int(rows.lines[members[0]])
        if topic not in withheld:
            fix = _choose_fix(
                near.get(topic), "Remove these lines or use the campaign's topic IDs."
            )
            message = f"Unknown topic: {escape_excerpt(topic, 40)} ({size})."
            source.add_fault("E09", message, fix, line=line, field=TOPIC)
    for topic, members in iter_topic_rows(rows.grouped):
        if topic in withheld:
            message = (
                f"Topic {topic} is withheld; runs cannot contain it"
                f" ({format_count(len(members), 'line')})."
            )
            fix = "Remove the lines of this topic."
            source.add_fault("E16", message, fix, line=int(rows.lines[members[0]]), field=TOPIC)
    first = {t.topic: int(rows.lines[t.rows[0]]) for t in unknown}
    _add_near(source, near, "topic", first.__getitem__, TOPIC)


def check_docnos(source: ColumnFile, rows: RunRows, collection: Container[str] | None) -> None:
    """E10 for every line whose docno the collection lacks, with near misses (W11); without a
    collection for those of more than ``MAX_DOCNO`` characters.
    """
    if collection is None and rows.docnos.lengths.max(initial=0) <= MAX_DOCNO:
        return  # No ID has more characters than bytes.
    different = (text.decode() for text in rows.docnos.distinct())
    unknown = {d for d in different if not _is_known(d, collection)}
    if not unknown:
        return
    docnos = list(rows.docnos)
    near = find_near_misses(unknown, collection if isinstance(collection, Iterable) else ())
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


def _is_known(docno: str, collection: Container[str] | None) -> bool:
    return len(docno) <= MAX_DOCNO if collection is None else docno in collection


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
