"""The exception with which a service refuses an action, and helpers for its messages."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import get_language


def format_utc(moment: datetime) -> str:
    """A moment for messages, in UTC."""
    return date_format(moment, "DATETIME_FORMAT") + " UTC"


def lowercase_label(label: object) -> str:
    """A label inside a sentence: in lower case, but German nouns keep their capital."""
    return str(label) if (get_language() or "").startswith("de") else str(label).lower()


class ActionRefused(Exception):  # noqa: N818 (a refusal is not an error)
    """A state, limit or deadline forbids the action. Shown as is by pages, API and commands."""

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        self.code, self.message, self.fix = code, message, fix
        super().__init__(f"{message} {fix}".strip())
