"""The topics of the demonstration and how they are read."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

TOPICS_FILE = Path(__file__).with_name("topics.xml")


@dataclass(frozen=True)
class DemoTopic:
    """An information need; ``number`` is a string with its leading zero."""

    number: str
    title: str
    description: str
    narrative: str


def demo_topics(path: Path = TOPICS_FILE) -> list[DemoTopic]:
    """The topics in file order (TREC-COVID's XML: query, question, narrative)."""
    root = ElementTree.parse(path).getroot()
    return [
        DemoTopic(node.attrib["number"], *(_text(node, tag) for tag in _PARTS))
        for node in root.iter("topic")
    ]


_PARTS = ("query", "question", "narrative")


def _text(node: ElementTree.Element, tag: str) -> str:
    return " ".join((node.findtext(tag) or "").split())
