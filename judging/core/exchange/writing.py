"""Write judgments: the log as a table or as JSON, pairs for doccano and for Label Studio."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from xml.sax.saxutils import quoteattr

from judging.core.exchange.grades import Scale, spelt
from judging.core.exchange.lines import FORMULA
from judging.core.exchange.records import Passage

TOGETHER = 200
"""Rows written at once: many small pieces would cost more than their text."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Spoken:
    """What one assessor says of a pair now; no grade where they skipped it."""

    assessor: str
    email: str
    grade: int | None
    reason: str = ""
    comment: str = ""
    flags: Sequence[str] = ()
    duplicate_of: str = ""
    passages: Sequence[Passage] = ()
    active_seconds: float | None = None
    judged_at: str = ""

    @property
    def marks(self) -> dict[str, Any]:
        """What neither program has a place for, under our own names; empty ones are left out."""
        given = {
            "flags": list(self.flags),
            "duplicate_of": self.duplicate_of,
            "passages": [list(passage) for passage in self.passages],
        }
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True)
class Pair:
    """A topic and a document with their texts, and who has said what of it (if anybody)."""

    topic: str
    query: str
    docno: str
    title: str
    text: str
    said: Sequence[Spoken] = ()

    @property
    def ids(self) -> dict[str, str]:
        return {"topic": self.topic, "query": self.query, "docno": self.docno}


def csv_parts(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[str]:
    """A header and a line a row; lists as JSON, flags with ``|`` between them."""
    yield csv_text([dict(zip(columns, columns, strict=True))], columns)
    for some in parts(rows):
        yield csv_text([{name: cell(name, row[name]) for name in columns} for row in some], columns)


def csv_text(rows: Iterable[Row], columns: Sequence[str]) -> str:
    out = io.StringIO()
    csv.DictWriter(out, columns).writerows(rows)
    return out.getvalue()


def cell(name: str, value: object) -> object:
    """A value as it stands in a cell."""
    if isinstance(value, list):
        flat = all(isinstance(item, str) for item in value)
        return "|".join(value) if flat else json.dumps(value, ensure_ascii=False)
    # A spreadsheet must not take what an assessor wrote for a formula.
    if name == "comment" and isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def jsonl_parts(rows: Iterable[Row]) -> Iterator[str]:
    """A JSON object a line."""
    for some in parts(rows):
        yield "".join(f"{compact(row)}\n" for row in some)


def json_parts(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON list, an object a line."""
    before = "[\n"
    for some in parts(rows):
        yield before + ",\n".join(map(compact, some))
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


def doccano_parts(pairs: Iterable[Pair], scale: Scale) -> Iterator[str]:
    """doccano's JSONL: a line an assessor and pair, a pair that nobody judged without label."""
    return jsonl_parts(doccano_records(pairs, dict(scale)))


def doccano_records(pairs: Iterable[Pair], words: Mapping[int, str]) -> Iterator[Row]:
    number = 0
    for pair in pairs:
        text = f"{pair.title}\n\n{pair.text}".strip()
        for said in pair.said or (None,):
            number += 1
            record: dict[str, Any] = {"id": number, "text": text, **pair.ids, "label": []}
            if said is None:
                yield record
                continue
            if said.grade is None:
                record |= {"kind": "skip", "reason": said.reason}
            else:
                record["label"] = [label_of(said.grade, words)]
            comments = [said.comment] if said.comment else []
            who = {"assessor": said.assessor, "judged_at": said.judged_at}
            yield record | who | {"Comments": comments} | said.marks


def label_studio_parts(pairs: Iterable[Pair], scale: Scale) -> Iterator[str]:
    """Label Studio's JSON: a task a pair, an annotation an assessor."""
    words = dict(scale)
    return json_parts(task_of(number, pair, words) for number, pair in enumerate(pairs, 1))


def task_of(number: int, pair: Pair, words: Mapping[int, str]) -> Row:
    data = {**pair.ids, "title": pair.title, "text": pair.text}
    said = [annotation_of(one, words) for one in pair.said]
    return {"id": number, "data": data, "annotations": said, "predictions": []}


def annotation_of(said: Spoken, words: Mapping[int, str]) -> Row:
    results = []
    if said.grade is not None:
        value: dict[str, Any] = {"choices": [label_of(said.grade, words)]}
        results.append({"type": "choices", "from_name": "grade", "to_name": "text", "value": value})
    if said.comment:
        value = {"text": [said.comment]}
        results.append(
            {"type": "textarea", "from_name": "comment", "to_name": "text", "value": value}
        )
    return {
        "completed_by": {"username": said.assessor, "email": said.email or said.assessor},
        "result": results,
        "was_cancelled": said.grade is None,
        "lead_time": said.active_seconds,
        "created_at": said.judged_at,
        **({"skip_reason": said.reason} if said.grade is None else {}),
        **said.marks,
    }


def labelling_setup(scale: Scale) -> str:
    """The labelling interface for these tasks, as Label Studio's settings take it."""
    choices = "".join(
        f"    <Choice value={quoteattr(spelt(grade, word))}/>\n" for grade, word in scale
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


def label_of(grade: int, words: Mapping[int, str]) -> str:
    """The label of a grade; one that has left the scale since is its number."""
    return spelt(grade, words[grade]) if grade in words else str(grade)


def compact(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while some := list(islice(rest, TOGETHER)):
        yield some
