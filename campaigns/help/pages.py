"""Pages of docs/ as help pages: one Markdown file, the same anchors and links as on GitHub.

A file has one heading of level 1, the title. Every other heading has GitHub's anchor, every row of
a table that begins with a code of a fault has that code as its anchor, and every word of the
glossary has one that begins with ``w-``.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from campaigns.help.glossary import list_cell_words, make_word_anchor
from poolbench.cards import heading_anchor

GLOSSARY = "glossary"
ROOT_PAGES = "README", "CONTRIBUTING", "CHANGELOG"
"""Pages that are not below docs/."""
WEIGHTS = {
    **dict.fromkeys(("organizer", "assessor", "participant"), 1.6),
    GLOSSARY: 1.2,
    **dict.fromkeys(("architecture", "interface", "translating", "performance", *ROOT_PAGES), 0.4),
}
"""How much a match counts: guides more, pages for developers less, others 1."""
CODE = re.compile(r"[EW][A-Z]?\d\d")
ID = re.compile(r'<\w[^<>]*?\sid="([^"]+)"')
TAGS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "img",
    "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr",
    "ul",
}  # fmt: skip
ATTRIBUTES = {
    "*": {"id"},
    "a": {"href", "title"},
    "div": {"class", "tabindex"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "table": {"class"},
    "td": {"data-label"},
    "th": {"scope"},
}
_markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
Link = Callable[[str], str]


@dataclass(frozen=True)
class HelpHeading:
    """A heading of level 2 to 6 in plain text."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True)
class HelpPassage:
    """What a search finds: the text below a heading, or a row of a table with its own anchor.

    ``headings``: the titles above it, the page's own first; ``weight``: of a match in it.
    """

    page: str
    anchor: str
    headings: tuple[str, ...]
    text: str
    weight: float = 1.0


@dataclass(frozen=True)
class HelpPage:
    """A page of docs/; ``html`` is sanitized and has no title, ``anchors`` are all of its own."""

    name: str
    title: str
    html: str
    headings: tuple[HelpHeading, ...]
    anchors: frozenset[str]


def parse_help_page(name: str, text: str, root: str) -> HelpPage:
    """The page ``name`` (``formats``, ``decisions/0001-…``) with links below ``root``."""
    tokens = _markdown.parse(text)
    title, tokens = _split_title(name, tokens)
    headings = tuple(_mark_headings(tokens))
    _mark_blocks(name, tokens)
    _link(tokens, lambda target: resolve_help_link(name, target, root))
    html = nh3.clean(
        _markdown.renderer.render(tokens, _markdown.options, {}),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener",
    )
    anchors = frozenset(ID.findall(html))
    return HelpPage(name, title, html, headings, anchors)


def list_help_passages(name: str, text: str) -> list[HelpPassage]:
    """What a search can find on the page ``name``; passages without a text are left out."""
    title, tokens = _split_title(name, _markdown.parse(text))
    list(_mark_headings(tokens))
    _mark_blocks(name, tokens)
    return [passage for passage in _split(name, title, tokens) if passage.text.strip()]


def resolve_help_link(page: str, target: str, root: str) -> str:
    """The address of a link of ``page``: of other pages and images below ``root``.

    ``root`` is the address of the help, ``/help/``. Links that leave docs/ stay as they are.
    """
    path, hash_, anchor = target.partition("#")
    if not path or "://" in path or path.startswith(("mailto:", "/")):
        return target
    folder = "" if page in ROOT_PAGES else posixpath.dirname(f"docs/{page}")
    place = posixpath.normpath(posixpath.join(folder, path))
    if place.endswith(".md"):
        place = place.removesuffix(".md") + "/"
    return root + place.removeprefix("docs/") + hash_ + anchor


def render_plain_text(inline: Token) -> str:
    """The text of an inline token without its markup."""
    parts = {"softbreak": " ", "hardbreak": " "}
    children = inline.children or []
    return "".join(
        child.content if child.type in ("text", "code_inline") else parts.get(child.type, "")
        for child in children
    )


def _split_title(name: str, tokens: list[Token]) -> tuple[str, list[Token]]:
    """The text of the first heading of level 1, and all tokens but that heading."""
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return render_plain_text(tokens[at + 1]), tokens[:at] + tokens[at + 3 :]
    return name, tokens


