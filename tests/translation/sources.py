"""Marked texts as the sources have them, and the catalogue, both read without GNU gettext."""

import gettext
import io
import re
from functools import cache
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

from tests.conftest import REPOSITORY
from tests.house import APPS

KEYWORDS = {
    "gettext": None, "gettext_lazy": None, "gettext_noop": None, "_": None,
    "ngettext": (1, 2), "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2), "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3), "npgettext_lazy": ((1, "c"), 2, 3),
}  # fmt: skip
Key = tuple[str, str, str]
"""Context, singular, plural; each may be empty."""


def catalogue_file(language: str, ending: str) -> Path:
    return REPOSITORY / f"locale/{language}/LC_MESSAGES/django.{ending}"


@cache
def messages(language: str) -> list[Message]:
    with catalogue_file(language, "po").open("rb") as file:
        return [message for message in read_po(file) if message.id]


def key_of(message: Message) -> Key:
    one, many = message.id if isinstance(message.id, tuple) else (message.id, "")
    return (message.context or "", one, many)


def forms_of(message: Message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def compiled(language: str) -> dict[object, str]:
    """What the compiled catalogue holds, its head aside."""
    with catalogue_file(language, "mo").open("rb") as file:
        held = dict(gettext.GNUTranslations(file)._catalog)  # type: ignore[attr-defined]
    held.pop("")
    return held


@cache
def marked() -> dict[Key, str]:
    """Every marked text of templates and Python with a file that has it."""
    found: dict[Key, str] = {}
    for path in (REPOSITORY / "templates").rglob("*.*"):
        lines = templatize(path.read_text(), origin=path.name).splitlines()
        read(found, path, "\n".join(line.lstrip() for line in lines))
    for app in APPS:
        for path in (REPOSITORY / app).rglob("*.py"):
            read(found, path, path.read_text())
    return found


def read(found: dict[Key, str], path: Path, source: str) -> None:
    if not re.search(r"gettext|\b_\(", source):
        return
    for _, text, _, context in extract("python", io.BytesIO(source.encode()), KEYWORDS):
        one, many = text if isinstance(text, tuple) else (text, "")
        found[context or "", one, many] = path.name
