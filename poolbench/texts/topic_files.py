"""Write topics as files that ``poolbench.texts.topics`` and other tools read."""

import json
import re
from collections.abc import Callable, Iterable
from xml.sax.saxutils import escape, quoteattr

from poolbench.files.records import collapse_whitespace
from poolbench.texts.topics import TopicText

_FIELDS = ("title", "description", "narrative")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def topics_to_xml(topics: Iterable[TopicText]) -> str:
    """TREC XML; characters that XML does not have become spaces.

    >>> print(topics_to_xml([TopicText("1", "cats & dogs")]), end="")
    <topics>
      <topic number="1">
        <title>cats &amp; dogs</title>
      </topic>
    </topics>
    """
    lines = ["<topics>"]
    for topic in topics:
        texts = [(name, getattr(topic, name)) for name in _FIELDS]
        lines.append(f"  <topic number={quoteattr(topic.number)}>")
        lines += [f"    <{name}>{_escape(text)}</{name}>" for name, text in texts if text]
        lines.append("  </topic>")
    return "\n".join([*lines, "</topics>", ""])


def _escape(text: str) -> str:
    return escape(_NOT_IN_XML.sub(" ", text))


def topics_to_tsv(topics: Iterable[TopicText]) -> str:
    """One line per topic: number and title.

    >>> topics_to_tsv([TopicText("1", "cats", "All about cats.")])
    '1\\tcats\\n'
    """
    return "".join(f"{topic.number}\t{collapse_whitespace(topic.title)}\n" for topic in topics)


def topics_to_jsonl(topics: Iterable[TopicText]) -> str:
    """One JSON object per line; fields that are empty are left out.

    >>> topics_to_jsonl([TopicText("1", "cats")])
    '{"id": "1", "title": "cats"}\\n'
    """
    return "".join(json.dumps(_record(topic), ensure_ascii=False) + "\n" for topic in topics)


def _record(topic: TopicText) -> dict[str, str]:
    texts = {name: getattr(topic, name) for name in _FIELDS}
    return {"id": topic.number} | {name: text for name, text in texts.items() if text}


TOPIC_WRITERS: dict[str, Callable[[Iterable[TopicText]], str]] = {
    "xml": topics_to_xml,
    "tsv": topics_to_tsv,
    "jsonl": topics_to_jsonl,
}
"""By extension."""
