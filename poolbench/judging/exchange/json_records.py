"""JSON judgment formats: lines or a list of objects, and doccano's export."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from poolbench.files.json_texts import parse_json, parse_json_at
from poolbench.files.records import FaultReporter
from poolbench.judging.exchange.fields import JudgmentFormat, JudgmentRecord

NESTED = ("meta", "metadata", "data")
"""Objects whose keys count as the record's own, unless it has one of that name."""
_SPACE = re.compile(r"\s*")


def parse_json_line_records(text: str, report_fault: FaultReporter) -> Iterator[JudgmentRecord]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ValueError as error:
            column = getattr(error, "colno", None)
            report_fault(number, f"The line is not JSON ({error}).", line, column=column)
        else:
            if isinstance(value, dict):
                yield JudgmentRecord(number, flatten_record(value), locate_keys(value, line))
            else:
                report_fault(number, "The line is not a JSON object.", line)


def parse_json_list(text: str, report_fault: FaultReporter) -> Iterator[JudgmentRecord]:
    for line, value in iter_json_elements(text, report_fault):
        if isinstance(value, dict):
            yield JudgmentRecord(line, flatten_record(value))
        else:
            report_fault(line, "List element is not a JSON object.", str(value)[:100])


def iter_json_elements(text: str, report_fault: FaultReporter) -> Iterator[tuple[int, Any]]:
    """Each element of the JSON list ``text``, with its first line number."""
    line, counted = 1, 0
    at = _skip(text, 0)
    if not text.startswith("[", at):
        report_fault(1, "The file is not a JSON list.", text[at : at + 100])
        return
    at = _skip(text, at + 1)
    while not text.startswith("]", at):
        line, counted = line + text.count("\n", counted, at), at
        try:
            element, at = parse_json_at(text, at)
        except json.JSONDecodeError as error:
            message = f"Invalid JSON from here on ({error.msg})."
            excerpt = text[error.pos : error.pos + 100]
            report_fault(error.lineno, message, excerpt, column=error.colno)
            return
        except ValueError as error:
            report_fault(line, f"Invalid JSON from here on ({error}).", text[at : at + 100])
            return
        yield line, element
        at = _skip(text, at)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
        elif not text.startswith("]", at):
            line += text.count("\n", counted, at)
            report_fault(line, "Missing comma or end of the list.", text[at : at + 100])
            return


def flatten_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """The object with the keys of its nested objects, also of JSON given as text."""
    values = dict(record)
    for name in NESTED:
        inner = record.get(name)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            try:
                inner = parse_json(inner)
            except ValueError:
                continue
        if isinstance(inner, dict):
            values.pop(name)
            values = {**inner, **values}
    return values


def locate_keys(record: Mapping[str, Any], line: str) -> dict[str, int]:
    """By key, its column in the line; quotes within a text are escaped and do not match."""
    places = {name: line.find(f'"{name}"') + 1 for name in record}
    return {name: place for name, place in places.items() if place}


def parse_doccano(text: str, report_fault: FaultReporter) -> Iterator[JudgmentRecord]:
    """doccano's JSONL export: ``label`` is a list; older exports have ``annotations``.

    An annotation of the older form has a user number; each is a separate judgment.
    """
    for record in parse_json_line_records(text, report_fault):
        annotations = record.values.get("annotations")
        if (
            not isinstance(annotations, list)
            or "label" in record.values
            or "labels" in record.values
        ):
            yield record
            continue
        rest = {name: value for name, value in record.values.items() if name != "annotations"}
        for annotation in annotations or [{}]:
            own = annotation if isinstance(annotation, dict) else {"label": annotation}
            more = {"label": own.get("label"), "annotator": own.get("user")}
            yield JudgmentRecord(record.line, {**rest, **more}, record.columns)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


JSONL = JudgmentFormat("jsonl", "JSON Lines", parse_json_line_records)
JSON = JudgmentFormat("json", "JSON", parse_json_list)
DOCCANO = JudgmentFormat("doccano", "doccano (JSONL)", parse_doccano)
