"""Relevant documents found so far: by judgment, topic, depth and team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.evaluation.judgments import Ints, Mask
from poolbench.reliability.collection.stability import DENSE

POINTS = 40
MIN_FOR_SHARE = 10
"""The minimum number of judged, or relevant, documents of a topic for a meaningful share."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)
"""Last ranks of the rank windows."""


@dataclass(frozen=True, eq=False)
class PoolState:
    """By document: ``topic``, an index of ``topics``; ``rank``; whether it is ``judged``, and
    ``relevant`` by its first judgment; and ``contributed``, documents × teams.
    """

    topics: tuple[str, ...]
    teams: tuple[str, ...]
    topic: Ints
    rank: Ints
    judged: Mask
    relevant: Mask
    contributed: Mask

    def count(self, mask: Mask) -> Ints:
        """The number of documents in ``mask``, by topic."""
        return np.bincount(self.topic[mask], minlength=len(self.topics))

    @cached_property
    def stages(self) -> tuple[Mask, Mask, Mask, Mask]:
        """All documents, those judged, relevant, and relevant and contributed by one team only."""
        is_unique = self.contributed.sum(axis=1) == 1
        every = np.ones_like(self.judged)
        return every, self.judged, self.relevant, self.relevant & is_unique


@dataclass(frozen=True)
class TopicDiscoveries:
    """One topic of the pool. ``unique_relevant``: relevant documents of one team only;
    ``since``: documents judged since the last relevant one.
    """

    number: str
    documents: int
    judged: int
    relevant: int
    unique_relevant: int
    since: int

    @property
    def share(self) -> float | None:
        """Share of the judged documents that are relevant; None before the first judgment."""
        return self.relevant / self.judged if self.judged else None

    @property
    def is_dense(self) -> bool:
        """The first alarm of Voorhees (CIKM 2018): relevant documents are probably missing."""
        return self.judged >= MIN_FOR_SHARE and DENSE * self.relevant > self.judged

    @property
    def is_mostly_unique(self) -> bool:
        """The second alarm: most relevant documents come from one team only. The threshold,
        more than half, is ours.
        """
        return self.relevant >= MIN_FOR_SHARE and 2 * self.unique_relevant > self.relevant


@dataclass(frozen=True)
class RankWindow:
    """Documents whose best rank in any contributing run is from ``first`` to ``last``."""

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
    """Contributions of a team; ``unique_relevant`` documents come from no other team."""

    name: str
    documents: int
    judged: int
    relevant: int
    unique_relevant: int


def discoveries_by_topic(
    state: PoolState, outcomes: Mapping[str, Sequence[bool]]
) -> list[TopicDiscoveries]:
    """``outcomes``: by topic, in judging order, whether each document is relevant."""
    counts = [state.count(mask).tolist() for mask in state.stages]
    since = [count_since_last_relevant(outcomes.get(number, ())) for number in state.topics]
    return [TopicDiscoveries(*row) for row in zip(state.topics, *counts, since, strict=True)]


def count_since_last_relevant(outcomes: Sequence[bool]) -> int:
    """The number of judgments after the last relevant one; all, if none is relevant."""
    for back, relevant in enumerate(reversed(outcomes)):
        if relevant:
            return back
    return len(outcomes)


def discoveries_by_depth(state: PoolState) -> list[RankWindow]:
    deepest = int(state.rank.max(initial=0))
    if not deepest:
        return []
    ends = [*(end for end in DEPTHS if end < deepest), deepest]
    windows = []
    for first, last in zip([1, *(end + 1 for end in ends)], ends, strict=False):
        window = (state.rank >= first) & (state.rank <= last)
        masks = (window, window & state.judged, window & state.relevant)
        windows.append(RankWindow(first, last, *(int(np.count_nonzero(mask)) for mask in masks)))
    return windows


def discoveries_by_team(state: PoolState) -> list[TeamDiscoveries]:
    """Most unique relevant documents first."""
    counts = [state.contributed[mask].sum(axis=0).tolist() for mask in state.stages]
    rows = [TeamDiscoveries(*row) for row in zip(state.teams, *counts, strict=True)]
    return sorted(rows, key=lambda row: (-row.unique_relevant, -row.relevant, row.name))


def discovery_curve(outcomes: Sequence[bool], points: int = POINTS) -> list[tuple[int, int]]:
    """``(judged, relevant)`` documents at up to ``points`` moments, including the last."""
    relevant = np.cumsum(np.array(outcomes, np.int64))
    if not len(relevant):
        return []
    at = np.unique(
        np.linspace(1, len(relevant), min(points, len(relevant))).round().astype(np.int64)
    )
    return [(int(n), int(relevant[n - 1])) for n in at]
