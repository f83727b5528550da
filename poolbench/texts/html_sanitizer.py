"""Sanitize HTML: what remains is structure, tables, lists and embedded images.

Scripts, styles, forms, frames, event handlers and anything loaded from other sites are removed
by nh3 (ammonia), which parses as browsers do. Only the sanitized HTML is stored; pages show it
in a sandboxed frame in addition.
"""

import re
from collections import Counter
from dataclasses import dataclass
from html import unescape

import nh3

MAX_DEPTH = 500
"""Nested elements; browsers flatten deeper ones, and parsing takes quadratic time."""
MAX_ATTRIBUTES = 1_000
"""Of one tag. The parser compares each attribute with all before it; no page has a hundred."""
MAX_COST = 1_000_000
"""Open formatting elements, summed over all tags: a parser reopens them each time."""

TAGS = {
    *("a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br"),
    *("caption", "center", "cite", "code", "col", "colgroup", "data", "dd", "del", "details"),
    *("dfn", "dir", "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2"),
    *("h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "ins", "kbd", "li", "main"),
    *("mark", "menu", "nav", "ol", "p", "pre", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp"),
    *("section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody"),
    *("td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr"),
}
ATTRIBUTES = {
    "*": {"dir", "id", "lang", "title"},
    "a": {"href"},
    "abbr": {"title"},
    "bdo": {"dir"},
    "col": {"span"},
    "colgroup": {"span"},
    "data": {"value"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "td": {"align", "colspan", "headers", "rowspan", "valign"},
    "th": {"abbr", "align", "colspan", "headers", "rowspan", "scope", "valign"},
    "time": {"datetime"},
}
REMOVED_WITH_CONTENT = {
    *("applet", "audio", "canvas", "embed", "frameset", "iframe", "math", "noembed", "noframes"),
    *("noscript", "object", "script", "select", "style", "svg", "template", "textarea", "title"),
    *("video", "xmp", "datalist", "head", "plaintext"),
}
_FORMATTING = {
    *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong"),
    *("tt", "u"),
}
# Never open, or closed by the next of their kind: valid pages omit their end tags.
_UNCOUNTED = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
    *("source", "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead"),
    *("tfoot", "option", "colgroup", "html", "head", "body"),
}
_PICTURE = re.compile(r"data:image/(png|jpe?g|gif|webp);base64,[a-z0-9+/=\s]*\Z", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""[\s/]*(?=[^\s/>])=?[^\s/>=]*(?:\s*=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^\s>"']?[^\s>]*))?"""
)
_RAW_TEXT = re.compile(r"<(script|style)\b[^>]*>.*?</\1", re.IGNORECASE | re.DOTALL)
_FOREIGN = re.compile(r"<(?:svg|math)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(r"<(?:html|body)\b[^>]*>", re.IGNORECASE)
_SPEECH = re.compile(r"\b(lang|dir)\s*=\s*[\"']?([a-z][a-z0-9-]{1,34})\b", re.IGNORECASE)
ID_PREFIX = "doc-"
_OUTWARD = re.compile(r'<a (?=[^<>]*?\bhref="(?!#))')
_FRAMEWORK = {"html", "head", "body", "title", "meta", "link", "!doctype"}


@dataclass(frozen=True)
class SanitizedHtml:
    """``html`` is safe to show; ``removed`` counts the removed start tags by name."""

    html: str
    title: str
    removed: Counter[str]


class UnreadablePage(ValueError):  # noqa: N818 -- it is the page that is at fault
    """A page that takes the parser longer than any page that people read."""


def sanitize(html: str) -> SanitizedHtml:
    """The safe part of a page or a fragment. Raises ``UnreadablePage`` for one that is nested too
    deeply, or has a tag of too many attributes.

    Links within the page work; links out of it stay visible, but the sandbox blocks them. IDs
    get a prefix, so that no element can pass for a property of the document.
    """
    html = html.replace("\0", " ").replace("\r\n", "\n").replace("\r", "\n")
    _check_attributes(html)
    names = _count_start_tags(html)
    title_match = _TITLE.search(html)
    cleaned = nh3.clean(
        html,
        tags=TAGS,
        clean_content_tags=REMOVED_WITH_CONTENT - {"head"},
        attributes=ATTRIBUTES,
        attribute_filter=_filter_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer",
    )
    removed = Counter({n: c for n, c in names.items() if n not in TAGS and n not in _FRAMEWORK})
    title = " ".join(unescape(title_match[1]).split()) if title_match else ""
    body = _OUTWARD.sub('<a target="_blank" ', cleaned).strip()
    return SanitizedHtml(_add_language(html, body), title, removed)


def is_sanitized(html: str) -> bool:
    """Whether ``html`` is what ``sanitize`` makes of a page."""
    again = sanitize(html).html
    for name in ('id="', 'href="#'):
        again = again.replace(f"{name}{ID_PREFIX}{ID_PREFIX}", f"{name}{ID_PREFIX}")
    return again == html


def _add_language(html: str, body: str) -> str:
    """``body`` in an element with the language and direction that the page declares."""
    declared: dict[str, str] = {}
    for tag in _PAGE.finditer(html[:20_000]):
        declared |= {name.lower(): value.lower() for name, value in _SPEECH.findall(tag[0])}
    if declared.get("dir", "ltr") not in ("ltr", "rtl", "auto"):
        del declared["dir"]
    if not declared or not body:
        return body
    attributes = "".join(f' {name}="{value}"' for name, value in sorted(declared.items()))
    return f"<div{attributes}>{body}</div>"


def _filter_attribute(_tag: str, name: str, value: str) -> str | None:
    """``value`` as it is allowed, or None to remove the attribute."""
    if name == "src":
        return value if _PICTURE.match(value) else None
    if name == "id":
        return f"{ID_PREFIX}{value}"
    if name == "href":
        if value.startswith("#"):
            return f"#{ID_PREFIX}{value[1:]}"
        return None if value.lower().lstrip().startswith("data:") else value
    return value


def _check_attributes(html: str) -> None:
    """Raise ``UnreadablePage`` if a tag has more than ``MAX_ATTRIBUTES``. Linear in time."""
    # Within svg and math, script and style are elements like others, with tags in them.
    if not _FOREIGN.search(html):
        html = _RAW_TEXT.sub("", html)
    at = 0
    while tag := _TAG.search(html, at):
        at, count = tag.end(), 0
        while (attribute := _ATTRIBUTE.match(html, at)) and attribute.end() > at:
            at, count = attribute.end(), count + 1
            if count > MAX_ATTRIBUTES:
                message = f"A tag <{tag[2][:20]}> has more than {MAX_ATTRIBUTES:,} attributes."
                raise UnreadablePage(message)


def _count_start_tags(html: str) -> Counter[str]:
    """The count of each start tag in ``html``. Raises ``UnreadablePage``."""
    names: Counter[str] = Counter()
    opened: Counter[str] = Counter()
    depth = formatting = cost = 0
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        step = -1 if tag[1] else 1
        if step == 1:
            names[name] += 1
            cost += formatting
        if depth > MAX_DEPTH or cost > MAX_COST:
            raise UnreadablePage(f"The HTML is nested too deeply (limit: {MAX_DEPTH} elements).")
        if name in _UNCOUNTED or opened[name] + step < 0:
            continue
        opened[name] += step
        depth += step
        formatting += step * (name in _FORMATTING)
    return names
