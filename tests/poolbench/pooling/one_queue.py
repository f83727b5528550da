"""The next document of a campaign with one budget, found by looking at all topics."""

from __future__ import annotations

from collections.abc import Sequence

from poolbench.pooling.method import NextDocument
from poolbench.pooling.pool_builder import topic_priority
from poolbench.pooling.session import PoolSession


def choose_next_in_any_topic(
    sessions: Sequence[PoolSession], total: int
) -> tuple[PoolSession, NextDocument] | None:
    """The next document of all topics; None once ``total`` documents, or all, are selected."""
    if sum(len(session.selected) for session in sessions) >= total:
        return None
    pending = [(session, choice) for session in sessions if (choice := session.next())]
    return min(pending, key=lambda pair: topic_priority(*pair), default=None)
