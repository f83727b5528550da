"""The exception with which a service refuses an action, and helpers for its messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from campaigns.confirmation import Confirmation, ConfirmationChoice


def format_utc(moment: datetime) -> str:
    """A moment for messages, in UTC."""
    return date_format(moment, "DATETIME_FORMAT") + " UTC"


def format_thousands(number: int | str | None) -> str:
    """``22499`` as ``22,499``, by the rules of the language; None as a dash."""
    return number_format(number, force_grouping=True) if isinstance(number, int) else "–"


def lowercase_label(label: object) -> str:
    """A label inside a sentence: in lower case, but German nouns keep their capital."""
    return str(label) if (get_language() or "").startswith("de") else str(label).lower()


class ActionRefused(Exception):  # noqa: N818 (a refusal is not an error)
    """A state, limit or deadline forbids the action. Shown as is by pages, API and commands."""

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        self.code, self.message, self.fix = code, message, fix
        super().__init__(f"{message} {fix}".strip())

    @property
    def details(self) -> dict[str, Any]:
        """More fields of the API's answer."""
        return {}


class ConfirmationNeeded(ActionRefused):
    """The act needs consents that were not given, or its facts have changed since they were read.

    ``missing``: the check boxes that are not ticked.
    """

    def __init__(
        self, confirmation: Confirmation, missing: Sequence[ConfirmationChoice], *, changed: bool
    ) -> None:
        self.confirmation, self.missing, self.changed = confirmation, missing, changed
        if changed:
            super().__init__(
                "facts-changed",
                _("Something has changed since this was shown."),
                _("Read it again and decide."),
            )
            return
        named = "; ".join(f"{choice.label} ({choice.code})" for choice in missing)
        super().__init__(
            "not-confirmed",
            _("Not confirmed: %(matters)s.") % {"matters": named},
            _("Settle what is open, or confirm each of these codes."),
        )

    @property
    def details(self) -> dict[str, Any]:
        """What is open and what happens, for a client that then asks again with ``confirm``."""
        missing = [choice.code for choice in self.missing]
        return {"missing": missing, "digest": self.confirmation.digest, **self.confirmation.facts}
