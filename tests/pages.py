"""Pages as tests read them: HTML without the whitespace that only lays out templates."""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.urls import URLPattern, get_resolver

VERBATIM = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)
TAG = re.compile(r"(<[a-zA-Z/!](?:\"[^\"]*\"|'[^']*'|[^'\">])*>)", re.DOTALL)
VALUE_OR_BLANKS = re.compile(r"(value=\"[^\"]*\")|\s+")
BLOCKS = {
    "html", "head", "body", "main", "header", "footer", "nav", "section", "article", "aside", "div",
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead",
    "tbody", "tfoot", "tr", "th", "td", "caption", "form", "fieldset", "legend", "figure",
    "figcaption", "details", "summary", "option", "select", "template", "desc", "title", "meta",
    "link", "script", "style",
}  # fmt: skip
"""Elements with no blank on either side; other elements have none inside at either end."""


@cache
def list_url_patterns() -> list[tuple[URLPattern, str]]:
    """Every URL pattern of the site with its whole address."""

    def walk(entries: list[Any], before: str = "") -> Iterator[tuple[URLPattern, str]]:
        for entry in entries:
            address = before + str(entry.pattern)
            if isinstance(entry, URLPattern):
                yield entry, address
            else:
                yield from walk(entry.url_patterns, address)

    return list(walk(get_resolver().url_patterns))


def read_page(response: Any) -> str:
    """The HTML of ``response``, or of a file the text as it is, streamed or not."""
    text: str = response.getvalue().decode()
    return tidy_html(text) if "html" in response.get("Content-Type", "") else text


def read_words(response: Any) -> str:
    """The words of a page, as they are read."""
    text = re.sub(r"</?(var|sup)>", "", read_page(response))
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def tidy_html(html: str) -> str:
    """``html`` with runs of whitespace as one blank, and none where a browser shows none.

    Attributes are on one line. ``pre``, ``textarea`` and ``value`` keep their text.
    """
    pieces = VERBATIM.split(html)
    return "".join(
        piece if at % 3 == 1 else _tidy_pieces(piece)
        for at, piece in enumerate(pieces)
        if at % 3 != 2
    )


def _tidy_pieces(html: str) -> str:
    pieces = [
        VALUE_OR_BLANKS.sub(lambda found: found[1] or " ", piece) for piece in TAG.split(html)
    ]
    for at, piece in enumerate(pieces):
        if at % 2:
            pieces[at] = re.sub(r'(value="[^"]*")|(=") | (?="|/?>$)', r"\1\2", piece)
            continue
        before, after = "".join(pieces[max(0, at - 1) : at]), "".join(pieces[at + 1 : at + 2])
        if _is_block(before) or not before.startswith("</"):
            pieces[at] = pieces[at].lstrip(" ")
        if _is_block(after) or after.startswith("</"):
            pieces[at] = pieces[at].rstrip(" ")
    return "".join(pieces)


def _is_block(tag: str) -> bool:
    return bool(tag) and tag.strip("</>").split()[0].lower() in BLOCKS


def run_command(*args: object, **options: object) -> str:
    """What ``manage.py`` prints for these arguments."""
    out = StringIO()
    call_command(*map(str, args), stdout=out, **options)
    return out.getvalue()
