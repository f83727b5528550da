"""The faults of a file, and the report of all of them, grouped by code.

Readers never stop at the first fault; they add to a ``FaultReport`` and the caller decides.
Codes are stable: E.. are errors (the file is rejected), W.. are warnings (it is accepted).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SHOWN_PER_CODE = 25
EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``line`` and ``column`` count from 1; ``column`` is a character position."""

    code: str
    message: str
    fix: str
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    file: str = ""

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p not in (None, ""))
        seen = f" [{self.excerpt}]" if self.excerpt else ""
        return f"{place}{': ' if place else ''}{self.code} {self.message}{seen} {self.fix}".strip()


@dataclass
class FaultReport:
    """All faults of one file: each one is counted, the first 25 per code are kept."""

    file: str = ""
    faults: list[Fault] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        code: str,
        message: str,
        fix: str,
        *,
        line: int | None = None,
        column: int | None = None,
        excerpt: str | bytes = "",
    ) -> None:
        self.counts[code] += 1
        if self.counts[code] <= SHOWN_PER_CODE:
            self.faults.append(
                Fault(code, message, fix, line, column, escape_excerpt(excerpt), self.file)
            )

    def take(self, other: "FaultReport") -> None:
        """Add the faults of ``other``, a report on a part of this file."""
        for code, count in other.counts.items():
            first = [fault for fault in other.faults if fault.code == code]
            self.faults += first[: max(0, SHOWN_PER_CODE - self.counts[code])]
            self.counts[code] += count

    @property
    def has_errors(self) -> bool:
        return any(code.startswith("E") for code in self.counts)

    def raise_errors(self) -> None:
        """Raise ``InvalidFile`` with all faults if any is an error."""
        if self.has_errors:
            raise InvalidFile(self)

    def grouped(self) -> list[tuple[str, int, list[Fault]]]:
        """``(code, count, shown faults)``, errors before warnings, codes in order."""
        return [
            (code, self.counts[code], [f for f in self.faults if f.code == code])
            for code in sorted(self.counts)
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "counts": dict(sorted(self.counts.items())),
            "faults": [fault.as_dict() for fault in self.faults],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "FaultReport":
        faults = [Fault(**fault) for fault in data.get("faults", [])]
        return cls(data.get("file", ""), faults, Counter(data.get("counts", {})))


class InvalidFile(ValueError):  # noqa: N818 -- it is the file that is invalid
    """A file that is rejected; ``report`` lists all its faults."""

    def __init__(self, report: FaultReport) -> None:
        self.report = report
        super().__init__("\n".join(str(fault) for fault in report.faults))


def format_count(number: int, noun: str, nouns: str = "") -> str:
    """``1 line``, ``2 lines``, ``1,000 lines``; ``nouns`` is a plural of another form."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def list_names(names: Sequence[str], most: int = 5) -> str:
    """The first ``most`` names, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def escape_excerpt(text: str | bytes, limit: int = EXCERPT) -> str:
    """At most ``limit`` printable characters of ``text``; control characters as escapes."""
    if isinstance(text, bytes):
        text = text[: 4 * limit].decode("utf-8", "backslashreplace")
    cut = text[:limit]
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return printable + ("…" if len(text) > limit else "")
