"""Pages as tests read them: HTML without the whitespace that only lays out templates."""

from __future__ import annotations

import re
from typing import Any

VERBATIM = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)
TAG = re.compile(r"(<[a-zA-Z/!](?:\"[^\"]*\"|'[^']*'|[^'\">])*>)", re.DOTALL)
BLOCKS = set(
    [
        "html",
        "head",
        "body",
        "main",
        "header",
        "footer",
        "nav",
        "section",
        "article",
        "aside",
        "div",
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
        "caption",
        "form",
        "fieldset",
        "legend",
        "figure",
        "figcaption",
        "details",
        "summary",
        "option",
        "select",
        "template",
        "desc",
        "title",
        "meta",
        "link",
        "script",
        "style",
    ]
)
"""Elements with no blank on either side; other elements have none inside at either end."""


def read_page(response: Any) -> str:
    """The HTML of ``response``; the text as it is if it is no HTML."""
    text: str = response.content.decode()
    return tidy_html(text) if "html" in response.get("Content-Type", "") else text


def tidy_html(html: str) -> str:
    """``html`` with runs of whitespace as one blank, and none where a browser shows none.

    Attributes are on one line. ``pre`` and ``textarea`` keep their text.
    """
    pieces = VERBATIM.split(html)
    return "".join(
        piece if at % 3 == 1 else _tidy_pieces(piece)
        for at, piece in enumerate(pieces)
        if at % 3 != 2
    )


def _tidy_pieces(html: str) -> str:
    pieces = TAG.split(html)
    for at, piece in enumerate(pieces):
        piece = re.sub(r"\s+", " ", piece)
        if at % 2:
            pieces[at] = re.sub(r'(=") | (?=")', r"\1", re.sub(r" (?=/?>$)", "", piece))
            continue
        before = pieces[at - 1] if at else ""
        after = pieces[at + 1] if at + 1 < len(pieces) else ""
        if _is_block(before) or not before.startswith("</"):
            piece = piece.lstrip(" ") if before else piece
        if _is_block(after) or after.startswith("</"):
            piece = piece.rstrip(" ")
        pieces[at] = piece
    return "".join(pieces)


def _is_block(tag: str) -> bool:
    return bool(tag) and tag.strip("</>").split()[0].lower() in BLOCKS
