"""Records and entries of a judgment file, before names are resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from campaigns.core.records import RecordCodes

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


@dataclass(frozen=True, slots=True)
class JudgmentEntry:
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


FaultReporter = Callable[..., None]
"""Adds a fault of a malformed record: line, message, excerpt, and column by keyword."""
Parser = Callable[[str, FaultReporter], Iterator[JudgmentRecord]]


@dataclass(frozen=True)
class JudgmentFormat:
    """A judgment file format. ``looks`` describes its content."""

    name: str
    title: str
    looks: str
    parse: Parser
