"""Training pairs as a table: topic, docno, grade, explanation; tab- or comma-separated."""

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from poolbench.files.faults import FaultReport, format_count

COLUMNS = ("topic", "docno", "grade", "explanation")
MAX_EXPLANATION = 2_000


@dataclass(frozen=True, slots=True)
class TrainingRow:
    topic: str
    docno: str
    grade: int
    explanation: str = ""


def read_training(
    text: str, *, topics: Collection[str], scale: Collection[int], file: str = ""
) -> list[TrainingRow]:
    """The rows of ``text``; a header line is ignored.

    Raises ``InvalidFile`` with all faults: EY01 not three or four columns, EY02 unknown topic,
    EY03 grade not on ``scale``, EY04 duplicate pair, EY05 a cell empty or too long, EY06 no
    training pairs.
    """
    report = FaultReport(file)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    lines = csv.reader(
        io.StringIO(text.lstrip("\ufeff")),
        delimiter=delimiter,
        strict=True,
        skipinitialspace=delimiter == ",",  # `1, d1, 2, "so, and so"`
    )
    rows: list[TrainingRow] = []
    first: dict[tuple[str, str], int] = {}
    try:
        for cells in lines:
            if not any(cell.strip() for cell in cells) or _is_head(cells, lines.line_num):
                continue
            row = _row(cells, topics, scale, lines.line_num, report)
            if row is not None and _is_new(row, first, lines.line_num, report):
                rows.append(row)
    except csv.Error as error:
        fix = "Close every quotation mark, and double quotation marks within quotes."
        report.add("EY01", f"Invalid table: {error}.", fix, line=lines.line_num)
    if not rows and not report.has_errors:
        report.add("EY06", "No training pairs.", f"Enter {', '.join(COLUMNS)}.")
    report.raise_errors()
    return rows


def _is_head(cells: Sequence[str], line: int) -> bool:
    return line == 1 and [cell.strip().lower() for cell in cells[:2]] == ["topic", "docno"]


def _row(
    cells: Sequence[str],
    topics: Collection[str],
    scale: Collection[int],
    line: int,
    report: FaultReport,
) -> TrainingRow | None:
    excerpt = " ".join(cells[:3])
    if len(cells) not in (3, 4):
        fix = (
            f"Use {', '.join(COLUMNS)}, tab- or comma-separated; the explanation is optional."
            " Put an explanation with commas in quotation marks."
        )
        message = f"The line has {format_count(len(cells), 'column')} instead of 3 or 4."
        report.add("EY01", message, fix, line=line, excerpt=excerpt)
        return None
    topic, docno, grade, *more = (cell.strip() for cell in cells)
    explanation = more[0] if more else ""
    faults = report.counts.total()
    if topic not in topics:
        fix = "Import the topic first, or remove these rows."
        report.add("EY02", f"Unknown topic: {topic}.", fix, line=line, excerpt=excerpt)
    if not _is_whole(grade) or int(grade) not in scale:
        fix = f"Use a grade of the scale: {', '.join(map(str, sorted(scale)))}."
        message = f"Grade {grade or '(empty)'} is not on the grade scale."
        report.add("EY03", message, fix, line=line, excerpt=excerpt)
    if len(explanation) > MAX_EXPLANATION or not docno or len(docno) > 500:
        fix = f"Use 1 to 500 characters per docno, at most {MAX_EXPLANATION:,} per explanation."
        report.add("EY05", "A cell is empty or too long.", fix, line=line, excerpt=excerpt)
    if report.counts.total() > faults:
        return None
    return TrainingRow(topic, docno, int(grade), explanation)


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() and len(text) < 6


def _is_new(
    row: TrainingRow, first: dict[tuple[str, str], int], line: int, report: FaultReport
) -> bool:
    seen = first.setdefault((row.topic, row.docno), line)
    if seen != line:
        fix = "Keep one row per topic and document."
        report.add(
            "EY04",
            f"Duplicate pair: also on line {seen}.",
            fix,
            line=line,
            excerpt=f"{row.topic} {row.docno}",
        )
    return seen == line
