"""Composition of a pool: its size by topic, and documents unique to one run or team."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from poolbench.pooling.tables import PoolTable, count_unique_documents
from poolbench.runs.tables import split_topic_ranges

Pairs = Collection[tuple[str, str]]
Counts = NDArray[np.int64]
NOTHING: Mapping[str, int] = MappingProxyType({})
AT_ONCE = 50_000
"""Documents whose teams are in memory at a time."""


@dataclass(frozen=True)
class TopicShare:
    """``one_run`` and ``one_team`` count documents unique to one run or team; ``judged`` those
    with a grade, ``pooled`` those in an earlier pool.
    """

    number: str
    documents: int
    one_run: int
    one_team: int
    judged: int
    pooled: int


@dataclass(frozen=True)
class RunShare:
    """Documents that a run contributed; ``alone`` counts those unique to it."""

    tag: str
    team: str
    documents: int
    alone: int


@dataclass(frozen=True)
class TeamShare:
    team: str
    runs: int
    documents: int
    alone: int


@dataclass(frozen=True)
class Composition:
    """Topics in the requested order, with their sums; runs by tag, teams by name.
    ``is_sampled``: whether any document was sampled.
    """

    topics: tuple[TopicShare, ...]
    runs: tuple[RunShare, ...]
    teams: tuple[TeamShare, ...]
    size: int
    one_run: int
    one_team: int
    judged: int
    pooled: int
    is_sampled: bool = False

    @property
    def to_judge(self) -> int:
        return self.size - self.judged

    def with_judged(self, counts: Mapping[str, int]) -> "Composition":
        """With as many judged documents as ``counts`` says by topic."""
        topics = tuple(replace(each, judged=counts.get(each.number, 0)) for each in self.topics)
        return replace(self, topics=topics, judged=sum(each.judged for each in topics))

    @property
    def largest_topic(self) -> int:
        return max((topic.documents for topic in self.topics), default=0)

    @property
    def smallest_topic(self) -> int:
        return min((topic.documents for topic in self.topics), default=0)


def compute_composition(
    table: PoolTable,
    teams: Sequence[str],
    topics: Sequence[str] = (),
    judged: Pairs = frozenset(),
    pooled: Mapping[str, int] = NOTHING,
) -> Composition:
    """The composition of ``table``; ``teams`` lists the team of each of ``table.runs``.

    ``topics`` sets the order and adds topics without documents; ``pooled`` counts by topic the
    documents that are in an earlier pool.
    """
    names = sorted(set(teams))
    team_of_run = np.array([names.index(team) for team in teams], np.int64)
    unique = count_unique_documents(table)
    team_unique, contributed = team_counts(table, team_of_run, len(names))
    run_sizes = np.bincount(table.contributors, minlength=len(table.runs))
    shares = topic_shares(table, topics, unique.sum(axis=1), team_unique, judged, pooled)
    summed = ("one_run", "one_team", "judged", "pooled")
    return Composition(
        topics=shares,
        runs=tuple(
            RunShare(tag, teams[at], int(run_sizes[at]), int(unique[:, at].sum()))
            for at, tag in enumerate(table.runs)
        ),
        teams=tuple(
            TeamShare(
                name, list(teams).count(name), int(contributed[at]), int(team_unique[:, at].sum())
            )
            for at, name in enumerate(names)
        ),
        size=len(table),
        is_sampled=table.is_sampled,
        **{name: sum(getattr(topic, name) for topic in shares) for name in summed},
    )


def team_counts(table: PoolTable, team_of_run: Counts, teams: int) -> tuple[Counts, Counts]:
    """Documents unique to each team, topics × teams; and documents contributed by each team."""
    unique, contributed = np.zeros((len(table.topics), teams), np.int64), np.zeros(teams, np.int64)
    for first, end in split_topic_ranges(table.starts, AT_ONCE) if teams else ():
        starts = table.starts[first : end + 1]
        bounds = table.bounds[starts[0] : starts[-1] + 1]
        row_numbers = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        from_team = np.zeros((len(bounds) - 1, teams), np.bool_)
        from_team[row_numbers, team_of_run[table.contributors[bounds[0] : bounds[-1]]]] = True
        rows = np.flatnonzero(from_team.sum(axis=1) == 1)
        row_topics = np.repeat(np.arange(first, end), np.diff(starts))
        np.add.at(unique, (row_topics[rows], from_team[rows].argmax(axis=1)), 1)
        contributed += from_team.sum(axis=0)
    return unique, contributed


def topic_shares(
    table: PoolTable,
    topics: Sequence[str],
    one_run: Counts,
    unique_by_team: Counts,
    judged: Pairs,
    pooled: Mapping[str, int],
) -> tuple[TopicShare, ...]:
    judged_counts = count_pooled_pairs(table, judged)
    shares = {}
    for at, number in enumerate(table.topics):
        shares[number] = TopicShare(
            number=number,
            documents=int(table.starts[at + 1] - table.starts[at]),
            one_run=int(one_run[at]),
            one_team=int(unique_by_team[at].sum()),
            judged=judged_counts[at],
            pooled=pooled.get(number, 0),
        )
    empty = (TopicShare(number, 0, 0, 0, 0, 0) for number in topics if number not in shares)
    shares |= {share.number: share for share in empty}
    order = {number: at for at, number in enumerate(topics)}
    return tuple(sorted(shares.values(), key=lambda share: order.get(share.number, len(order))))


def count_pooled_pairs(table: PoolTable, pairs: Pairs) -> list[int]:
    """By topic, the documents of ``table`` that are among ``pairs``."""
    if not pairs:
        return [0] * len(table.topics)
    return [
        sum(map(pairs.__contains__, zip(repeat(number), table.docnos[table.rows(at)])))
        for at, number in enumerate(table.topics)
    ]
