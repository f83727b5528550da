"""What a pool is made of: its size by topic, and what hangs on one run or one team."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.core.tables import PoolTable, count_pool_sizes

Pairs = Collection[tuple[str, str]]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class TopicShare:
    """``one_run`` and ``one_team`` count documents that one alone brings; ``judged`` those
    with a grade already, ``pooled`` those in an earlier pool.
    """

    number: str
    documents: int
    one_run: int
    one_team: int
    judged: int
    pooled: int


@dataclass(frozen=True)
class RunShare:
    """How many documents a pooled run brings, and how many no other pooled run does."""

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
    """Topics as asked for, runs by tag, teams by name."""

    topics: tuple[TopicShare, ...]
    runs: tuple[RunShare, ...]
    teams: tuple[TeamShare, ...]
    size: int

    @property
    def one_run(self) -> int:
        return sum(topic.one_run for topic in self.topics)

    @property
    def one_team(self) -> int:
        return sum(topic.one_team for topic in self.topics)

    @property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics)

    @property
    def pooled(self) -> int:
        return sum(topic.pooled for topic in self.topics)

    @property
    def to_judge(self) -> int:
        return self.size - self.judged

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
    pooled: Pairs = frozenset(),
) -> Composition:
    """The facts of ``table``; ``teams`` holds the team of each of ``table.runs``.

    ``topics`` gives the order, and topics for which no run brought anything.
    """
    names = sorted(set(teams))
    team_of_run = np.array([names.index(team) for team in teams], np.int64)
    alone = count_pool_sizes(table).alone
    single, brought = team_counts(table, team_of_run, len(names))
    brings = np.bincount(table.contributors, minlength=len(table.runs))
    return Composition(
        topics=topic_shares(table, topics, alone.sum(axis=1), single, judged, pooled),
        runs=tuple(
            RunShare(tag, teams[at], int(brings[at]), int(alone[:, at].sum()))
            for at, tag in enumerate(table.runs)
        ),
        teams=tuple(
            TeamShare(name, list(teams).count(name), int(brought[at]), int(single[:, at].sum()))
            for at, name in enumerate(names)
        ),
        size=len(table),
    )


def team_counts(table: PoolTable, team_of_run: Counts, teams: int) -> tuple[Counts, Counts]:
    """Documents that one team alone brings, topics × teams; and what each team brings."""
    row_of = np.repeat(np.arange(len(table)), np.diff(table.bounds))
    brought = np.unique(row_of * teams + team_of_run[table.contributors])
    rows, team = np.divmod(brought, max(teams, 1))
    lonely = np.bincount(rows, minlength=len(table))[rows] == 1
    topic_of = np.repeat(np.arange(len(table.topics)), np.diff(table.starts))
    single = np.zeros((len(table.topics), teams), np.int64)
    np.add.at(single, (topic_of[rows[lonely]], team[lonely]), 1)
    return single, np.bincount(team, minlength=teams)


def topic_shares(
    table: PoolTable,
    topics: Sequence[str],
    one_run: Counts,
    single: Counts,
    judged: Pairs,
    pooled: Pairs,
) -> tuple[TopicShare, ...]:
    shares = {}
    for at, number in enumerate(table.topics):
        docnos = table.docnos[table.rows(at)]
        shares[number] = TopicShare(
            number=number,
            documents=len(docnos),
            one_run=int(one_run[at]),
            one_team=int(single[at].sum()),
            judged=sum((number, docno) in judged for docno in docnos),
            pooled=sum((number, docno) in pooled for docno in docnos),
        )
    nothing = (TopicShare(number, 0, 0, 0, 0, 0) for number in topics if number not in shares)
    shares |= {share.number: share for share in nothing}
    order = {number: at for at, number in enumerate(topics)}
    return tuple(sorted(shares.values(), key=lambda share: order.get(share.number, len(order))))
