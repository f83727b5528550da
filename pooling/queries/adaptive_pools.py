"""Growth of an adaptive pool: documents selected and relevant per topic, and two alarms."""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, Topic
from poolbench.pooling.tables import PoolTable
from pooling.models import Pool, PoolItem, PoolTopic
from pooling.queries.pools import load_pool_table

MANY_RELEVANT = 1 / 3
"""Share of relevant among judged documents above which more are likely to be missed, after
Voorhees 2018, who found it in 21 of 50 topics of a campaign pooled by a bandit."""
MIN_JUDGED = 10
"""Minimum number of judged documents for the share of a topic to be meaningful."""


@dataclass(frozen=True)
class TopicGrowth:
    """One topic. ``barren`` counts the judgments since the last relevant document; ``one_team``
    the relevant documents unique to one team.
    """

    number: str
    selected: int
    budget: int
    judged: int
    relevant: int
    one_team: int
    barren: int
    ended: bool

    @property
    def share(self) -> float | None:
        """Share of relevant among judged documents; None without judgments."""
        return self.relevant / self.judged if self.judged else None

    @property
    def many_relevant(self) -> bool:
        return self.judged >= MIN_JUDGED and (self.share or 0) > MANY_RELEVANT


def list_growth(pool: Pool) -> list[TopicGrowth]:
    """By topic in the campaign's order, based on the first grade of each document.

    The method may not have processed the latest judgments yet: it does when it selects more.
    """
    table = load_pool_table(pool)
    teams = count_teams_by_pair(pool, table)
    selected = Counter(topic for topic, _ in table.iter_rows())
    outcomes: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for (topic, docno), relevant in first_relevance(pool.campaign).items():
        if (topic, docno) in teams:
            outcomes[topic].append((docno, relevant))
    growth = []
    for row in pool.growing.select_related("topic"):
        number = row.topic.number
        hits = [(at, docno) for at, (docno, relevant) in enumerate(outcomes[number], 1) if relevant]
        growth.append(
            TopicGrowth(
                number=number,
                selected=selected[number],
                budget=row.budget,
                judged=len(outcomes[number]),
                relevant=len(hits),
                one_team=sum(teams[number, docno] == 1 for _, docno in hits),
                barren=len(outcomes[number]) - (hits[-1][0] if hits else 0),
                ended=row.ended,
            )
        )
    return growth


def first_relevance(
    campaign: Campaign, topic: Topic | None = None, among: Q | None = None
) -> dict[tuple[str, str], bool]:
    """By (topic, docno), in the order of the log: whether the first grade is relevant; of the
    judgments ``among`` only, if not None.

    A grade below 0 does not express relevance and counts as not relevant, since it is a judgment.
    """
    graded = campaign.judgments.filter(purpose="judge", kind="grade").order_by("pk")
    graded = graded if topic is None else graded.filter(topic=topic)
    graded = graded if among is None else graded.filter(among)
    first: dict[tuple[str, str], bool] = {}
    for number, docno, grade in graded.values_list("topic__number", "docno", "grade"):
        first.setdefault((number, docno), (grade or 0) >= campaign.relevance_level)
    return first


def count_teams_by_pair(pool: Pool, table: PoolTable) -> dict[tuple[str, str], int]:
    """By (topic, docno): the number of teams that contributed the document."""
    teams = {run["tag"]: run["team"] for run in pool.spec["runs"]}
    return {
        (topic, docno): len({teams[tag] for tag in table.contributor_tags(row)})
        for (topic, row), docno in zip(table.iter_rows(), table.docnos, strict=True)
    }


def future_documents(
    pools: Collection[int], topics: Collection[int] | None = None
) -> dict[tuple[int, int], int]:
    """By (pool, topic) id: the maximum number of documents still to come; topics without any are
    omitted. ``topics`` restricts the result.
    """
    items = PoolItem.objects.filter(pool=OuterRef("pool"), topic=OuterRef("topic")).order_by()
    pooled = Subquery(items.values("pool").annotate(n=Count("pk")).values("n"))
    rows = PoolTopic.objects.filter(pool__in=pools, ended=False).order_by()
    rows = rows if topics is None else rows.filter(topic__in=topics)
    counts = rows.annotate(more=F("budget") - Coalesce(pooled, 0)).filter(more__gt=0)
    return {
        (pool, topic): more for pool, topic, more in counts.values_list("pool", "topic", "more")
    }
