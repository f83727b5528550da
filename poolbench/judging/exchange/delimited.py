"""Line-based judgment formats: qrels, CSV, TSV."""

import csv
import io
import re
from collections.abc import Iterator
from functools import partial

from poolbench.files.faults import format_count
from poolbench.files.records import FaultReporter
from poolbench.judging.exchange.fields import IDS, JudgmentFormat, JudgmentRecord, match_field_names
from poolbench.reports.csv import blank_head_lines

QRELS_COLUMNS = ("topic", "iteration", "docno", "grade")
_BLANK = re.compile(r"[^ \t\x0b\x0c\r]+")
csv.field_size_limit(1 << 26)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Our own tables put a quote before a comment that begins so; reading removes it."""


def parse_qrels_lines(text: str, report_fault: FaultReporter) -> Iterator[JudgmentRecord]:
    """``topic iteration docno grade`` per line; blank lines and ``#`` comments are ignored."""
    for number, line in enumerate(text.split("\n"), 1):
        fields = list(_BLANK.finditer(line))
        if not fields or line.startswith("#"):
            continue
        if len(fields) != len(QRELS_COLUMNS):
            report_fault(
                number, f"The line has {format_count(len(fields), 'column')} instead of 4.", line
            )
            continue
        values = {name: f.group() for name, f in zip(QRELS_COLUMNS, fields, strict=True)}
        columns = {name: f.start() + 1 for name, f in zip(QRELS_COLUMNS, fields, strict=True)}
        yield JudgmentRecord(number, values, columns)


def parse_delimited(
    text: str, report_fault: FaultReporter, *, separator: str
) -> Iterator[JudgmentRecord]:
    """A header line, then one judgment per row; quoted cells may contain line breaks."""
    lines = blank_head_lines(re.split(r"\r\n|\r|\n", text))
    rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)
    header: list[str] | None = None
    line = 1
    try:
        for row in rows:
            start, line = line, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            raw = lines[start - 1]
            if header is None:
                header = [cell.strip() for cell in row]
                if missing := [name for name in IDS if name not in match_field_names(header)]:
                    report_fault(start, f"Missing in the header: {', '.join(missing)}.", raw)
                    return
            elif len(row) != len(header):
                message = (
                    f"The row has {format_count(len(row), 'column')} instead of {len(header)}."
                )
                report_fault(start, message, raw)
            else:
                columns = {} if '"' in raw else column_offsets(header, row)
                cells = [
                    cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell
                    for cell in row
                ]
                yield JudgmentRecord(start, dict(zip(header, cells, strict=True)), columns)
    except csv.Error as error:
        report_fault(line, f"Invalid table from here on ({error}).", lines[line - 1])


def column_offsets(header: list[str], row: list[str]) -> dict[str, int]:
    """By column name, the position of its cell's first character, counted from 1."""
    offsets, at = {}, 1
    for name, cell in zip(header, row, strict=True):
        offsets[name] = at
        at += len(cell) + 1
    return offsets


QRELS = JudgmentFormat("qrels", "Qrels", parse_qrels_lines)
CSV = JudgmentFormat("csv", "CSV", partial(parse_delimited, separator=","))
TSV = JudgmentFormat("tsv", "TSV", partial(parse_delimited, separator="\t"))
