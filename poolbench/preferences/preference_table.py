"""Read files of preferences: tables with a header, or click logs."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from poolbench.files.faults import FaultReport
from poolbench.preferences.click_log import MAX_NAME, ClickLogTable, read_click_log
from poolbench.preferences.preference_pairs import PreferenceRecord, count_clicked_pairs
from poolbench.reports.csv import blank_head_lines

REQUIRED = ("topic", "better", "worse")
OPTIONAL = ("times", "tie", "judge")
MAX_ROWS = 2_000_000
MAX_TIMES = 1_000_000_000
FORM_FIX = (
    "Use a table with the columns topic, better, worse and, if needed, times, tie, judge, "
    "separated by commas or tabs."
)


@dataclass(frozen=True)
class PreferenceFile:
    """The records of a file; ``log`` if it is a click log."""

    records: tuple[PreferenceRecord, ...]
    log: ClickLogTable | None = None


def read_preferences(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> PreferenceFile:
    """The preferences in ``data``: a click log if it begins with ``{``, else a table.

    Warnings go to ``report`` if given. Raises ``InvalidFile`` with all faults (EC.. and EF..).
    """
    report = FaultReport(file) if report is None else report
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        log = read_click_log(data, file=file, report=report)
        return PreferenceFile(tuple(count_clicked_pairs(log.pairs)), log)
    records = tuple(_iter_records(data, report))
    if not records and not report.has_errors:
        report.add("EF03", "No preferences in the file.", FORM_FIX)
    report.raise_errors()
    return PreferenceFile(records)


def _iter_records(data: bytes, report: FaultReport) -> Iterator[PreferenceRecord]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        report.add("EF01", "The file is not UTF-8 text.", "Save it as UTF-8 text.", line=line)
        return
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        report.add("EF01", "NUL byte in the file.", "Save it as UTF-8 text.", line=line)
        return
    lines = blank_head_lines(text.split("\n"))
    start = next((at for at, line in enumerate(lines) if line.strip()), None)
    if start is None:
        return
    sign = "\t" if "\t" in lines[start] else ","
    rows = csv.reader(io.StringIO("\n".join(lines[start:])), delimiter=sign)
    header = [name.strip().lower() for name in next(rows)]
    if missing := [name for name in REQUIRED if name not in header]:
        message = f"Missing column: {', '.join(missing)}."
        report.add("EF04", message, FORM_FIX, line=start + 1, excerpt=lines[start])
        return
    yield from _iter_rows(rows, header, start, report)


def _iter_rows(
    rows: Iterator[list[str]], header: Sequence[str], start: int, report: FaultReport
) -> Iterator[PreferenceRecord]:
    count = 0
    while True:
        try:
            cells = next(rows, None)
        except csv.Error as error:
            report.add("EF02", f"Malformed row ({error}).", FORM_FIX)
            return
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        # The reader counts lines, not rows: a cell may have several.
        line = start + int(getattr(rows, "line_num", 0))
        count += 1
        if count > MAX_ROWS:
            report.add("EF08", f"More than {MAX_ROWS:,} rows.", "Split the file.", line=line)
            return
        if len(cells) != len(header):
            message = f"{len(cells)} cells instead of {len(header)}."
            report.add("EF02", message, FORM_FIX, line=line, excerpt=",".join(cells))
            continue
        values = dict(zip(header, map(str.strip, cells), strict=True))
        if record := _read_record(values, line, report):
            yield record


def _read_record(
    values: Mapping[str, str], line: int, report: FaultReport
) -> PreferenceRecord | None:
    topic, better, worse = (values[name] for name in REQUIRED)
    excerpt = f"{topic} {better} {worse}"
    before = report.counts.total()
    for name in REQUIRED:
        if not values[name] or len(values[name]) > MAX_NAME or len(values[name].split()) > 1:
            message = f"Column {name} is empty, longer than {MAX_NAME} characters, or has spaces."
            report.add("EF05", message, "Use IDs without spaces.", line=line, excerpt=excerpt)
    if better and better == worse:
        message = "A document is compared with itself."
        report.add("EF06", message, "Remove the row.", line=line, excerpt=excerpt)
    times, tie = values.get("times") or "1", values.get("tie") or "0"
    if not (times.isdecimal() and times.isascii() and 0 < int(times[:11]) <= MAX_TIMES):
        message = f"Column times is not an integer from 1 to {MAX_TIMES:,}: {times[:20]}."
        report.add("EF07", message, "Use 1, 2, 3, …", line=line, excerpt=excerpt)
    if tie not in ("0", "1"):
        message = f"Column tie is neither 0 nor 1: {tie[:20]}."
        fix = "Use 1 for documents that are equally good, otherwise 0."
        report.add("EF07", message, fix, line=line, excerpt=excerpt)
    if report.counts.total() > before:
        return None
    return PreferenceRecord(topic, better, worse, int(times), tie == "1", values.get("judge", ""))
