"""What differs between an archive and what is computed from it again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_LISTED = 25
"""Of one file."""


@dataclass(frozen=True)
class Difference:
    """``subject`` of ``file`` is ``archived`` in the archive and ``computed`` when it is computed
    again; None: it is not there. A file that is not what its checksum says has a ``fault``.
    """

    file: str
    subject: str = ""
    archived: object = None
    computed: object = None
    topic: str = ""
    docno: str = ""
    fault: str = ""

    def __str__(self) -> str:
        if self.fault:
            return f"{self.file}: {self.fault}"
        place = [f"topic {self.topic}"] if self.topic else []
        place += [self.docno] if self.docno else []
        words = ", ".join([*place, self.subject])
        before, after = (format_compared_value(each) for each in (self.archived, self.computed))
        return f"{self.file}: {words}: {before} in the archive, {after} computed again"


def format_compared_value(value: object) -> str:
    return "nothing" if value is None else str(value)


@dataclass
class Verification:
    """``numbers`` of what was checked, by noun; the first ``differences`` of each file, and the
    ``counts`` of all by file; ``notes``: what could not be computed again, and why.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def is_same(self) -> bool:
        return not self.counts

    def add(self, noun: str, number: int, differences: Iterator[Difference]) -> None:
        """Check ``number`` objects, called ``noun``."""
        self.numbers[noun] = number
        for difference in differences:
            self.counts[difference.file] += 1
            if self.counts[difference.file] <= MOST_LISTED:
                self.differences.append(difference)

    def list_lines(self) -> list[str]:
        """The differences, one per line, and how many there are of files with more."""
        lines = [str(each) for each in self.differences]
        return lines + [
            f"{file}: {count - MOST_LISTED:,} more"
            for file, count in self.counts.items()
            if count > MOST_LISTED
        ]
