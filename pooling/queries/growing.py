"""How a pool grows: what each topic was given, what was found, and the two alarms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from pooling.models import Pool, PoolEvent, PoolItem, PoolTopic
from pooling.queries.pools import pool_rows

MANY_RELEVANT = 1 / 3
"""Share of relevant among judged documents above which more are likely to be missed, after
Voorhees 2018, who saw it in 21 of 50 topics of a campaign pooled by a bandit."""
ENOUGH = 10
"""Judged documents of a topic from which on its share says anything."""


@dataclass(frozen=True)
class Growth:
    """One topic. ``barren`` counts the judgments since the last relevant one; ``one_team`` the
    relevant documents that one team alone brought.
    """

    number: str
    given: int
    budget: int
    judged: int
    relevant: int
    one_team: int
    barren: int
    ended: bool

    @property
    def share(self) -> float | None:
        """Relevant among judged; None before there are any."""
        return self.relevant / self.judged if self.judged else None

    @property
    def many_relevant(self) -> bool:
        return self.judged >= ENOUGH and (self.share or 0) > MANY_RELEVANT


def growth_of(pool: Pool) -> list[Growth]:
    """By topic, in the campaign's order, as far as the pool has taken note of judgments."""
    said: dict[int, list[tuple[str, bool]]] = defaultdict(list)
    noted = PoolEvent.objects.filter(pool=pool, relevant__isnull=False).order_by("topic", "number")
    for topic, docno, relevant in noted.values_list("topic", "docno", "relevant"):
        said[topic].append((docno, bool(relevant)))
    given = dict(pool.items.order_by().values_list("topic").annotate(Count("pk")))
    teams = teams_of(pool)
    return [
        grown(row.topic.number, given.get(row.topic_id, 0), row.budget, row.ended,
              said[row.topic_id], teams)
        for row in pool.growing.select_related("topic")
    ]  # fmt: skip


def grown(
    number: str,
    given: int,
    budget: int,
    ended: bool,
    said: list[tuple[str, bool]],
    teams: dict[tuple[str, str], int],
) -> Growth:
    found = [at for at, (_, relevant) in enumerate(said, 1) if relevant]
    alone = sum(relevant and teams[number, docno] == 1 for docno, relevant in said)
    barren = len(said) - (found[-1] if found else 0)
    return Growth(number, given, budget, len(said), len(found), alone, barren, ended)


def teams_of(pool: Pool) -> dict[tuple[str, str], int]:
    """By (topic, docno) how many teams brought the document."""
    team = [run["team"] for run in pool.spec["runs"]]
    return {
        (row.topic, row.docno): len({team[run] for run in row.contributors})
        for row in pool_rows(pool)
    }


def to_come(pools: Iterable[Pool]) -> dict[tuple[int, int], int]:
    """By pool and topic id how many documents judgments may still bring, at most."""
    growing = [pool.pk for pool in pools if pool.grows]
    if not growing:
        return {}
    items = PoolItem.objects.filter(pool__in=growing).order_by().values_list("pool", "topic")
    came = {(pool, topic): count for pool, topic, count in items.annotate(Count("pk"))}
    rows = PoolTopic.objects.filter(pool__in=growing, ended=False).order_by()
    budgets = rows.values_list("pool", "topic", "budget")
    left = {(pool, topic): most - came.get((pool, topic), 0) for pool, topic, most in budgets}
    return {at: count for at, count in left.items() if count > 0}
