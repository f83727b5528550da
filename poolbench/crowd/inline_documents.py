"""Documents inside a page: their sanitized HTML without all that leads or points elsewhere."""

import re

import nh3

TAGS = {
    *("abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "dd", "del", "dfn"),
    *("dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i"),
    *("img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small", "strong"),
    *("sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "var", "wbr"),
    *("div", "span"),
}
ATTRIBUTES = {
    "*": {"dir"},
    "img": {"alt", "src"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_HEADING = re.compile(r"(</?h)([1-6])\b")
LEVELS_DOWN = 2
"""The page has the question as its h1 and the document's title as an h2."""


def make_inline_html(body: str) -> str:
    """``body``, which ``poolbench.texts.html_sanitizer`` made, as a part of another page.

    Links lose their address but keep their text; landmarks, IDs and titles go; headings move below
    those of the page. Pictures are those within the document itself.
    """
    clean = nh3.clean(body, tags=TAGS, attributes=ATTRIBUTES, url_schemes={"data"}, link_rel=None)
    return _HEADING.sub(lambda tag: f"{tag[1]}{min(6, int(tag[2]) + LEVELS_DOWN)}", clean)
