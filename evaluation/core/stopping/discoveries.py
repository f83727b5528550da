"""What has been found so far: by judgment, by topic, by depth and by team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.core.collection.stability import DENSE
from evaluation.core.stopping.pool_state import PoolState

POINTS = 40
ENOUGH = 10
"""Judged, or relevant, documents of a topic from which on a share of them says anything."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)
"""Windows of ranks end here."""


@dataclass(frozen=True)
class TopicDiscoveries:
    """One topic of the pool. ``alone``: relevant documents that one team alone brought;
    ``since``: documents judged since the last relevant one.
    """

    number: str
    documents: int
    judged: int
    relevant: int
    alone: int
    since: int

    @property
    def share(self) -> float | None:
        """Relevant among judged; None before there are any."""
        return self.relevant / self.judged if self.judged else None

    @property
    def is_dense(self) -> bool:
        """The first alarm of Voorhees (CIKM 2018): more are likely to be missed."""
        return self.judged >= ENOUGH and DENSE * self.relevant > self.judged

    @property
    def is_lonely(self) -> bool:
        """The second: most of what is relevant was found by one team only. That most means
        more than half is ours.
        """
        return self.relevant >= ENOUGH and 2 * self.alone > self.relevant


@dataclass(frozen=True)
class RankWindow:
    """The documents whose best rank in any pooled run is from ``first`` to ``last``."""

    first: int
    last: int
    documents: int
    judged: int
    relevant: int

    @property
    def rate(self) -> float | None:
        return self.relevant / self.judged if self.judged else None


@dataclass(frozen=True)
class TeamDiscoveries:
    """What a team brought: ``relevant`` documents, and ``alone`` those that no other did."""

    name: str
    documents: int
    judged: int
    relevant: int
    alone: int


def discoveries_by_topic(
    held: PoolState, outcomes: Mapping[str, Sequence[bool]]
) -> list[TopicDiscoveries]:
    """``outcomes``: by topic, in the order of judgments."""
    masks = (np.ones_like(held.judged), held.judged, held.relevant, held.relevant & held.alone)
    documents, judged, relevant, alone = (held.count(mask).tolist() for mask in masks)
    return [
        TopicDiscoveries(
            number,
            documents[at],
            judged[at],
            relevant[at],
            alone[at],
            count_since_last_relevant(outcomes.get(number, ())),
        )
        for at, number in enumerate(held.topics)
    ]


def count_since_last_relevant(outcomes: Sequence[bool]) -> int:
    """How many came after the last relevant one; all, if none is."""
    for back, relevant in enumerate(reversed(outcomes)):
        if relevant:
            return back
    return len(outcomes)


def discoveries_by_depth(held: PoolState) -> list[RankWindow]:
    deepest = int(held.rank.max(initial=0))
    if not deepest:
        return []
    ends = [*(end for end in DEPTHS if end < deepest), deepest]
    windows = []
    for first, last in zip([1, *(end + 1 for end in ends)], ends, strict=False):
        there = (held.rank >= first) & (held.rank <= last)
        counts = (there, there & held.judged, there & held.relevant)
        windows.append(RankWindow(first, last, *(int(np.count_nonzero(mask)) for mask in counts)))
    return windows


def discoveries_by_team(held: PoolState) -> list[TeamDiscoveries]:
    """Who found most alone comes first."""
    masks = (np.ones_like(held.judged), held.judged, held.relevant, held.relevant & held.alone)
    counts = [held.brought[mask].sum(axis=0).tolist() for mask in masks]
    rows = [TeamDiscoveries(*row) for row in zip(held.teams, *counts, strict=True)]
    return sorted(rows, key=lambda row: (-row.alone, -row.relevant, row.name))


def discovery_curve(outcomes: Sequence[bool], points: int = POINTS) -> list[tuple[int, int]]:
    """``(judged, relevant)`` documents at most at ``points`` moments, the last among them."""
    found = np.cumsum(np.array(outcomes, np.int64))
    if not len(found):
        return []
    at = np.unique(np.linspace(1, len(found), min(points, len(found))).round().astype(np.int64))
    return [(int(n), int(found[n - 1])) for n in at]
