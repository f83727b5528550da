"""Acts that cannot be taken back: the decision is checked against the facts of the moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from campaigns.core.confirmation import Confirmation, Decision
from campaigns.errors import ConfirmationNeeded


def check_decision(
    describe: Callable[[], Confirmation], decision: Decision | None
) -> dict[str, Any]:
    """The data for the act's event; raises ``ConfirmationNeeded`` unless everything is confirmed.

    Call it inside the transaction of the act, after its locks: ``describe`` works the facts out
    anew. Pages, API and commands always hand over a decision. Without one a program repeats
    what a person has decided before, such as the replay of a campaign folder: nothing is asked.
    """
    if decision is None:
        return {}
    asked = describe()
    missing = asked.list_missing(decision)
    changed = bool(decision.shown) and decision.shown != asked.digest
    if changed or missing:
        raise ConfirmationNeeded(asked, missing, changed=changed)
    return {"confirmed": asked.record(decision)}
