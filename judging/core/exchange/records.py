"""What a file of judgments says, before anything is looked up: records and entries."""

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
    none="EJ06",
    no_id="EJ07",
    bad_id="EJ13",
    twice="EJ03",
    declaration="",
    latin="WJ01",
)


Passage = tuple[int | None, int | None, str]
"""Where a marked passage begins and ends in the document, where that is known; its text."""


@dataclass(frozen=True, slots=True)
class JudgmentRecord:
    """One judgment as it stands in the file: values by the names that the file uses.

    ``columns`` says at which character of ``line`` a value stands, where that is known.
    """

    line: int
    values: Mapping[str, Any]
    columns: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgmentEntry:
    """One judgment by our own names; empty where the file says nothing.

    ``labels`` are texts as they stand in the file: none for an unlabelled record, several
    where an annotator chose several. ``columns`` are those of topic, docno and label.
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
    duplicate_of: str = ""
    passages: tuple[Passage, ...] = ()
    active_seconds: float | None = None
    judged_at: str = ""
    revision: int | None = None
    uuid: str = ""
    columns: tuple[int | None, int | None, int | None] = (None, None, None)

    @property
    def shown(self) -> str:
        """What a fault quotes."""
        return " ".join(text for text in (self.topic, self.docno, ", ".join(self.labels)) if text)


Tell = Callable[..., None]
"""Adds a fault of a malformed record: line, message, excerpt, and column by keyword."""
Parser = Callable[[str, Tell], Iterator[JudgmentRecord]]


@dataclass(frozen=True)
class JudgmentFormat:
    """A file format of judgments. ``looks`` says in a sentence what stands in it."""

    name: str
    title: str
    looks: str
    parse: Parser
