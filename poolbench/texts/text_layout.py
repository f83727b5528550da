"""Whether a plain text is prose or has columns, decided for the text as a whole.

Prose is set to a measure: its lines flow. A text with columns (code, tables, mail, newswire, RFCs,
man pages) is shown as it is written, in one width for all characters: flowing would pour its
columns together.

The rule counts lines that are not blank, in samples from the beginning, the middle and the end:

- *aligned*: a tab after the first character, or two or more spaces between words that do not
  follow the end of a sentence, twice in the line or three wide; a rule drawn with ``-``, ``=``,
  ``|``, ``+``;
- *code*: a line that ends or begins as in a programming language, or an interpreter's prompt;
- *quoted*: a line that begins with ``>`` or ``|``, as in mail;
- *indented*: two or more spaces, or a tab, at the beginning;
- *hard-wrapped*: in a paragraph of three or more lines, none longer than 100 characters, of which
  all but the last fill more than half of the longest: broken for the width of a page.

A text has columns if (1) it begins with two or more header lines, as mail does; or (2) at least a
quarter of its lines are aligned, code or quoted; or (3) at least half are indented; or (4) it is
hard-wrapped for the most part, and one line in five is indented or aligned: a page of fixed width
with a layout of its own, as newswire is. Shares of fewer than three lines do not count. All else is
prose, also hard-wrapped abstracts with an indented first line, whose lines flow without loss.

No published rule is followed. The numbers were set on the texts of the tests, and on abstracts: of
Cranfield's 1,400 abstracts 22 have columns by it, of CISI's 1,460 there are 75. A text that is
decided wrongly is one key away from the other layout. A line longer than a page is wide wraps in
both (``text_pages.LONG_LINE``), so that no paragraph runs out of sight below a header or a table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

SAMPLE = 30_000
"""Characters of each of the three samples."""
MIN_STRUCTURED_SHARE = 0.25
MIN_LINES = 3
"""Fewer lines of a kind are a signature, an example or the first lines of paragraphs."""
MIN_INDENTED_SHARE = 0.5
MIN_WRAPPED_SHARE = 0.5
MIN_LAYOUT_SHARE = 0.2
MAX_PAGE_WIDTH = 100
"""A longer line was not broken for the width of a page."""

_HEADER = re.compile(r"(?:>?From |[A-Z][A-Za-z-]{1,30}:[ \t]+\S)")
_RULE = re.compile(r"\s*[-=|+_~*#.:]{4,}[-=|+_~*#.: ]*$")
_WIDE_GAP = re.compile(r"\S {3,}\S")
_GAP = re.compile(r"[^\s.!?:»”\"')\]] {2,}\S")
_QUOTED = re.compile(r"\s{0,3}[>|]")
_ITEM = re.compile(r"\s*(?:[-*•·–]|\(?[\divx]{1,4}[.)]|[A-Za-z][.)])\s")
_CODE_END = re.compile(r"(?:[{};\\]|\)\s*:|\w\(|\w\)|[^\s]=|->|=>|\*/|\],?|\),)\s*$")
_CODE_BEGIN = re.compile(
    r"\s*(?:>>> |\.\.\. |\$ |#include\b|#!|//|/\*|\*/|@\w+|<\/?[a-z][\w-]*[ >/]|\}"
    r"|(?:import|from|def|class|return|elif|else:|try:|except|raise|yield|async|await|function"
    r"|const|let|var|public|private|protected|static|void|int|package|namespace|using|struct"
    r"|SELECT|INSERT|CREATE|BEGIN|END)\b(?=.*[(){};:=.*<>])"
    r"|\w+(?:\.\w+)*\s*(?:[-+*/|&]?=)\s*\S|\w+(?:\.\w+)*\(.*\))"
)


class TextKind(StrEnum):
    """Which part of the rule decides: readers choose another layout for each of them."""

    PROSE = "prose"
    HEADER = "header"
    STRUCTURED = "structured"
    INDENTED = "indented"
    PAGE = "page"

    @property
    def layout(self) -> str:
        """Of the text as a whole."""
        return "prose" if self == TextKind.PROSE else "columns"


@dataclass(frozen=True, slots=True)
class LineShares:
    """Shares of the lines that are not blank, of which there are ``total``; 0 without any."""

    total: int
    structured: float
    indented: float
    wrapped: float
    layout: float


def identify_text_kind(text: str) -> TextKind:
    """The first part of the rule by which ``text`` has columns; prose if none does."""
    if _has_header(text):
        return TextKind.HEADER
    shares = compute_line_shares(text)
    some = MIN_LINES / max(shares.total, 1)
    if shares.structured >= max(MIN_STRUCTURED_SHARE, some):
        return TextKind.STRUCTURED
    if shares.indented >= max(MIN_INDENTED_SHARE, some):
        return TextKind.INDENTED
    if shares.wrapped >= MIN_WRAPPED_SHARE and shares.layout >= max(MIN_LAYOUT_SHARE, some):
        return TextKind.PAGE
    return TextKind.PROSE


def compute_line_shares(text: str) -> LineShares:
    """What the rule counts in the samples of ``text``."""
    lines = [line.rstrip() for sample in _samples(text) for line in sample.split("\n")]
    total = sum(bool(line) for line in lines)
    if not total:
        return LineShares(0, 0, 0, 0, 0)
    structured = indented = layout = 0
    for line in filter(None, lines):
        aligned = _is_aligned(line)
        structured += aligned or _is_code(line) or _QUOTED.match(line) is not None
        inside = line.startswith(("  ", "\t")) and _ITEM.match(line) is None
        indented += inside
        layout += aligned or inside
    wrapped = sum(_count_wrapped(paragraph) for paragraph in _paragraphs(lines))
    return LineShares(total, structured / total, indented / total, wrapped / total, layout / total)


def _samples(text: str) -> Iterator[str]:
    """The text, or whole lines from its beginning, middle and end."""
    if len(text) <= 3 * SAMPLE:
        yield text.replace("\r\n", "\n")
        return
    for start in (0, (len(text) - SAMPLE) // 2, len(text) - SAMPLE):
        sample = text[start : start + SAMPLE].replace("\r\n", "\n")
        # The first and the last line may be cut: they say nothing about their ends.
        yield sample.partition("\n")[2].rpartition("\n")[0] or sample


def _has_header(text: str) -> bool:
    """Whether the text begins with two header lines; folded ones continue with a blank."""
    headers = 0
    for line in text[:4_000].lstrip().split("\n"):
        if _HEADER.match(line):
            headers += 1
        elif not (headers and line.startswith((" ", "\t")) and line.strip()):
            break
    return headers >= 2


def _is_aligned(line: str) -> bool:
    body = line.lstrip()
    if "\t" in body or _RULE.match(line):
        return True
    return _WIDE_GAP.search(body) is not None or len(_GAP.findall(body)) > 1


def _is_code(line: str) -> bool:
    return _CODE_BEGIN.match(line) is not None or (
        len(line) <= 2 * MAX_PAGE_WIDTH and _CODE_END.search(line) is not None
    )


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Lines between blank ones; a line indented deeper than the one before begins another."""
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if paragraph and (not line or _indent(line) > _indent(paragraph[-1])):
            yield paragraph
            paragraph = []
        if line:
            paragraph.append(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _count_wrapped(paragraph: list[str]) -> int:
    """The lines of a paragraph that was broken for width; 0 for another."""
    longest = max(map(len, paragraph))
    if len(paragraph) < 3 or not 40 <= longest <= MAX_PAGE_WIDTH:
        return 0
    full = sum(2 * len(line) > longest for line in paragraph[:-1])
    return len(paragraph) if full >= 0.75 * (len(paragraph) - 1) else 0
