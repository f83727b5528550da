"""How a pool grows: what each topic was given, what was found, and the two alarms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, Topic
from pooling.models import Pool, PoolItem, PoolTopic
from pooling.queries.pools import PoolRow, list_pool_rows

MANY_RELEVANT = 1 / 3
"""Share of relevant among judged documents above which more are likely to be missed, after
Voorhees 2018, who saw it in 21 of 50 topics of a campaign pooled by a bandit."""
ENOUGH = 10
"""Judged documents of a topic from which on its share says anything."""


@dataclass(frozen=True)
class TopicGrowth:
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


def list_growth(pool: Pool) -> list[TopicGrowth]:
    """By topic, in the campaign's order, by the first grade that anybody gave to each document.

    The method may not have taken note of the last of them: it does when it is asked for more.
    """
    held = list_pool_rows(pool)
    teams = count_teams_by_pair(pool, held)
    given = Counter(row.topic for row in held)
    said: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for (topic, docno), relevant in first_relevance(pool.campaign).items():
        if (topic, docno) in teams:
            said[topic].append((docno, relevant))
    rows = pool.growing.select_related("topic")
    numbers = [(row.topic.number, row.budget, row.ended) for row in rows]
    return [
        topic_growth(number, given[number], budget, ended, said[number], teams)
        for number, budget, ended in numbers
    ]


def first_relevance(campaign: Campaign, topic: Topic | None = None) -> dict[tuple[str, str], bool]:
    """By (topic, docno), in the order of the log: was the first grade, by whomever, relevant?

    A grade below 0 says nothing of relevance, and counts as not relevant: it was read.
    """
    graded = campaign.judgments.filter(purpose="judge", kind="grade").order_by("pk")
    graded = graded if topic is None else graded.filter(topic=topic)
    found: dict[tuple[str, str], bool] = {}
    for number, docno, grade in graded.values_list("topic__number", "docno", "grade"):
        found.setdefault((number, docno), (grade or 0) >= campaign.relevance_level)
    return found


def topic_growth(
    number: str,
    given: int,
    budget: int,
    ended: bool,
    said: list[tuple[str, bool]],
    teams: dict[tuple[str, str], int],
) -> TopicGrowth:
    found = [at for at, (_, relevant) in enumerate(said, 1) if relevant]
    alone = sum(relevant and teams[number, docno] == 1 for docno, relevant in said)
    barren = len(said) - (found[-1] if found else 0)
    return TopicGrowth(number, given, budget, len(said), len(found), alone, barren, ended)


def count_teams_by_pair(pool: Pool, held: Iterable[PoolRow]) -> dict[tuple[str, str], int]:
    """By (topic, docno) how many teams brought the document."""
    team = [run["team"] for run in pool.spec["runs"]]
    return {(row.topic, row.docno): len({team[run] for run in row.contributors}) for row in held}


def future_documents(
    pools: Collection[int], topics: Collection[int] | None = None
) -> dict[tuple[int, int], int]:
    """By pool and topic id how many documents judgments may still bring, at most; where it is
    none the topic is left out. ``topics``: of these alone.
    """
    items = PoolItem.objects.filter(pool=OuterRef("pool"), topic=OuterRef("topic")).order_by()
    came = Subquery(items.values("pool").annotate(n=Count("pk")).values("n"))
    rows = PoolTopic.objects.filter(pool__in=pools, ended=False).order_by()
    rows = rows if topics is None else rows.filter(topic__in=topics)
    found = rows.annotate(more=F("budget") - Coalesce(came, 0)).filter(more__gt=0)
    return {(pool, topic): more for pool, topic, more in found.values_list("pool", "topic", "more")}
