"""A text for reading: blocks of its characters, in chunks and pages that a browser can show.

Every block is exactly ``body[start : start + len(text)]``, so a selection in a page maps to
offsets into the body. Lines that were broken for width are therefore not joined here but marked
as wrapped, and the style sheet lets them flow.

Offsets count characters (code points), as Python does; scripts must do the same.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

PIECE = 200_000
"""Characters of a page at first, and of each continuation."""
CHUNK = 20_000
"""Characters of a section that the browser lays out only when it scrolls into view."""
MIN_WRAPPED_LENGTH = 28
"""Lines at least this long on average were broken for width, not for meaning."""
INDENT = ("  ", "\t")
MAX_GAP = 3
"""Empty lines that are kept between two blocks where a text is shown as it is written."""
LONG_LINE = 200
"""A line with more characters is of no column: it wraps in every layout."""
MAX_WORD_LENGTH = 20
"""More characters per word than this on average: a script without spaces, or not prose."""

_LISTED = re.compile(r"\s*([-*•·]|\d+[.)])\s")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph (``wrapped``), meaningful lines (``lines``), or code (``verbatim``).

    ``goes_on``: this block continues the one before, which was cut in the middle. ``gap``: the
    empty lines before it, at most ``MAX_GAP``.
    """

    start: int
    text: str
    kind: str = "wrapped"
    goes_on: bool = False
    gap: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_long(self) -> bool:
        """Whether a line of it wraps even where lines are shown as written."""
        return any(len(line) > LONG_LINE for line in self.text.split("\n"))


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Blocks of about ``CHUNK`` characters together."""

    start: int
    blocks: list[TextBlock]


@dataclass(frozen=True, slots=True)
class TextPage:
    """The part of a body on one page; ``next`` is the offset of the rest, None at the end."""

    start: int
    chunks: list[TextChunk]
    next: int | None


def slice_text_page(body: str, start: int = 0, *, size: int = PIECE) -> TextPage:
    """The part of ``body`` from ``start``: about ``size`` characters, cut between blocks."""
    start = min(max(start, 0), len(body))
    end = _find_cut(body, start, size)
    gap = int(body[max(start - 2, 0) : start] == "\n\n")
    chunks = list(_chunks(split_blocks(body[start:end], start, gap)))
    return TextPage(start, chunks, end if end < len(body) else None)


def build_text_page(text: str, base: int = 0) -> TextPage:
    """All of ``text``, which starts at ``base`` of its body, as one page."""
    return TextPage(base, list(_chunks(split_blocks(text, base))), None)


def split_blocks(text: str, base: int = 0, gap: int = 0) -> Iterator[TextBlock]:
    """The blocks of ``text``, which starts at ``base`` of its body after ``gap`` empty lines."""
    before = 0
    for start, end in _parts(text):
        part = text[start:end]
        lines = part.split("\n")
        if not part.strip():
            continue
        gap = min(max(text.count("\n", before, start) - 1, 0), MAX_GAP) if before else gap
        before = end
        if _is_verbatim(lines):
            yield from _split_long_block(TextBlock(base + start, part, "verbatim", gap=gap))
            continue
        for begin, paragraph in _paragraphs(lines):
            at, joined = base + start + begin, "\n".join(paragraph)
            block = TextBlock(at, joined, _kind(paragraph), gap=0 if begin else gap)
            yield from _split_long_block(block)


def measure_text_length(text: str) -> tuple[int, str]:
    """The length of a text in words, or in characters if no spaces separate the words."""
    words = len(text.split())
    if len(text) > MAX_WORD_LENGTH * max(words, 1):
        return len(text), "character"
    return words, "word"


def strip_tags_for_count(html: str) -> str:
    """The text of sanitized HTML, for counting."""
    return _TAG.sub(" ", html)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of the parts between empty lines."""
    start = len(text) - len(text.lstrip("\n"))
    for gap in _EMPTY_LINES.finditer(text, start):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text.rstrip("\n")) if text[start:].strip() else start


def _is_verbatim(lines: list[str]) -> bool:
    """Whether the lines are mostly indented, or an interpreter session."""
    indented = sum(line.startswith(INDENT) for line in lines)
    return 2 * indented > len(lines) or any(line.startswith(">>>") for line in lines)


def _paragraphs(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """``(offset, lines)``; an indented line starts a new paragraph, as on a printed page."""
    at = begin = 0
    begun: list[str] = []
    for line in lines:
        if begun and line.startswith(INDENT):
            yield begin, begun
            begun = []
        begin = begin if begun else at
        begun.append(line)
        at += len(line) + 1
    if begun:
        yield begin, begun


def _kind(lines: list[str]) -> str:
    is_list = sum(_LISTED.match(line) is not None for line in lines) > 1
    if len(lines) < 2 or is_list:
        return "lines"
    length = sum(len(line.strip()) for line in lines[:-1])
    return "lines" if length < MIN_WRAPPED_LENGTH * (len(lines) - 1) else "wrapped"


def _split_long_block(block: TextBlock) -> Iterator[TextBlock]:
    """The block, split if it is longer than a chunk, as a text without paragraphs is."""
    start = 0
    while start < len(block.text):
        end = _find_cut(block.text, start, CHUNK)
        part, gap = block.text[start:end], 0 if start else block.gap
        yield TextBlock(block.start + start, part, block.kind, goes_on=start > 0, gap=gap)
        start = end


def _find_cut(text: str, start: int, size: int) -> int:
    """The end of a part of at most ``size`` from ``start``: ideally before an empty line."""
    end = start + size
    if end >= len(text):
        return len(text)
    for sign in ("\n\n", "\n", " "):
        cut = text.rfind(sign, start + size // 2, end)
        if cut >= 0:
            return cut + len(sign)
    # HTML drops a line feed at the start of an element.
    return end + 1 if text[end] == "\n" else end


def _chunks(blocks: Iterable[TextBlock]) -> Iterator[TextChunk]:
    gathered: list[TextBlock] = []
    length = 0
    for block in blocks:
        if gathered and length + len(block.text) > CHUNK:
            yield TextChunk(gathered[0].start, gathered)
            gathered, length = [], 0
        gathered.append(block)
        length += len(block.text)
    if gathered:
        yield TextChunk(gathered[0].start, gathered)
