"""How a service says no to something that its rules forbid."""

from __future__ import annotations

from datetime import datetime


def utc(moment: datetime) -> str:
    """A moment as refusals tell it."""
    return f"{moment:%-d %B %Y, %H:%M} UTC"


class Refused(Exception):  # noqa: N818 (a no is no error)
    """A state, limit or deadline forbids the act. Pages, API and commands show it as it is."""

    def __init__(self, code: str, message: str, cure: str = "") -> None:
        self.code, self.message, self.cure = code, message, cure
        super().__init__(f"{message} {cure}".strip())
