"""Reading a judgment file: all its records, and the faults of its form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.core.faults import FaultReport
from campaigns.core.records import FaultReporter as RecordFaultReporter
from campaigns.core.records import decode_text, make_fault_reporter
from judging.core.exchange.fields import IDS, MatchedFields, parse_entry
from judging.core.exchange.records import CODES, FaultReporter, JudgmentEntry, JudgmentRecord
from judging.core.exchange.registry import FORMATS, detect_judgment_format

FROM_TEXT = "WJ10"


@dataclass(frozen=True)
class JudgmentFile:
    """A judgment file as read; faults are in the caller's report."""

    format: str
    entries: list[JudgmentEntry]
    matched: MatchedFields

    @property
    def assessors(self) -> list[str]:
        """The assessor names in the file, in order of appearance."""
        return list(dict.fromkeys(entry.assessor for entry in self.entries))


def read_judgments(data: bytes, *, report: FaultReport, file_format: str = "") -> JudgmentFile:
    """The judgments in ``data``, decompressed text, in file order.

    ``file_format`` is a key of ``FORMATS``, by default detected. Never raises for the content:
    faults EJ04 to EJ07, EJ13, WJ01 and WJ10 go to ``report``, and the valid entries are
    returned.
    """
    matched = MatchedFields()
    text = decode_text(data, CODES, report)
    if text is None:
        return JudgmentFile(file_format, [], matched)
    name = file_format or detect_judgment_format(text) or ""
    if name not in FORMATS:
        fix = f"Use one of: {', '.join(FORMATS)} (see docs/formats.md)."
        if text.strip():
            message = "Unrecognized judgment format."
            report.add(CODES.not_text, message, fix, excerpt=text[:200])
        else:
            report.add(CODES.empty, "The file has no judgments.", fix)
        return JudgmentFile(name, [], matched)
    records = FORMATS[name].parse(text, with_columns(make_fault_reporter(CODES, report), report))
    entries = list(check_entries(records, matched, report))
    if not entries and not report.has_errors:
        fix = "See docs/formats.md for the formats."
        report.add(CODES.empty, "The file has no judgments.", fix)
    if matched.from_text:
        message = f"IDs of {matched.from_text:,} records were found within their text."
        fix = "Check the preview; preferably add the IDs as separate keys."
        report.add(FROM_TEXT, message, fix)
    return JudgmentFile(name, entries, matched)


def with_columns(report_fault: RecordFaultReporter, report: FaultReport) -> FaultReporter:
    """``report_fault`` with a column, if known."""

    def report_fault_at_column(
        line: int, message: str, excerpt: str, column: int | None = None
    ) -> None:
        if column is None:
            report_fault(line, message, excerpt)
        else:
            fix = f"Correct this {CODES.noun}; see docs/formats.md."
            report.add(CODES.malformed, message, fix, line=line, column=column, excerpt=excerpt)

    return report_fault_at_column


def check_entries(
    records: Iterator[JudgmentRecord], matched: MatchedFields, report: FaultReport
) -> Iterator[JudgmentEntry]:
    """The entries with a valid topic and docno."""
    for record in records:
        entry = parse_entry(record, matched)
        fine = [check_entry_id(name, entry, report) for name in IDS]
        if all(fine):
            yield entry


def check_entry_id(name: str, entry: JudgmentEntry, report: FaultReport) -> bool:
    value: str = getattr(entry, name)
    column = entry.columns[IDS.index(name)]
    if not value:
        names = "topic, query_id or qid" if name == "topic" else "docno or doc_id"
        message = f"This judgment has no {name}."
        report.add(
            CODES.no_id, message, f"Add {names} to each record.", line=entry.line, column=column,
            excerpt=entry.excerpt,
        )  # fmt: skip
        return False
    if len(value.encode().split()) > 1 or len(value) > CODES.max_id:
        message = f"The {name} contains whitespace or exceeds {CODES.max_id} characters."
        fix = "Use an ID without whitespace; qrels files are whitespace-separated."
        place = {"line": entry.line, "column": column}
        report.add(CODES.bad_id, message, fix, **place, excerpt=value)
        return False
    return True
