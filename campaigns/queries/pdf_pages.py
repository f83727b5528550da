"""The pages of a PDF on a page: pictures with the text of their lines at its place."""

from dataclasses import dataclass

from campaigns.models import Document, PdfLayout
from poolbench.texts.pdf_pages import PAGE_END

PAGES = 6
"""Pages at first, and in each continuation."""


@dataclass(frozen=True)
class PdfTextLine:
    """``start`` is its offset in the document's body; ``box`` as in ``PdfLayout``."""

    start: int
    text: str
    box: str


@dataclass(frozen=True)
class PdfPageView:
    """``number`` counts from 1; ``start`` is the offset of its text."""

    number: int
    start: int
    width: int
    height: int
    lines: list[PdfTextLine]


@dataclass(frozen=True)
class PdfPart:
    """``next`` is the offset of the rest, None at the end."""

    pages: list[PdfPageView]
    next: int | None
    has_text: bool
    count: int


def slice_pdf_pages(document: Document, start: int = 0, most: int = PAGES) -> PdfPart | None:
    """At most ``most`` pages from the offset ``start`` of the text; None if it was not read."""
    layout: PdfLayout | None = getattr(document, "layout", None)
    if layout is None:
        return None
    texts = document.body.split(PAGE_END)[:-1]
    views: list[PdfPageView] = []
    at = 0
    for number, (text, (width, height, boxes)) in enumerate(
        zip(texts, layout.pages, strict=False), 1
    ):
        if at >= start and len(views) <= most:
            views.append(build_page_view(number, at, text, (round(width), round(height)), boxes))
        at += len(text) + 1
    rest = views[most].start if len(views) > most else None
    return PdfPart(views[:most], rest, any(text.strip() for text in texts), len(texts))


def build_page_view(
    number: int, start: int, text: str, size: tuple[int, int], boxes: list[list[int]]
) -> PdfPageView:
    lines, at = [], start
    for line, box in zip(text.split("\n"), boxes, strict=False):
        lines.append(PdfTextLine(at, line, " ".join(map(str, box))))
        at += len(line) + 1
    return PdfPageView(number, start, *size, lines)
