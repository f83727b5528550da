"""Records of a judgment file, and by its column and key names the entries."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from poolbench.files.json_texts import parse_json
from poolbench.files.records import FaultReporter, RecordCodes

CODES = RecordCodes(
    noun="judgment",
    max_id=500,
    not_text="EJ04",
    malformed="EJ05",
    empty="EJ06",
    no_id="EJ07",
    bad_id="EJ13",
    duplicate_id="EJ03",
    declaration="",
    not_utf8="WJ01",
)


Passage = tuple[int | None, int | None, str]
"""Start and end of a passage in the document, if known; its text."""


@dataclass(frozen=True, slots=True)
class JudgmentRecord:
    """One judgment as in the file: values by the file's own names.

    ``columns`` is the position of each value in ``line``, if known.
    """

    line: int
    values: Mapping[str, Any]
    columns: Mapping[str, int] = field(default_factory=dict)


class JudgmentEntry(NamedTuple):
    """One judgment by our own field names; empty where the file has no value.

    ``labels`` are as in the file: none for an unlabeled record, several where an annotator chose
    several. ``third``: judged because others disagreed. ``columns`` are those of topic, docno and
    label.
    """

    line: int
    topic: str
    docno: str
    labels: tuple[str, ...] = ()
    assessor: str = ""
    purpose: str = ""
    kind: str = ""
    reason: str = ""
    comment: str = ""
    flags: tuple[str, ...] = ()
    original_docno: str = ""
    passages: tuple[Passage, ...] = ()
    active_seconds: float | None = None
    judged_at: str = ""
    revision: int | None = None
    uuid: str = ""
    third: bool = False
    columns: tuple[int | None, int | None, int | None] = (None, None, None)

    @property
    def excerpt(self) -> str:
        """The text that a fault quotes."""
        return " ".join(text for text in (self.topic, self.docno, ", ".join(self.labels)) if text)


Parser = Callable[[str, FaultReporter], Iterator[JudgmentRecord]]


@dataclass(frozen=True)
class JudgmentFormat:
    """A judgment file format."""

    name: str
    title: str
    parse: Parser


NAMES: dict[str, tuple[str, ...]] = {
    "topic": (
        "topic", "topic_id", "topicid", "topic_number", "query_id", "queryid", "qid", "query_no",
    ),
    "docno": (
        "docno", "doc_id", "docid", "document_id", "documentid", "doc_no", "corpus_id",
        "passage_id", "pid", "did", "doc",
    ),
    "labels": (
        "grade", "label", "labels", "relevance", "rel", "judgment", "judgement", "rating",
        "score", "relevance_label", "choice", "sentiment",
    ),
    "assessor": (
        "assessor", "assessor_id", "annotator", "annotator_id", "completed_by", "judge", "rater",
        "worker", "worker_id", "username", "user",
    ),
    "comment": ("comment", "comments", "note", "notes", "explanation", "rationale"),
    "judged_at": (
        "judged_at", "annotated_at", "timestamp", "updated_at", "created_at", "time", "date",
    ),
    "active_seconds": ("active_seconds", "seconds", "lead_time", "duration"),
    "kind": ("kind",),
    "reason": ("reason",),
    "flags": ("flags",),
    "duplicate_of": ("duplicate_of",),
    "passages": ("passages",),
    "purpose": ("purpose",),
    "revision": ("revision",),
    "uuid": ("uuid", "client_uuid"),
    "third": ("third",),
}  # fmt: skip
"""By field, the names that files use, in order of precedence; case and ``-`` are ignored."""
IDS = ("topic", "docno")
_IN_TEXT = {
    name: re.compile(
        rf"^[ \t]*(?:{'|'.join(NAMES[name])})[ \t]*[:=][ \t]*(\S+)[ \t]*$",
        re.IGNORECASE | re.MULTILINE,
    )
    for name in IDS
}


@dataclass
class MatchedFields:
    """Which names of the file matched which field, and the unmatched ones, with counts."""

    fields: dict[str, Counter[str]] = field(default_factory=dict)
    unmatched: Counter[str] = field(default_factory=Counter)
    from_text: int = 0

    def count(self, names: Iterable[str], roles: Mapping[str, str], times: int = 1) -> None:
        """Count the ``names`` of so many records, of which ``roles`` have matched."""
        for role, name in roles.items():
            self.fields.setdefault(role, Counter())[name] += times
        for name in set(names) - set(roles.values()):
            self.unmatched[name] += times

    @property
    def ignored(self) -> list[str]:
        return list(self.unmatched)

    def list_matches(self) -> list[tuple[str, str]]:
        """``(field, names in the file)`` in the order of ``NAMES``."""
        return [(name, ", ".join(self.fields[name])) for name in NAMES if name in self.fields]


def normalize_field_name(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def match_field_names(names: Iterable[str]) -> dict[str, str]:
    """By field, the name among ``names`` that matches it."""
    by_normalized = {normalize_field_name(name): name for name in reversed(list(names))}
    roles = {}
    for role, candidates in NAMES.items():
        name = next((by_normalized[c] for c in candidates if c in by_normalized), None)
        if name is not None:
            roles[role] = name
    return roles


@lru_cache(1_000)
def match_known_names(names: tuple[str, ...]) -> dict[str, str]:
    """``match_field_names`` of the names of a record, which are those of most others."""
    return match_field_names(names)


def parse_entry(record: JudgmentRecord, matched: MatchedFields) -> JudgmentEntry:
    """The record under our own field names; the matches are counted in ``matched``."""
    roles = match_known_names(tuple(record.values))
    matched.count(record.values, roles)
    values = {role: record.values[name] for role, name in roles.items()}
    ids = {name: value_to_text(values.get(name)) for name in IDS}
    if "" in ids.values() and isinstance(record.values.get("text"), str):
        found_ids = {
            name: ids[name] or find_id_in_text(name, record.values["text"]) for name in IDS
        }
        matched.from_text += found_ids != ids
        ids = found_ids
    places = [record.columns.get(roles.get(name, "")) for name in (*IDS, "labels")]
    return JudgmentEntry(
        line=record.line,
        topic=ids["topic"],
        docno=ids["docno"],
        labels=parse_labels(values.get("labels")),
        assessor=parse_person(values.get("assessor")),
        comment=parse_comment(values.get("comment")),
        flags=parse_flags(values.get("flags")),
        passages=parse_passages(values.get("passages")),
        active_seconds=parse_number(values.get("active_seconds")),
        revision=parse_integer(values.get("revision")),
        third=is_true(values.get("third")),
        columns=(places[0], places[1], places[2]),
        original_docno=value_to_text(values.get("duplicate_of")),
        **{
            name: value_to_text(values.get(name))
            for name in ("purpose", "kind", "reason", "judged_at", "uuid")
        },
    )


def find_id_in_text(name: str, text: str) -> str:
    """The ID in a line such as ``query_id: 17`` of the text, or an empty string."""
    match = _IN_TEXT[name].search(text)
    return match.group(1) if match else ""


def value_to_text(value: object) -> str:
    """A value as text; an integer never as ``2.0``."""
    if value is None or isinstance(value, bool):
        return ""
    if type(value) is str and value.isascii() and value.isalnum():
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode().replace("\0", " ").strip(" \t\n\r\x0b\x0c")


def parse_labels(value: object) -> tuple[str, ...]:
    """Every label of a record: a list of texts or numbers, or of ``[start, end, label]``."""
    texts = (value_to_text(parse_label(item)) for item in to_list(value))
    return tuple(text for text in texts if text)


def parse_label(item: object) -> object:
    if isinstance(item, Mapping):
        return item.get("label", item.get("text"))
    if isinstance(item, list):
        return item[-1] if item else None
    return item


def parse_flags(value: object) -> tuple[str, ...]:
    """Flags from a list or a ``|``-separated cell."""
    items = value.split("|") if isinstance(value, str) else to_list(value)
    return tuple(text for text in map(value_to_text, items) if text)


def parse_comment(value: object) -> str:
    """A comment, or the comments of a list, one per line."""
    items = value if isinstance(value, list) else [value]
    own = (i.get("comment", i.get("text", i)) if isinstance(i, Mapping) else i for i in items)
    texts = [value_to_text(item) for item in own]
    return "\n".join(text for text in texts if text)[:10_000]


def parse_person(value: object) -> str:
    """A name or number; of an object, the username, email address or number."""
    if isinstance(value, Mapping):
        names = ("username", "email", "id")
        value = next((value[name] for name in names if value.get(name)), None)
    return value_to_text(value)


def parse_passages(value: object) -> tuple[Passage, ...]:
    """Passages, ``[start, end, text]`` each; anything of another shape is ignored."""
    shaped = [item for item in to_list(value) if isinstance(item, list) and len(item) == 3]
    passages = []
    for first, last, text in shaped:
        start, end = parse_integer(first), parse_integer(last)
        nowhere = start is None and end is None
        if value_to_text(text) and (nowhere or (start is not None and start < (end or 0))):
            passages.append((start, end, value_to_text(text)))
    return tuple(passages)


def to_list(value: object) -> list[Any]:
    """A list, also from JSON within a cell; a single value as a list of one."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = parse_json(value)
        except ValueError:
            return [value]
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value is None else [value]


def parse_number(value: object) -> float | None:
    try:
        number = float(value_to_text(value))
    except ValueError:
        return None
    return number if 0 <= number <= 86_400 else None


def is_true(value: object) -> bool:
    """A truth value as JSON, CSV by Python, or a spreadsheet writes it; anything else is false."""
    return value is True or str(value).strip().lower() in ("true", "1", "yes")


def parse_integer(value: object) -> int | None:
    text = value_to_text(value)
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else None
