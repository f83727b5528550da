"""Writing judgments: the log as a table or JSON, pairs for doccano and Label Studio."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from xml.sax.saxutils import quoteattr

from common.report.csv import ROWS_PER_CHUNK, iter_csv_parts
from judging.core.exchange.delimited import FORMULA
from judging.core.exchange.grades import Scale, format_grade_label
from judging.core.exchange.records import Passage

Row = Mapping[str, Any]


@dataclass(frozen=True)
class CurrentOpinion:
    """One assessor's current judgment of a pair; no grade if skipped."""

    assessor: str
    email: str
    grade: int | None
    reason: str = ""
    comment: str = ""
    flags: Sequence[str] = ()
    original_docno: str = ""
    passages: Sequence[Passage] = ()
    active_seconds: float | None = None
    judged_at: str = ""
    third: bool = False

    @property
    def marks(self) -> dict[str, Any]:
        """Values without a field in either tool, under our own names; empty ones omitted."""
        marks = {
            "flags": list(self.flags),
            "duplicate_of": self.original_docno,
            "passages": [list(passage) for passage in self.passages],
            "third": self.third,
        }
        return {name: value for name, value in marks.items() if value}


@dataclass(frozen=True)
class ExportPair:
    """A topic and a document with their texts, and the current opinions of the assessors."""

    topic: str
    query: str
    docno: str
    title: str
    text: str
    opinions: Sequence[CurrentOpinion] = ()

    @property
    def ids(self) -> dict[str, str]:
        return {"topic": self.topic, "query": self.query, "docno": self.docno}


def iter_judgment_csv_parts(
    rows: Iterable[Row], columns: Sequence[str], conditions: Mapping[str, Any]
) -> Iterator[str]:
    """One line per row; lists as JSON, flags ``|``-separated."""
    cells = ([cell_value(name, row[name]) for name in columns] for row in rows)
    return iter_csv_parts("judgments", columns, cells, conditions)


def cell_value(name: str, value: object) -> object:
    """A value as written into a cell."""
    if isinstance(value, list):
        flat = all(isinstance(item, str) for item in value)
        return "|".join(value) if flat else json.dumps(value, ensure_ascii=False)
    # A spreadsheet must not interpret a comment as a formula.
    if name == "comment" and isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def iter_jsonl_parts(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON object per line."""
    for batch in iter_batches_of_rows(rows):
        yield "".join(f"{to_compact_json(row)}\n" for row in batch)


def iter_json_parts(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON list, one object per line."""
    before = "[\n"
    for batch in iter_batches_of_rows(rows):
        yield before + ",\n".join(map(to_compact_json, batch))
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


def iter_doccano_parts(pairs: Iterable[ExportPair], scale: Scale) -> Iterator[str]:
    """doccano's JSONL: one line per assessor and pair; an unjudged pair without label."""
    return iter_jsonl_parts(iter_doccano_records(pairs, dict(scale)))


def iter_doccano_records(pairs: Iterable[ExportPair], labels: Mapping[int, str]) -> Iterator[Row]:
    number = 0
    for pair in pairs:
        text = f"{pair.title}\n\n{pair.text}".strip()
        for opinion in pair.opinions or (None,):
            number += 1
            record: dict[str, Any] = {"id": number, "text": text, **pair.ids, "label": []}
            if opinion is None:
                yield record
                continue
            if opinion.grade is None:
                record |= {"kind": "skip", "reason": opinion.reason}
            else:
                record["label"] = [grade_label(opinion.grade, labels)]
            comments = [opinion.comment] if opinion.comment else []
            who = {"assessor": opinion.assessor, "judged_at": opinion.judged_at}
            yield record | who | {"Comments": comments} | opinion.marks


def iter_label_studio_parts(pairs: Iterable[ExportPair], scale: Scale) -> Iterator[str]:
    """Label Studio's JSON: a task per pair, an annotation per assessor."""
    labels = dict(scale)
    return iter_json_parts(
        label_studio_task(number, pair, labels) for number, pair in enumerate(pairs, 1)
    )


def label_studio_task(number: int, pair: ExportPair, labels: Mapping[int, str]) -> Row:
    data = {**pair.ids, "title": pair.title, "text": pair.text}
    annotations = [label_studio_annotation(opinion, labels) for opinion in pair.opinions]
    return {"id": number, "data": data, "annotations": annotations, "predictions": []}


def label_studio_annotation(opinion: CurrentOpinion, labels: Mapping[int, str]) -> Row:
    results = []
    if opinion.grade is not None:
        value: dict[str, Any] = {"choices": [grade_label(opinion.grade, labels)]}
        results.append({"type": "choices", "from_name": "grade", "to_name": "text", "value": value})
    if opinion.comment:
        value = {"text": [opinion.comment]}
        results.append(
            {"type": "textarea", "from_name": "comment", "to_name": "text", "value": value}
        )
    return {
        "completed_by": {"username": opinion.assessor, "email": opinion.email or opinion.assessor},
        "result": results,
        "was_cancelled": opinion.grade is None,
        "lead_time": opinion.active_seconds,
        "created_at": opinion.judged_at,
        **({"skip_reason": opinion.reason} if opinion.grade is None else {}),
        **opinion.marks,
    }


def label_studio_config(scale: Scale) -> str:
    """The labeling interface of these tasks, for Label Studio's settings."""
    choices = "".join(
        f"    <Choice value={quoteattr(format_grade_label(grade, label))}/>\n"
        for grade, label in scale
    )
    return (
        "<View>\n"
        '  <Header value="$query"/>\n'
        '  <Header value="$title" size="5"/>\n'
        '  <Text name="text" value="$text"/>\n'
        '  <Choices name="grade" toName="text" choice="single-radio" required="true">\n'
        f"{choices}"
        "  </Choices>\n"
        '  <TextArea name="comment" toName="text" rows="2" maxSubmissions="1"/>\n'
        "</View>\n"
    )


def grade_label(grade: int, labels: Mapping[int, str]) -> str:
    """The label of a grade; its number if it is no longer on the scale."""
    return format_grade_label(grade, labels[grade]) if grade in labels else str(grade)


def to_compact_json(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def iter_batches_of_rows(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, ROWS_PER_CHUNK)):
        yield batch
