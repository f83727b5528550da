"""The difference between two versions of a text, by line."""

from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 1_000


@dataclass(frozen=True)
class DiffLine:
    """A line of both versions (``same``), of the new only (``new``), of the old only (``gone``)."""

    kind: str
    text: str


def diff_lines(old: str, new: str) -> list[DiffLine]:
    """The lines of both versions in order, deleted lines before those that replace them.

    Comparing takes quadratic time: of more than ``MOST_LINES`` lines all are replaced.
    """
    before, after = old.splitlines(), new.splitlines()
    lines: list[DiffLine] = []
    if max(len(before), len(after)) > MOST_LINES:
        return [DiffLine("gone", text) for text in before] + [
            DiffLine("new", text) for text in after
        ]
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for tag, a, b, c, d in codes:
        if tag == "equal":
            lines += [DiffLine("same", text) for text in after[c:d]]
        else:
            lines += [DiffLine("gone", text) for text in before[a:b]]
            lines += [DiffLine("new", text) for text in after[c:d]]
    return lines
