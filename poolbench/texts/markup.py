"""Parsers of marked-up topics and documents: TREC SGML, and XML without declarations."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from xml.parsers import expat

from poolbench.files.records import FaultReporter, RecordDraft

_TOP = re.compile(r"<top\b[^<>]*>(.*?)(?=</top\s*>|<top\b|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(
    r"<(num|number|title|desc|description|narr|narrative|dom|head|smry|con|fac|def)\s*>"
    r"|^[ \t]*<([a-z][a-z0-9_-]*)\s*>",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(r"\A\s*(number|topic|title|domain|description|narrative)\s*:", re.IGNORECASE)
_DOC = re.compile(r"<(/?)doc(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z!][\w-]*)[^<>]*>", re.IGNORECASE)
_TREC_ENTITIES = (("&blank;", " "), ("&hyph;", "-"))
_HEAD = {
    *("docno", "docid", "dochdr", "title", "headline", "hl", "ttl", "url"),
    *("date", "date1", "dd", "pubdate"),
}
_TOPIC_ELEMENTS = ("topic", "top")
PIECE = 1 << 16
"""Bytes of XML that are parsed before its topics are taken: who wants no more can stop there."""


def has_xml_declaration(text: str) -> bool:
    """Whether XML declares a document type or an entity: such files are rejected unread."""
    return re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE) is not None


def parse_sgml_topics(text: str, report_fault: FaultReporter) -> Iterator[RecordDraft]:
    """``<top>`` records; their fields need no closing tag and may start with a label."""
    line, counted = 1, 0
    for top in _TOP.finditer(text):
        line, counted = line + text.count("\n", counted, top.start()), top.start()
        parts = _FIELD.split(top[1])
        # split() gives: text before, then for each field two groups (one None) and its text.
        names = [known or other for known, other in zip(parts[1::3], parts[2::3], strict=True)]
        texts: dict[str, str] = {}
        for name, raw in zip(names, parts[3::3], strict=True):
            texts.setdefault(name.lower(), _LABEL.sub("", strip_markup(raw), count=1))
        if texts:
            yield RecordDraft(line, texts)
        else:
            report_fault(line, "The topic has no fields.", top[0])


def parse_xml_topics(text: str, report_fault: FaultReporter) -> Iterator[RecordDraft]:
    """``<topic>`` elements; attributes and child elements are the fields."""
    body = text.lstrip()
    skipped = text.count("\n", 0, len(text) - len(body))
    parser = expat.ParserCreate("utf-8")
    reader = _TopicReader(parser)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    stream = BytesIO(body.encode(errors="replace"))
    try:
        for piece in iter(partial(stream.read, PIECE), b""):
            parser.Parse(piece, False)
            yield from reader.take_drafts(skipped)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        report_fault(error.lineno + skipped, f"The XML is not well-formed ({error}).", "")
    yield from reader.take_drafts(skipped)


def parse_sgml_documents(text: str, report_fault: FaultReporter) -> Iterator[RecordDraft]:
    """``<DOC>`` records; ``<TEXT>`` parts are joined, unknown entities are kept."""
    line, counted = 1, 0
    opened: tuple[int, int] | None = None
    for tag in _DOC.finditer(text):
        line, counted = line + text.count("\n", counted, tag.start()), tag.start()
        if tag[1] and opened:
            yield RecordDraft(opened[0], _document_texts(text[opened[1] : tag.start()]))
            opened = None
        elif tag[1]:
            report_fault(line, "</DOC> without <DOC>.", "")
        else:
            if opened:
                report_fault(opened[0], "Missing </DOC>.", text[opened[1] : opened[1] + 80])
            opened = line, tag.end()
    if opened:
        report_fault(opened[0], "Missing </DOC>.", text[opened[1] : opened[1] + 80])


def strip_markup(markup: str) -> str:
    """``markup`` without tags and with its character references resolved."""
    for entity, character in _TREC_ENTITIES:
        markup = markup.replace(entity, character)
    return html.unescape(_TAG.sub(" ", markup))


def _document_texts(markup: str) -> dict[str, str]:
    """Texts by element name; without ``<TEXT>``, all but the document's head is text."""
    elements = [(name, strip_markup(raw)) for name, raw in _elements(markup)]
    if all(name != "text" for name, _ in elements):
        elements = [(name if name in _HEAD else "text", text) for name, text in elements]
    collected: dict[str, list[str]] = {}
    for name, text in elements:
        collected.setdefault(name or "between", []).append(text)
    collected.pop("between", None)
    return {name: "\n".join(parts) for name, parts in collected.items()}


def _elements(markup: str) -> Iterator[tuple[str, str]]:
    """Yield ``(name, inner markup)`` of outer elements, name "" for markup in between.

    A tag that is never closed opens nothing. One pass at any nesting.
    """
    tags = [(tag, tag[2].lower()) for tag in _TAG.finditer(markup)]
    last_close = {name: tag.start() for tag, name in tags if tag[1]}
    inside, start = "", 0
    for tag, name in tags:
        opens = not inside and not tag[1] and last_close.get(name, -1) > tag.start()
        if opens or (tag[1] and name == inside):
            yield inside, markup[start : tag.start()]
            inside, start = name if opens else "", tag.end()
    yield inside, markup[start:]


@dataclass
class _TopicReader:
    """Collects the fields of ``<topic>`` elements while the XML parser walks the file."""

    parser: expat.XMLParserType
    drafts: list[RecordDraft] = field(default_factory=list)
    depth: int = -1
    """Elements open inside a topic; -1 outside of one."""
    line: int = 0
    name: str = ""
    texts: dict[str, list[str]] = field(default_factory=dict)

    def take_drafts(self, skipped: int) -> list[RecordDraft]:
        """Those that are complete since the last call, by lines of the file."""
        taken, self.drafts = self.drafts, []
        return [RecordDraft(draft.line + skipped, draft.texts) for draft in taken]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.lower()
        if self.depth < 0:
            if tag in _TOPIC_ELEMENTS:
                self.texts = {name.lower(): [value] for name, value in attributes.items()}
                self.depth, self.line, self.name = 0, self.parser.CurrentLineNumber, "text"
            return
        self.depth += 1
        if self.depth == 1:
            self.name = tag

    def end(self, _tag: str) -> None:
        if self.depth < 0:
            return
        self.depth -= 1
        if self.depth == 0:
            self.name = "text"
        elif self.depth < 0:
            texts = {name: "".join(parts) for name, parts in self.texts.items()}
            self.drafts.append(RecordDraft(self.line, texts))

    def text(self, characters: str) -> None:
        if self.depth >= 0:
            self.texts.setdefault(self.name, []).append(characters)
