"""Large qrels, CSV and TSV files of plain cells, read by column instead of record by record.

What it reads, ``reader.parse_entries`` reads in the same way, only more slowly; anything else is
left to that: quotes, blanks within cells, further fields, any fault.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from poolbench.judging.exchange.delimited import CSV, QRELS, QRELS_COLUMNS, TSV
from poolbench.judging.exchange.entry_table import EntryTable
from poolbench.judging.exchange.fields import (
    CODES,
    IDS,
    MatchedFields,
    match_field_names,
    parse_labels,
)

LINES_AT_ONCE = 50_000
ROLES = (*IDS, "labels", "assessor")
SEPARATORS = {QRELS.name: " ", CSV.name: ",", TSV.name: "\t"}


def read_plain_table(text: str, name: str, matched: MatchedFields) -> EntryTable | None:
    """The entries of a file in the format ``name``, or None if it has more than plain cells."""
    separator = SEPARATORS.get(name)
    text = text.replace("\t", " ") if name == QRELS.name else text
    if separator is None or not is_plain(text, separator):
        return None
    lines = iter_lines(text)
    is_qrels = name == QRELS.name
    names = list(QRELS_COLUMNS) if is_qrels else next(lines, "").split(separator)
    roles = match_field_names(names)
    if len(set(names)) < len(names) or not set(IDS) <= roles.keys() <= set(ROLES):
        return None
    table = EntryTable()
    at = [names.index(roles[role]) if role in roles else -1 for role in ROLES]
    while part := list(islice(lines, LINES_AT_ONCE)):
        columns = split_lines(part, separator, len(names))
        if columns is None or (is_qrels and any("" in column for column in columns)):
            return None
        add_columns(table, columns, at, first=len(table) + (1 if is_qrels else 2))
    ids = [value for name in IDS for value in table.values(name)]
    if not ids or not all(ids) or max(map(len, ids)) > CODES.max_id:
        return None
    matched.count(names, roles, len(table))
    return table


def is_plain(text: str, separator: str) -> bool:
    """Whether there is nothing but cells of plain characters, separators and ends of lines."""
    if not text.isascii() or text.startswith("#"):
        return False
    blanks = {" ", "\t"} - {separator}
    controls = (chr(code) for code in (*range(9), *range(11, 32), 127))
    return not any(sign in text for sign in (*blanks, *controls, '"', "'", "\n#"))


def iter_lines(text: str) -> Iterator[str]:
    """The lines of ``text``, without making them all at once."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    if start < len(text):
        yield text[start:]


def split_lines(lines: Sequence[str], separator: str, width: int) -> list[list[str]] | None:
    """The cells by column, or None unless each line has ``width`` of them."""
    if any(line.count(separator) != width - 1 for line in lines):
        return None
    cells = separator.join(lines).split(separator)
    return [cells[place::width] for place in range(width)]


def add_columns(
    table: EntryTable, columns: Sequence[list[str]], at: Sequence[int], first: int
) -> None:
    """Add lines from number ``first`` on; ``at`` has the column by role, -1 if there is none."""
    count = len(columns[0])
    lengths = [np.fromiter(map(len, column), np.int32, count) for column in columns]
    ends = np.cumsum([length + 1 for length in lengths], axis=0, dtype=np.int32)
    starts = [end - length for end, length in zip(ends, lengths, strict=True)]
    topics, docnos, labels, assessors = (
        columns[place] if place >= 0 else [""] * count for place in at
    )
    by_text = {text: parse_labels(text) for text in set(labels)}
    table.extend_plain(
        np.arange(first, first + count, dtype=np.int32),
        (topics, docnos, map(by_text.__getitem__, labels), assessors),
        [starts[place] if place >= 0 else np.zeros(count, np.int32) for place in at[:3]],
    )
