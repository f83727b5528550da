"""Read topics: TREC SGML, TREC XML, TSV, JSON Lines and SMART queries."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from poolbench.files.faults import FaultReport
from poolbench.files.records import (
    IdCheck,
    Parser,
    RecordCodes,
    RecordDraft,
    assign_record_fields,
    collapse_whitespace,
    decode_text,
    detect_record_format,
    make_fault_reporter,
    make_tsv_parser,
    parse_json_lines,
    parse_smart,
    tidy_text,
)
from poolbench.files.streams import MAX_BYTES, read_bytes
from poolbench.texts.markup import has_xml_declaration, parse_sgml_topics, parse_xml_topics

CODES = RecordCodes(
    noun="topic",
    max_id=100,
    not_text="ET01",
    malformed="ET02",
    empty="ET03",
    no_id="ET04",
    bad_id="ET05",
    duplicate_id="ET06",
    declaration="ET08",
    not_utf8="WT01",
)
_NO_TITLE = "ET07"
_TOO_LONG = "ET09"
_TOO_MANY = "ET10"
MAX_TOPICS = 10_000
"""Topics of a file: twice those of the largest campaigns."""
MAX_TITLE = 5_000
MAX_TEXT = 200_000
"""Characters of a title, and of a description or narrative: assessors read them on each page."""

_NAMES = {
    "number": ("num", "number", "_id", "id", "qid", "query_id", "topic_id", "i"),
    "title": ("title", "query", "t", "text", "w"),
    "description": ("desc", "description", "question", "w"),
    "narrative": ("narr", "narrative"),
}
_TSV = ("number", "title", "desc", "narr")


@dataclass(frozen=True)
class TopicText:
    """One topic; ``extra`` has every other field of the file, by its name there."""

    number: str
    title: str
    description: str = ""
    narrative: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


def _tsv_names(fields: list[str]) -> tuple[str, ...] | None:
    return _TSV[: len(fields)] if 2 <= len(fields) <= len(_TSV) else None


TOPIC_FORMATS: dict[str, Parser] = {
    "trec": parse_sgml_topics,
    "xml": parse_xml_topics,
    "tsv": make_tsv_parser(_tsv_names),
    "jsonl": parse_json_lines,
    "smart": parse_smart,
}


def read_topics(
    data: bytes,
    *,
    file: str = "",
    file_format: str | None = None,
    report: FaultReport | None = None,
    max_bytes: int = MAX_BYTES,
) -> list[TopicText]:
    """The topics in ``data`` (plain or gzip, at most ``max_bytes`` unpacked), in file order.

    ``file_format`` is a key of ``TOPIC_FORMATS``, by default detected from the text.
    Warnings go to ``report`` when one is given. Raises ``InvalidFile`` with every fault.
    """
    report = FaultReport(file) if report is None else report
    text = decode_text(read_bytes(data, file=file, max_bytes=max_bytes), CODES, report)
    topics = [] if text is None else list(_iter_topics(text, file_format, report))
    if not topics and not report.has_errors:
        report.add(
            CODES.empty, "The file contains no topics.", "See docs/formats.md for the formats."
        )
    report.raise_errors()
    return topics


def _detect_markup(start: str) -> str | None:
    is_xml = re.search(r"<\?xml|<topics?\b", start, re.IGNORECASE)
    is_sgml = re.search(r"<top\b", start, re.IGNORECASE)
    return "xml" if is_xml else "trec" if is_sgml else None


def _iter_topics(text: str, form: str | None, report: FaultReport) -> Iterator[TopicText]:
    form = form or detect_record_format(text, _detect_markup)
    if form not in TOPIC_FORMATS:
        fix = f"Use one of: {', '.join(TOPIC_FORMATS)} (see docs/formats.md)."
        report.add(CODES.not_text, "Unrecognized topic format.", fix, excerpt=text[:200])
        return
    if form == "xml" and has_xml_declaration(text):
        fix = "Remove the declaration and replace the entities by their text."
        report.add(CODES.declaration, "The XML declares a document type or entities.", fix)
        return
    ids, count = IdCheck(CODES, report), 0
    for draft in TOPIC_FORMATS[form](text, make_fault_reporter(CODES, report)):
        if form == "tsv" and draft.line == 1 and _is_header(draft):
            continue
        count += 1
        if count > MAX_TOPICS:
            fix = "Keep the topics that are judged; split the file if it needs so many."
            message = f"The file has more than {MAX_TOPICS:,} topics."
            report.add(_TOO_MANY, message, fix, line=draft.line)
            return
        topic = _topic(draft)
        if not topic.title:
            fix = "Add a title; assessors and participants see it."
            report.add(_NO_TITLE, f"Topic {topic.number} has no title.", fix, line=draft.line)
        is_short = _check_lengths(topic, draft.line, report)
        if ids.is_valid(topic.number, draft.line) and topic.title and is_short:
            yield topic


def _check_lengths(topic: TopicText, line: int, report: FaultReport) -> bool:
    """Whether no text of the topic is too long; if one is, a fault is added."""
    limits = {"title": MAX_TITLE, "description": MAX_TEXT, "narrative": MAX_TEXT}
    lengths = {name: len(getattr(topic, name)) for name in limits}
    too_long = [name for name, length in lengths.items() if length > limits[name]]
    for name in too_long:
        message = f"The {name} of topic {topic.number} has {lengths[name]:,} characters."
        fix = f"Use at most {limits[name]:,}; put longer texts into documents."
        report.add(_TOO_LONG, message, fix, line=line)
    return not too_long


def _topic(draft: RecordDraft) -> TopicText:
    roles, left = assign_record_fields(draft.texts, _NAMES)
    return TopicText(
        number=roles["number"],
        title=collapse_whitespace(roles["title"]),
        description=tidy_text(roles["description"]),
        narrative=tidy_text(roles["narrative"]),
        extra={name: tidy_text(text) for name, text in left.items()},
    )


def _is_header(draft: RecordDraft) -> bool:
    """Whether the first TSV line is a header and not a topic."""
    number, title = draft.texts["number"].lower(), draft.texts["title"].lower()
    return number in _NAMES["number"] and title in _NAMES["title"]
