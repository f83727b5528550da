"""What changed between two versions of a text, by lines."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Line:
    """A line of both versions (``same``), of the new only (``new``), of the old only (``gone``)."""

    kind: str
    text: str


def changes(old: str, new: str) -> list[Line]:
    """The lines of both versions in order, what is gone before what came in its place."""
    before, after = old.splitlines(), new.splitlines()
    lines: list[Line] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line("same", text) for text in after[c:d]]
        else:
            lines += [Line("gone", text) for text in before[a:b]]
            lines += [Line("new", text) for text in after[c:d]]
    return lines
