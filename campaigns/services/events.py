"""The campaign's log."""

from __future__ import annotations

from typing import Any

from campaigns.models import Campaign, Event, User


def log_event(
    *, campaign: Campaign, actor: User | None, verb: str, subject: str = "", **data: Any
) -> Event:
    """Append to the log. Call it inside the transaction of the act that it records."""
    return Event.objects.create(
        campaign=campaign, actor=actor, verb=verb, subject=subject[:200], data=data
    )
