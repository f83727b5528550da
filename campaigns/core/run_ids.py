"""Checks of the topics and docnos of a run against those of the campaign."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from campaigns.core.columns import ColumnFile
from campaigns.core.faults import format_count
from campaigns.core.grouping import TopicGroups
from campaigns.core.machine_words import Ints
from campaigns.core.runs import DOCNO, TOPIC, RunRows

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
    known: frozenset[str] | None,
    withheld: frozenset[str],
) -> None:
    """E16 for withheld topics, E09 for unknown ones, each told once, with near misses (W11)."""
    strange = [
        t for t in iter_topic_rows(rows.grouped) if known is not None and t.topic not in known
    ]
    near = find_near_misses({t.topic for t in strange} - withheld, known or ())
    for topic, members in sorted(strange, key=lambda found: int(found.rows[0])):
        size = format_count(len(members), "line")
        line = int(rows.lines[members[0]])
        if topic not in withheld:
            fix = _choose_fix(
                near.get(topic), "Remove these lines, or use the campaign's topic ids."
            )
            message = f"The campaign has no such topic ({size})."
            source.fault("E09", message, fix, line=line, field=TOPIC)
    for topic, members in iter_topic_rows(rows.grouped):
        if topic in withheld:
            source.fault(
                "E16",
                f"Withheld topic, which runs may not answer"
                f" ({format_count(len(members), 'line')}).",
                "Remove the lines of this topic.",
                line=int(rows.lines[members[0]]),
                field=TOPIC,
            )
    first = {t.topic: int(rows.lines[t.rows[0]]) for t in strange}
    _add_near(source, near, "topic", first.__getitem__, TOPIC)


def check_docnos(
    source: ColumnFile,
    rows: RunRows,
    known: Container[str] | None,
    pattern: re.Pattern[str] | None,
    max_length: int,
) -> None:
    """E10 for every line whose docno the collection lacks, with near misses (W11)."""
    if known is None and pattern is None and rows.docnos.lengths.max(initial=0) <= max_length:
        return  # No id has more characters than bytes.
    different = (text.decode() for text in rows.docnos.distinct())
    unknown = {d for d in different if not _is_known(d, known, pattern, max_length)}
    if not unknown:
        return
    docnos = list(rows.docnos)
    near = find_near_misses(unknown, known if isinstance(known, Iterable) else ())
    reason = "The collection has no such document." if known is not None else _form(pattern)
    bad = [row for row, docno in enumerate(docnos) if docno in unknown]

    def told() -> Iterator[tuple[int, str, str]]:
        for row in bad:
            docno = docnos[row]
            long = len(docno) > max_length
            message = f"The docno has more than {max_length} characters." if long else reason
            fix = _choose_fix(near.get(docno), "Use the docnos of the campaign's collection.")
            yield int(rows.lines[row]), message, fix

    source.faults("E10", told(), len(bad), field=DOCNO)
    _add_near(source, near, "docno", lambda docno: int(rows.lines[docnos.index(docno)]), DOCNO)


def find_near_misses(strange: set[str], known: Iterable[str]) -> dict[str, str]:
    """Known ids that differ from strange ones only in case or in leading zeros."""
    wanted = {normalize_id(name) for name in strange}
    if not wanted:
        return {}
    found: dict[str, str] = {}
    for name in known:
        if (plain := normalize_id(name)) in wanted:
            found[plain] = min(name, found.get(plain, name))
    return {name: found[normalize_id(name)] for name in strange if normalize_id(name) in found}


def normalize_id(name: str) -> str:
    """The id in one case and without leading zeros in its numbers."""
    return _ZEROS.sub("", name.casefold())


def _is_known(
    docno: str, known: Container[str] | None, pattern: re.Pattern[str] | None, max_length: int
) -> bool:
    if known is not None:
        return docno in known
    return len(docno) <= max_length and (pattern is None or pattern.fullmatch(docno) is not None)


def _form(pattern: re.Pattern[str] | None) -> str:
    return f"The docno is not of the form {pattern.pattern}." if pattern else ""


def _choose_fix(near: str | None, otherwise: str) -> str:
    return otherwise if near is None else f"Did you mean {near}?"


def _add_near(
    source: ColumnFile,
    near: dict[str, str],
    noun: str,
    line_of: Callable[[str], int],
    field: int,
) -> None:
    if not near:
        return
    first = min(near, key=line_of) if len(near) <= 100 else min(near)
    source.fault(
        "W11",
        f"Close to ids that are known, but not the same: {format_count(len(near), noun)}, "
        f"such as {near[first]}.",
        "Ids are compared byte for byte: keep their zeros and their case.",
        line=line_of(first),
        field=field,
    )
