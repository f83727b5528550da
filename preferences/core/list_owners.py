"""Which runs produced the lists that were clicked."""

from __future__ import annotations

from collections.abc import Mapping

from campaigns.core.faults import format_count
from preferences.core.click_log import ClickLogTable
from preferences.core.preference_score import Rankings


def count_own_lists(log: ClickLogTable, tag: str, rankings: Rankings) -> int:
    """The sessions that name the run ``tag``, or, if none does, whose list of two or more
    documents is the top of its ranking.
    """
    if log.runs[tag]:
        return log.runs[tag]
    return sum(
        times
        for (topic, documents), times in log.lists.items()
        if len(documents) > 1 and tuple(rankings.get(topic, ())[: len(documents)]) == documents
    )


def warn_own_lists(own_lists: Mapping[str, int]) -> list[str]:
    """A sentence per run that produced clicked lists."""
    return [
        f"{run} produced {format_count(count, 'clicked list')}: preferences from clicks contradict "
        "the list that was clicked, so its share is not comparable."
        for run, count in own_lists.items()
        if count
    ]
