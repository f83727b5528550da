"""The exception with which a service refuses an action, helpers for its messages, and what errors
of the database mean.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils.formats import date_format, number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from campaigns.confirmation import Confirmation, ConfirmationChoice

LOST = ("08", "25006", "53", "57P", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR")
"""How SQLSTATE, or SQLite's name of the error, begins if the server is away, restarts, is still a
replica, or has no room: what every statement raises then, whatever it asks."""
BUSY = ("40", "55P03", "57014", "SQLITE_BUSY", "SQLITE_LOCKED")
"""The same if others hold what the statement needs, or it took too long."""


def is_database_lost(error: BaseException | None) -> bool:
    """Whether the database is away. Drivers name no state of a connection that has broken."""
    if code := get_database_code(error):
        return code.startswith(LOST)
    return isinstance(error, OperationalError | InterfaceError)


def is_database_busy(error: BaseException | None) -> bool:
    """Whether the statement may succeed in some seconds, though others succeed now."""
    return get_database_code(error).startswith(BUSY)


def get_database_code(error: BaseException | None) -> str:
    """The SQLSTATE of an error of PostgreSQL, or the name of SQLite's; "" if it has neither."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return ""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""


def format_utc(moment: datetime) -> str:
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