def _mark_headings(tokens: Sequence[Token]) -> Iterator[HelpHeading]:
    """Give every heading its anchor; one that occurs again gets a number."""
    counts: Counter[str] = Counter()
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        text = render_plain_text(tokens[at + 1])
        slug = heading_anchor(text)
        anchor = f"{slug}-{counts[slug]}" if counts[slug] else slug
        counts[slug] += 1
        token.attrSet("id", anchor)
        yield HelpHeading(int(token.tag[1]), text, anchor)


def _mark_blocks(name: str, tokens: list[Token]) -> None:
    """Labels of cells for narrow windows, anchors of codes and words, boxes that may scroll."""
    labels: list[str] = []
    words: set[str] = set()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "table_open":
            labels = []
            token.attrSet("class", "data")
            tokens.insert(at, _make_html('<div class="table">\n'))
            at += 1
        elif token.type in ("fence", "code_block"):
            tokens.insert(at, _make_html('<div class="code" tabindex="0">\n'))
            tokens.insert(at + 2, _make_html("</div>\n"))
            at += 2
        elif token.type == "table_close":
            tokens.insert(at + 1, _make_html("</div>\n"))
            at += 1
        elif token.type == "th_open":
            token.attrs = {"scope": "col"}
            labels.append(render_plain_text(tokens[at + 1]))
        elif token.type == "tr_open" and tokens[at + 1].type == "td_open":
            _mark_row(name, token, tokens[at + 2], words)
            _label_cells(tokens, at + 1, labels)
        at += 1


def _mark_row(name: str, row: Token, first: Token, words: set[str]) -> None:
    """The anchors of a row by its first cell; ``words`` of the glossary have theirs already."""
    if name == GLOSSARY:
        anchors = [make_word_anchor(word) for word in list_cell_words(first.content)]
        spans = [
            _make_html(f'<span id="{anchor}"></span>', 1)
            for anchor in anchors
            if anchor not in words
        ]
        first.children = [*spans, *(first.children or [])]
        row.meta["anchor"] = anchors[0] if anchors else ""
        words.update(anchors)
    elif CODE.fullmatch(first.content):
        row.attrSet("id", first.content)
        row.meta["anchor"] = first.content


def _label_cells(tokens: Sequence[Token], at: int, labels: Sequence[str]) -> None:
    column = 0
    while tokens[at].type != "tr_close":
        if tokens[at].type == "td_open":
            filled = tokens[at + 1].content.strip()
            label = labels[column] if column < len(labels) and column and filled else ""
            tokens[at].attrs = {"data-label": label} if label else {}
            column += 1
        at += 1


def _make_html(text: str, level: int = 0) -> Token:
    return Token("html_inline" if level else "html_block", "", 0, content=text)


def _link(tokens: Sequence[Token], resolve: Link) -> None:
    """Every link and image leads where ``resolve`` says."""
    for token in tokens:
        for name in ("href", "src"):
            if name in token.attrs:
                token.attrSet(name, resolve(str(token.attrs[name])))
        _link(token.children or [], resolve)


def _split(name: str, title: str, tokens: Sequence[Token]) -> Iterator[HelpPassage]:
    """The passages of a page, in its order; rows with an anchor are passages of their own."""
    weight = WEIGHTS.get(name, 1.0)
    headings: dict[int, HelpHeading] = {}
    texts: list[str] = []

    def above() -> tuple[str, ...]:
        return (title, *(headings[level].text for level in sorted(headings)))

    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "heading_open":
            yield HelpPassage(name, _last_anchor(headings), above(), " ".join(texts), weight)
            level = int(token.tag[1])
            headings = {depth: headings[depth] for depth in headings if depth < level}
            text = render_plain_text(tokens[at + 1])
            headings[level] = HelpHeading(level, text, str(token.attrs["id"]))
            texts = []
            at += 2
        elif token.type == "tr_open" and "anchor" in token.meta:
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "tr_close")
            cells = [render_plain_text(cell) for cell in tokens[at:end] if cell.type == "inline"]
            text = " · ".join(filter(None, cells[1:]))
            yield HelpPassage(name, token.meta["anchor"], (*above(), cells[0]), text)
            at = end
        elif token.type == "inline":
            texts.append(render_plain_text(token))
        elif token.type in ("fence", "code_block"):
            texts.append(token.content)
        at += 1
    yield HelpPassage(name, _last_anchor(headings), above(), " ".join(texts), weight)


def _last_anchor(headings: Mapping[int, HelpHeading]) -> str:
    return headings[max(headings)].anchor if headings else ""
