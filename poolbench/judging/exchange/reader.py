"""The judgment formats by name, their detection, and reading a file: records and faults of form."""

import json
import re
from dataclasses import dataclass

from poolbench.files.faults import FaultReport
from poolbench.files.records import decode_text, make_fault_reporter
from poolbench.judging.exchange.delimited import CSV, QRELS, TSV
from poolbench.judging.exchange.entry_table import EntryTable
from poolbench.judging.exchange.fields import (
    CODES,
    IDS,
    JudgmentEntry,
    JudgmentFormat,
    MatchedFields,
    match_field_names,
    normalize_field_name,
    parse_entry,
)
from poolbench.judging.exchange.json_records import DOCCANO, JSON, JSONL
from poolbench.judging.exchange.label_studio import LABEL_STUDIO
from poolbench.judging.exchange.plain_tables import read_plain_table

FORMATS: dict[str, JudgmentFormat] = {
    each.name: each for each in (QRELS, CSV, TSV, JSONL, JSON, DOCCANO, LABEL_STUDIO)
}
MAX_DETECTION_LENGTH = 1 << 20
_TASK = {"annotations", "completions", "predictions"}


def detect_judgment_format(text: str) -> str | None:
    """The name of the format of ``text``, or None."""
    start = text[:MAX_DETECTION_LENGTH].lstrip()
    if start.startswith("["):
        head = start[1:].lstrip()
        return LABEL_STUDIO.name if _TASK & _keys(head) else JSON.name
    if start.startswith("{"):
        return DOCCANO.name if _is_doccano(start.partition("\n")[0]) else JSONL.name
    line = next((row for row in start.split("\n") if row.strip() and row[0] != "#"), "")
    for judgment_format, separator in ((TSV, "\t"), (CSV, ",")):
        if set(match_field_names(line.split(separator))) & set(IDS) and separator in line:
            return judgment_format.name
    if len(line.split()) == 4:
        return QRELS.name
    return CSV.name if "," in line else TSV.name if "\t" in line else None


def _keys(text: str) -> set[str]:
    """The keys of the object at the start of ``text``; of a truncated one, those visible."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {name for name in _TASK if re.search(rf'"{name}"\s*:\s*\[', text)}
    return set(value) if isinstance(value, dict) else set()


def _is_doccano(line: str) -> bool:
    """Whether an object has doccano's keys: a list of labels and a text."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    names = {normalize_field_name(name): value for name, value in record.items()}
    lists = (names.get(name) for name in ("label", "labels", "annotations"))
    return any(isinstance(value, list) for value in lists) and bool({"text", "data"} & set(names))


FROM_TEXT = "WJ10"


@dataclass(frozen=True)
class JudgmentFile:
    """A judgment file as read; faults are in the caller's report."""

    format: str
    entries: EntryTable
    matched: MatchedFields

    @property
    def assessors(self) -> list[str]:
        """The assessor names in the file, in order of appearance."""
        return self.entries.values("assessor")

    @property
    def docnos(self) -> list[str]:
        """The docnos in the file, in order of appearance."""
        return self.entries.values("docno")


def read_judgments(data: bytes, *, report: FaultReport, file_format: str = "") -> JudgmentFile:
    """The judgments in ``data``, decompressed text, in file order.

    ``file_format`` is a key of ``FORMATS``, by default detected. Never raises for the content:
    faults EJ04 to EJ07, EJ13, WJ01 and WJ10 go to ``report``, and the valid entries are
    returned.
    """
    matched = MatchedFields()
    text = decode_text(data, CODES, report)
    if text is None:
        return JudgmentFile(file_format, EntryTable(), matched)
    name = file_format or detect_judgment_format(text) or ""
    if name not in FORMATS:
        fix = f"Use one of: {', '.join(FORMATS)} (see docs/formats.md)."
        if text.strip():
            message = "Unrecognized judgment format."
            report.add(CODES.not_text, message, fix, excerpt=text[:200])
        else:
            report.add(CODES.empty, "The file has no judgments.", fix)
        return JudgmentFile(name, EntryTable(), matched)
    entries = read_plain_table(text, name, matched)
    if entries is None:
        entries = parse_entries(text, name, matched, report)
    if not entries and not report.has_errors:
        fix = "See docs/formats.md for the formats."
        report.add(CODES.empty, "The file has no judgments.", fix)
    if matched.from_text:
        message = f"IDs of {matched.from_text:,} records were found within their text."
        fix = "Check the preview; preferably add the IDs as separate keys."
        report.add(FROM_TEXT, message, fix)
    return JudgmentFile(name, entries, matched)


def parse_entries(text: str, name: str, matched: MatchedFields, report: FaultReport) -> EntryTable:
    """The valid entries of a file in the format ``name``, record by record."""
    entries = EntryTable()
    for record in FORMATS[name].parse(text, make_fault_reporter(CODES, report)):
        entry = parse_entry(record, matched)
        # Both are checked first, so that the faults of both are reported.
        fine = [check_entry_id(name, entry, report) for name in IDS]
        if all(fine):
            entries.add(entry)
    return entries


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
