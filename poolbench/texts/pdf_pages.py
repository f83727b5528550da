"""PDF documents as pages: the lines of their text with places, and pictures (extra ``pdf``).

A PDF may be anybody's, and reading it is the work of a large C library. So both are done in a child
process with limits on time and memory: whatever a file does there, the caller gets an answer or
``UnreadablePdfError``.

The text layer of a document is the text of each page, its lines ended by a newline, followed by a
form feed: so it has as many form feeds as the document has pages, also where a page is a scan.
"""

import io
import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate, pairwise
from typing import Any

PAGE_END = "\f"
MOST_PAGES, MOST_LINES = 2_000, 5_000
"""A document with more pages, or with more lines on a page, is not read at all: what the desk then
said of it would not be true.
"""
MOST_PIXELS, MOST_SIDE = 20_000_000, 16_000
SECONDS, RENDER_SECONDS = 60, 15
MEMORY = 2 << 30
UNIT = 10_000
"""Places and sizes are in this part of the width and height of a page."""
LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    | dict.fromkeys("\x02\xad\ufffe", "-")
)
GAP, GAP_OF_BREAK = 1.8, 1.0
"""A line ends where the next character is further away than this many heights of a line, less than
the two to 2.4 between two columns of a paper; the second where the library sees a break, which it
also does between words that were written one by one. Words of one line that were taken for two are
still found together, two columns that were taken for one are not.
"""


class UnreadablePdfError(Exception):
    """The file is damaged, encrypted, or takes too long; or the extra is not installed."""


@dataclass(frozen=True)
class PdfLine:
    """A line of text in its box, as parts of ``UNIT`` of the page from its upper left corner."""

    text: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class PdfPage:
    """``width`` and ``height`` in points, as the page is shown; a scan has no lines."""

    width: float
    height: float
    lines: tuple[PdfLine, ...]


def can_read_pdf() -> bool:
    """Whether the extra ``pdf`` is installed."""
    return bool(find_spec("pypdfium2") and find_spec("PIL"))


def read_pages(data: bytes) -> list[PdfPage]:
    """The pages of a PDF, at most ``MOST_PAGES``. Raises ``UnreadablePdfError``."""
    rows = json.loads(_run_child(data, SECONDS, "read"))
    return [
        PdfPage(width, height, tuple(PdfLine(*line) for line in lines))
        for width, height, lines in rows
    ]


def draw_pdf_pages(data: bytes, pages: Sequence[int], width: int) -> list[bytes]:
    """Each of ``pages`` (from 0) as a WebP picture of ``width`` pixels. Raises
    ``UnreadablePdfError`` as ``read_pages`` does, also if only one of them cannot be drawn.
    """
    answer = _run_child(data, RENDER_SECONDS, "render", str(width), *map(str, pages))
    sizes, _, pictures = answer.partition(b"\n")
    ends = list(accumulate(map(int, sizes.split())))
    return [pictures[start:end] for start, end in pairwise([0, *ends])]


def build_text_layer(pages: Sequence[PdfPage]) -> str:
    """The text of ``pages`` as the body of a document."""
    return "".join("".join(f"{line.text}\n" for line in page.lines) + PAGE_END for page in pages)


def _run_child(data: bytes, seconds: int, *arguments: str) -> bytes:
    if not can_read_pdf():
        raise UnreadablePdfError("PDF files cannot be read here: install the extra pdf.")
    command = [sys.executable, "-m", "poolbench.texts.pdf_pages", *arguments]
    try:
        done = subprocess.run(  # noqa: S603 (our own module)
            command, input=data, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnreadablePdfError(f"It takes more than {seconds} seconds.") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise UnreadablePdfError(lines[-1][:200] if lines else "The file is damaged.")
    return done.stdout


def _read(document: Any) -> bytes:
    if len(document) > MOST_PAGES:
        raise ValueError(f"more than {MOST_PAGES:,} pages")
    pages = []
    for number in range(len(document)):
        page = document[number]
        width, height = page.get_size()
        lines = list(_iter_lines(page))
        if len(lines) > MOST_LINES:
            raise ValueError(f"more than {MOST_LINES:,} lines on page {number + 1}")
        pages.append([width, height, lines])
        page.close()
    return json.dumps(pages).encode()


def _iter_lines(page: Any) -> Iterator[list[str | int]]:
    """Text and box of each line, in the order of the file's text."""
    from pypdfium2 import raw

    text = page.get_textpage()
    line, box, has_break = "", None, False
    for at in range(text.count_chars()):
        code = raw.FPDFText_GetUnicode(text, at)
        letter = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
        if not letter.strip() or letter == "\0":
            has_break = has_break or letter in ("\r", "\n")
            line += " "
            continue
        place = _place(page, text.get_charbox(at, loose=True))
        if box is not None and _is_apart(box, place, GAP_OF_BREAK if has_break else GAP):
            yield from _finish(line, box)
            line, box = "", None
        line, has_break = line + letter, False
        box = place if box is None else _join(box, place)
    yield from _finish(line, box)


def _place(page: Any, box: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom on the page as it is shown, which may be rotated."""
    import ctypes

    from pypdfium2 import raw

    left, bottom, right, top = box
    corners = []
    for x, y in ((left, top), (right, bottom)):
        device_x, device_y = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, UNIT, UNIT, 0, x, y, device_x, device_y)
        corners.append((device_x.value, device_y.value))
    (x, y), (other_x, other_y) = corners
    return min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y)


def _is_apart(box: tuple[int, ...], place: tuple[int, ...], gap: float) -> bool:
    """Whether a character is in another column than the line so far, or in another line."""
    height = max(box[3] - box[1], place[3] - place[1], 1)
    overlap = min(box[3], place[3]) - max(box[1], place[1])
    beside = max(place[0] - box[2], box[0] - place[2])
    return beside > gap * height or overlap < 0


def _join(box: tuple[int, ...], place: tuple[int, ...]) -> tuple[int, int, int, int]:
    least = [min(box[at], place[at]) for at in (0, 1)]
    most = [max(box[at], place[at]) for at in (2, 3)]
    return least[0], least[1], most[0], most[1]


def _finish(line: str, box: tuple[int, ...] | None) -> Iterator[list[str | int]]:
    text = " ".join(line.translate(LIGATURES).replace(PAGE_END, " ").split())
    if text and box is not None:
        yield [text, box[0], box[1], max(box[2] - box[0], 1), max(box[3] - box[1], 1)]


def _render(document: Any, numbers: Sequence[int], width: int) -> bytes:
    """The sizes of the pictures on a line, then the pictures."""
    pictures = [_render_page(document[number], width) for number in numbers]
    return b" ".join(b"%d" % len(picture) for picture in pictures) + b"\n" + b"".join(pictures)


def _render_page(page: Any, width: int) -> bytes:
    own_width, own_height = page.get_size()
    scale = min(
        width / own_width,
        (MOST_PIXELS / (own_width * own_height)) ** 0.5,
        MOST_SIDE / max(own_width, own_height),
    )
    picture = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=85, method=2)
    return out.getvalue()


def main(arguments: Sequence[str]) -> None:
    """The child: the PDF comes on standard input, the answer goes to standard output."""
    import pypdfium2

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
        if arguments[0] == "read":
            answer = _read(document)
        else:
            width, *numbers = map(int, arguments[1:])
            answer = _render(document, numbers, width)
    except (pypdfium2.PdfiumError, MemoryError, OSError, ValueError, IndexError) as error:
        sys.exit(f"The file cannot be read ({error}).")
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    main(sys.argv[1:])
