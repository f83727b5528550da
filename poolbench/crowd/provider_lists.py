"""Reading the provider's list of submissions: a CSV file whose columns are found by name."""

import csv
import io
import re
from decimal import Decimal, InvalidOperation

from poolbench.crowd.reconciliation import ProviderSubmission
from poolbench.files.faults import FaultReport, format_count
from poolbench.reports.csv import blank_head_lines

MOST_BYTES = 10_000_000
MOST_ROWS = 50_000
LONGEST_ID = 200
COLUMN_NAMES = {
    "unit": (
        "id", "unit", "submission id", "submission", "session id", "session", "assignmentid",
        "assignment id",
    ),
    "worker": ("worker", "participant id", "participant", "prolific pid", "workerid", "worker id"),
    "status": ("status", "assignmentstatus", "assignment status"),
    "amount": ("amount", "reward", "paid amount"),
    "bonus": ("bonus", "bonuses", "bonus amount", "bonus payments"),
    "code": ("code", "receipt", "completion code", "entered code"),
}  # fmt: skip
"""The names of each column, in lower case, with a blank for ``_`` and ``-``; first come, first
served. ``amount``, ``bonus`` and ``code`` may be missing."""
NEEDED = ("unit", "worker", "status")
PAID_STATUSES = frozenset({"approved", "paid", "complete", "completed", "screened out"})
UNPAID_STATUSES = frozenset(
    {
        "awaiting review", "active", "reserved", "started", "submitted", "pending", "rejected",
        "returned", "timed out", "abandoned", "unpaid", "partially approved",
    }
)  # fmt: skip
_AMOUNT = re.compile(r"[A-Z]{0,3}[£€$]?\s?(\d{1,6}(?:\.\d{1,2})?)\s?(?:[A-Z]{3}|[£€$])?")


def read_submissions(data: bytes, file: str = "") -> list[ProviderSubmission]:
    """The submissions in the order of the file. Raises ``InvalidFile`` with all faults."""
    report = FaultReport(file)
    text = decode_list(data, report)
    submissions = parse_submissions(text, report) if text is not None else []
    report.raise_errors()
    return submissions


def decode_list(data: bytes, report: FaultReport) -> str | None:
    """The text; None if it is too large or no UTF-8."""
    if len(data) > MOST_BYTES:
        fix = "Upload the list of one study; split it if it is longer."
        report.add("ER01", f"The file has more than {MOST_BYTES:,} bytes.", fix)
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        fix = "Save the file as CSV with UTF-8."
        report.add("ER02", "The file is not UTF-8 text.", fix, line=line, column=column)
        return None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        report.add("ER02", "The file is binary.", "Save the file as CSV with UTF-8.", line=line)
        return None
    return text


def parse_submissions(text: str, report: FaultReport) -> list[ProviderSubmission]:
    """The rows below the header; every fault goes to ``report``."""
    lines = blank_head_lines(re.split(r"\r\n|\r|\n", text))
    reader = csv.reader(io.StringIO("\n".join(lines)), strict=True)
    header: dict[str, int] | None = None
    submissions: list[ProviderSubmission] = []
    width, line = 0, 1
    try:
        for cells in reader:
            start, line = line, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header, width = match_columns(cells, start, report), len(cells)
                if header is None:
                    return []
            elif len(submissions) == MOST_ROWS:
                fix = "Upload the list of one study; split it if it is longer."
                report.add("ER01", f"The file has more than {MOST_ROWS:,} rows.", fix, line=start)
                return []
            elif len(cells) != width:
                message = f"The row has {format_count(len(cells), 'column')} instead of {width}."
                fix = "Give every row the columns of the header; quote cells with commas."
                report.add("ER04", message, fix, line=start, excerpt=lines[start - 1])
            else:
                submissions.append(read_submission(cells, header, start, report))
    except csv.Error as error:
        fix = "Close all quotes, or export the list again."
        report.add("ER04", f"Invalid table from here on ({error}).", fix, line=line)
    if header is None and not report.has_errors:
        report.add("ER03", "The file is empty.", "Upload the provider's list with its header.")
    return submissions


def match_columns(cells: list[str], line: int, report: FaultReport) -> dict[str, int] | None:
    """The place of each column; None if one that is needed is missing."""
    names = [re.sub(r"[\s_-]+", " ", cell.strip().lower()) for cell in cells]
    places = {
        column: names.index(name)
        for column, spellings in COLUMN_NAMES.items()
        for name in reversed(spellings)
        if name in names
    }
    missing = [column for column in NEEDED if column not in places]
    for column in missing:
        spellings = ", ".join(COLUMN_NAMES[column])
        message = f"The header has no column {column}."
        report.add("ER03", message, f"Name it one of: {spellings}.", line=line, column=1)
    return None if missing else places


def read_submission(
    cells: list[str], header: dict[str, int], line: int, report: FaultReport
) -> ProviderSubmission:
    """One row; values with faults become empty."""
    values = {column: cells[at].strip() for column, at in header.items()}
    places = {
        column: sum(len(cell) + 1 for cell in cells[:at]) + 1 for column, at in header.items()
    }
    for column in ("unit", "worker"):
        if not 0 < len(values[column]) <= LONGEST_ID:
            message = f"The {column} has {format_count(len(values[column]), 'character')}."
            fix = f"Every row needs an ID of 1 to {LONGEST_ID} characters."
            report.add(
                "ER05", message, fix, line=line, column=places[column], excerpt=values[column]
            )
    status = re.sub(r"[\s_-]+", " ", values["status"].lower())
    if status not in PAID_STATUSES | UNPAID_STATUSES:
        fix = f"Use one of: {', '.join(sorted(PAID_STATUSES | UNPAID_STATUSES))}."
        report.add(
            "ER06", "Unknown status.", fix, line=line, column=places["status"],
            excerpt=values["status"],
        )  # fmt: skip
    amounts = {name: read_amount(values.get(name, "")) for name in ("amount", "bonus")}
    for name, amount in amounts.items():
        if amount is None and values.get(name):
            fix = "Use an amount such as 1.50 in the study's currency, or leave it empty."
            report.add(
                "ER07", f"Invalid {name}.", fix, line=line, column=places[name],
                excerpt=values[name],
            )  # fmt: skip
    return ProviderSubmission(
        line=line,
        unit=values["unit"],
        worker=values["worker"],
        status=values["status"],
        paid=status in PAID_STATUSES,
        amount=amounts["amount"],
        bonus=amounts["bonus"],
        code=values.get("code", ""),
    )


def read_amount(text: str) -> Decimal | None:
    """``1.50``, also with a currency before or after it; None for anything else."""
    match = _AMOUNT.fullmatch(text)
    try:
        return Decimal(match[1]) if match else None
    except InvalidOperation:
        return None
