"""Files of plain cells are read by column as they are record by record; and entries by column."""

import random

import pytest

from poolbench.files.faults import FaultReport
from poolbench.judging.exchange import reader
from poolbench.judging.exchange.entry_table import EntryTable
from poolbench.judging.exchange.fields import JudgmentEntry, MatchedFields
from poolbench.judging.exchange.plain_tables import read_plain_table

HEADERS = ("topic,docno,grade,assessor", "qid,doc,rel", "docno,split,topic", "topic,docno,kind")
CELLS = ("1", "02", "d-1", "NA", "0", "2", "2.0", "-1", "a|b", "ann", "x" * 501)
ODD = ("", "'=1", '"q"', "a b", "[1]", "é", "#1", "a,b", "\r", "\t")


def write_table(draw, separator, odd):
    """A file of up to six lines, with odd cells where ``odd`` says so."""
    header = draw.choice(HEADERS).replace(",", separator)
    width = 4 if separator == " " else header.count(separator) + 1
    lines = [] if separator == " " else [header]
    for _ in range(draw.randrange(7)):
        cells = [draw.choice(ODD if draw.random() < odd else CELLS) for _ in range(width)]
        lines.append(separator.join(cells))
    return "\n".join(lines) + draw.choice(("\n", "", "\n\n"))


def read_both_ways(text, monkeypatch):
    outcomes = []
    for plain in (read_plain_table, lambda *_: None):
        monkeypatch.setattr(reader, "read_plain_table", plain)
        report = FaultReport()
        read = reader.read_judgments(text.encode(), report=report)
        outcomes.append((list(read.entries), read.matched, read.assessors, report))
    return outcomes


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_reading_by_column_is_reading_record_by_record(separator, monkeypatch):
    draw = random.Random(separator)  # noqa: S311
    by_column = 0
    for number in range(300):
        text = write_table(draw, separator, odd=0.1 if number % 2 else 0.0)
        fast, slow = read_both_ways(text, monkeypatch)
        assert fast == slow, text
        name = reader.detect_judgment_format(text)
        by_column += read_plain_table(text, name or "", MatchedFields()) is not None
    assert by_column > 30


def test_a_table_of_entries_is_the_list_of_them():
    listed = [
        JudgmentEntry(3, "1", "d1", ("2", "0"), "ann", comment="c", columns=(1, None, 9)),
        JudgmentEntry(1, "2", "d1", (), "", flags=("copy",), revision=2, third=True),
        JudgmentEntry(9, "1", "d2", ("2", "0"), "ann"),
    ]
    table = EntryTable(listed)
    assert list(table) == listed
    assert (table[1], table[-1], table[:2]) == (listed[1], listed[2], listed[:2])
    assert (table.values("topic"), table.codes("topic").tolist()) == (["1", "2"], [0, 1, 0])
