"""Acts that cannot be undone: the decision is checked against the facts of the moment."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils import translation

from campaigns.confirmation import Confirmation, Decision
from campaigns.errors import ConfirmationNeeded


def check_decision(
    describe: Callable[[], Confirmation], decision: Decision | None
) -> dict[str, Any]:
    """The data for the act's event; raises ``ConfirmationNeeded`` unless everything is confirmed.

    Call it inside the transaction of the act, after its locks: ``describe`` works the facts out
    anew. Pages, API and commands always hand over a decision. Without one a program repeats
    what a person has decided before, such as the replay of a campaign folder: no check.
    """
    if decision is None:
        return {}
    with translation.override(settings.LANGUAGE_CODE):  # as the log keeps it
        confirmation = describe()
    missing = confirmation.list_missing(decision)
    changed = bool(decision.digest) and decision.digest != confirmation.digest
    if changed or missing:
        raise ConfirmationNeeded(confirmation, missing, changed=changed)
    return {"confirmed": confirmation.record(decision)}
