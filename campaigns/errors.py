"""How a service says no to something that its rules forbid."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import get_language


def format_utc(moment: datetime) -> str:
    """A moment as refusals tell it."""
    return date_format(moment, "DATETIME_FORMAT") + " UTC"


def lowercase_label(label: object) -> str:
    """A label inside a sentence: in small letters, but German nouns keep their capital."""
    return str(label) if (get_language() or "").startswith("de") else str(label).lower()


class ActionRefused(Exception):  # noqa: N818 (a no is no error)
    """A state, limit or deadline forbids the act. Pages, API and commands show it as it is."""

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        self.code, self.message, self.fix = code, message, fix
        super().__init__(f"{message} {fix}".strip())
