"""Relevant documents found so far: by judgment, topic, depth and team."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolbench.evaluation.judgments import Ints, Mask
from poolbench.reliability.collection.stability import DENSE

POINTS = 40
MIN_FOR_SHARE = 10
"""The minimum number of judged, or relevant, documents of a topic for a meaningful share."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)
"""Last ranks of the rank windows."""


class TopicState(NamedTuple):
    """One topic. By document: best rank, from 1; whether it is ``judged``, and ``relevant`` by its
    first judgment; and ``contributed``, documents × teams.
    """

    topic: str
    rank: Ints
    judged: Mask
    relevant: Mask
    contributed: Mask


STAGES = ALL, JUDGED, RELEVANT, UNIQUE = range(4)
"""All documents, those judged, relevant, and relevant and contributed by one team only."""


@dataclass(frozen=True, eq=False)
class PoolState:
    """Numbers of documents: ``counts`` are stages × topics × ``ranks``, the distinct best ranks,
    ascending, and ``by_team`` stages × teams.
    """

    topics: tuple[str, ...]
    teams: tuple[str, ...]
    ranks: Ints
    counts: Ints
    by_team: Ints

    def count(self, stage: int) -> Ints:
        """The number of documents by topic."""
        by_topic: Ints = self.counts[stage].sum(axis=1)
        return by_topic


def count_pool(
    topics: Sequence[str], teams: Sequence[str], states: Iterable[TopicState]
) -> PoolState:
    """``states`` are of one of ``topics`` each, and one of them is in memory at a time. Topics
    without any are left out.
    """
    by_team = np.zeros((len(STAGES), len(teams)), np.int64)
    listed = dict[str, tuple[Ints, list[Ints]]]()
    for state in states:
        is_unique = state.relevant & (state.contributed.sum(axis=1) == 1)
        stages = np.ones_like(state.judged), state.judged, state.relevant, is_unique
        by_team += [state.contributed[stage].sum(axis=0) for stage in stages]
        # Not by rank itself: that of a document that no run has is the largest number there is.
        ranks, place = np.unique(state.rank, return_inverse=True)
        counts = [np.bincount(place[stage], minlength=len(ranks)) for stage in stages]
        listed[state.topic] = ranks, counts
    names = tuple(topic for topic in topics if topic in listed)
    ranks = np.unique(np.concatenate([np.empty(0, np.int64), *(r for r, _ in listed.values())]))
    table = np.zeros((len(STAGES), len(names), len(ranks)), np.int64)
    for at, topic in enumerate(names):
        own, counts = listed[topic]
        table[:, at, np.searchsorted(ranks, own)] = counts
    return PoolState(names, tuple(teams), ranks, table, by_team)


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
    counts = [state.count(stage).tolist() for stage in STAGES]
    since = [count_since_last_relevant(outcomes.get(number, ())) for number in state.topics]
    return [TopicDiscoveries(*row) for row in zip(state.topics, *counts, since, strict=True)]


def count_since_last_relevant(outcomes: Sequence[bool]) -> int:
    """The number of judgments after the last relevant one; all, if none is relevant."""
    for back, relevant in enumerate(reversed(outcomes)):
        if relevant:
            return back
    return len(outcomes)


def discoveries_by_depth(state: PoolState) -> list[RankWindow]:
    if not len(state.ranks):
        return []
    deepest = int(state.ranks[-1])
    ends = [*(end for end in DEPTHS if end < deepest), deepest]
    windows = []
    for first, last in zip([1, *(end + 1 for end in ends)], ends, strict=False):
        within = state.counts[: RELEVANT + 1, :, (state.ranks >= first) & (state.ranks <= last)]
        windows.append(RankWindow(first, last, *within.sum(axis=(1, 2)).tolist()))
    return windows


def discoveries_by_team(state: PoolState) -> list[TeamDiscoveries]:
    """Most unique relevant documents first."""
    counts = state.by_team.tolist()
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
