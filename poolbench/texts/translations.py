"""A document and its translation, aligned by the pairs of segments that their file gives."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poolbench.texts.text_pages import PIECE, TextPage, build_text_page

SIDES = ("original", "translation")
GROUP = 50


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """Two texts side by side; ``number`` counts from 0."""

    number: int
    original: TextPage
    translation: TextPage


@dataclass(frozen=True, slots=True)
class AlignedRows:
    """The rows on one page; ``next`` is the number of the first one after them, None at the end."""

    rows: list[AlignedRow]
    next: int | None

    @property
    def groups(self) -> list[list[AlignedRow]]:
        """Of ``GROUP`` rows, which the browser lays out together when they scroll into view."""
        return [self.rows[at : at + GROUP] for at in range(0, len(self.rows), GROUP)]


class AlignmentError(ValueError):
    """A segment that is not in its text after the segments before it."""


def align_segments(
    original: str, translation: str, pairs: Sequence[Sequence[str]]
) -> list[tuple[int, int]]:
    """Where each row begins in the two texts, in characters: the first at 0, each further one where
    its segments are found after those before them, however their words are spaced. So the rows
    have all of both texts. An empty segment has no text on its side.

    Raises ``AlignmentError`` for a segment that is not found.
    """
    texts, at = (original, translation), [0, 0]
    rows: list[tuple[int, int]] = []
    for number, pair in enumerate(pairs, 1):
        starts = list(at)
        for side, segment in enumerate(pair):
            if not segment.strip():
                continue
            place = _find_segment(texts[side], segment.strip(), at[side])
            if place is None:
                message = f"Segment {number} is not in the text of the {SIDES[side]}"
                raise AlignmentError(f"{message}, or stands before segment {number - 1}.")
            starts[side], at[side] = place
        rows.append((starts[0], starts[1]) if rows else (0, 0))
    return rows


def _find_segment(text: str, segment: str, start: int) -> tuple[int, int] | None:
    """Where ``segment`` begins and ends in ``text`` from ``start`` on."""
    while start < len(text) and text[start].isspace():
        start += 1
    if text.startswith(segment, start):  # As it should be, and much faster than a pattern.
        return start, start + len(segment)
    match = re.compile(r"\s+".join(map(re.escape, segment.split()))).search(text, start)
    return match.span() if match else None


def slice_aligned_rows(
    original: str,
    translation: str,
    starts: Sequence[Sequence[int]],
    first: int = 0,
    *,
    size: int = PIECE,
) -> AlignedRows:
    """The rows from number ``first``, of about ``size`` characters together."""
    rows: list[AlignedRow] = []
    length = 0
    for row in _iter_rows(original, translation, starts, min(max(first, 0), len(starts))):
        if length > size:
            return AlignedRows(rows, row.number)
        rows.append(row)
        length += _measure(row.original) + _measure(row.translation)
    return AlignedRows(rows, None)


def _iter_rows(
    original: str, translation: str, starts: Sequence[Sequence[int]], first: int
) -> Iterator[AlignedRow]:
    for number in range(first, len(starts)):
        (left, right) = starts[number]
        end = starts[number + 1] if number + 1 < len(starts) else (len(original), len(translation))
        cells = (original[left : end[0]], left), (translation[right : end[1]], right)
        yield AlignedRow(number, *(build_text_page(*cell) for cell in cells))


def _measure(page: TextPage) -> int:
    return sum(len(block.text) for chunk in page.chunks for block in chunk.blocks)
