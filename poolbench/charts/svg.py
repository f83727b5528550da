"""SVG elements: built as a tree, so that every text and attribute is escaped when it is written."""

import re
from xml.etree.ElementTree import Element, SubElement, tostring

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML file may hold, not even escaped: control characters, halves of surrogate pairs."""
LETTER = 6.4
"""The mean width of a letter of a label, in viewBox units."""


def create_svg(size: tuple[float, float], **attributes: object) -> Element:
    root = Element("svg", viewBox=f"0 0 {format_length(size[0])} {format_length(size[1])}")
    set_attributes(root, **attributes)
    return root


def add_element(parent: Element, tag: str, text: str = "", **attributes: object) -> Element:
    """A new last child of ``parent``. Attributes are named ``class_``, ``fill_opacity``."""
    child = SubElement(parent, tag)
    child.text = NOT_XML.sub("�", text)
    set_attributes(child, **attributes)
    return child


def set_attributes(element: Element, **attributes: object) -> None:
    """None and an empty text leave an attribute out; numbers are rounded to 0.01."""
    for name, value in attributes.items():
        if value is not None and value != "":
            text = format_length(value) if isinstance(value, float) else str(value)
            element.set(name.rstrip("_").replace("_", "-"), NOT_XML.sub("�", text))


def format_length(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def fit_text(text: str, width: float) -> str:
    """``text`` cut off where it would be wider than ``width``."""
    most = max(int(width / LETTER), 2)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def write_xml(element: Element) -> str:
    return tostring(element, encoding="unicode")
