"""The campaign's log."""

from typing import Any

from campaigns.models import Campaign, Event, User
from campaigns.models.event_phrases import EVENT_PHRASES


def log_event(
    campaign: Campaign, actor: User | None, code: str, subject: str = "", **data: Any
) -> Event:
    """Append to the log. Call it inside the transaction of the action that it records.

    ``KeyError`` for a code without a phrase: pages could not show it.
    """
    EVENT_PHRASES[code]
    return Event.objects.create(
        campaign=campaign, actor=actor, code=code, subject=subject[:200], data=data
    )
