"""Signs that a pool was too small: unjudged documents at the top, topics nearly all relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.comparison.estimate import nan_to_none
from evaluation.core.measures.names import parse_measures

CUTS = (5, 10, 20, 100)
JUDGED_ALARM = 0.9
DENSE = 3
"""A topic alarms where more than one in so many of its judged documents is relevant."""

CARD = Card(
    name="stability",
    title="Signs of a pool that was too small",
    formula="judged@k of a run = judged documents among its first k / documents there, mean "
    f"over topics, alarm below {JUDGED_ALARM}; density of a topic = relevant / judged, alarm "
    f"above 1/{DENSE}; concentration = relevant documents that one team alone brought / relevant",
    reading="A run with few judged documents at its top is scored by guesses; a topic of which "
    "most of what was judged is relevant has more that nobody judged; what one team alone found "
    "others may have missed as well.",
    source="judged@k: ir_measures and trec_eval 10; the alarms of density and concentration: "
    "Voorhees, CIKM 2018, on the bandit pools of the TREC 2017 Common Core track. The threshold "
    "of judged@k is ours.",
    range="0 to 1",
    edge_cases=(
        "A pooled run has judged@k = 1 for every k up to the depth of the pool.",
        "A run with fewer than k documents is divided by what it has.",
        (
            "Beyond the depth of the pool an alarm is to be expected: read it at the cut-off of "
            "the measure that is reported."
        ),
        "A relevant document that no pooled run has within the depth is `elsewhere`.",
    ),
    undefined="judged@k: the run retrieved nothing; density and concentration: nothing is "
    "judged, or nothing is relevant.",
)


@dataclass(frozen=True)
class RunJudged:
    """``shares`` by k as text; ``low`` are the k at which the alarm goes."""

    run: str
    team: str
    pooled: bool
    shares: dict[str, float | None]
    low: tuple[int, ...]


@dataclass(frozen=True)
class TopicDensity:
    """``alone``: relevant documents that one team alone brought; ``elsewhere``: that none did."""

    topic: str
    judged: int
    relevant: int
    density: float | None
    alarm: bool
    alone: int
    elsewhere: int
    concentration: float | None


@dataclass(frozen=True)
class Stability:
    """``low_runs`` by k as text: how many runs alarm. ``of_teams``: how many relevant
    documents so many teams brought, by their number as text.
    """

    runs: tuple[RunJudged, ...]
    topics: tuple[TopicDensity, ...]
    low_runs: dict[str, int]
    dense_topics: int
    relevant: int
    relevant_alone: int
    concentration: float | None
    of_teams: dict[str, int]


def assess_stability(found: PooledCollection) -> Stability:
    """All runs by tag, all topics in the order of the collection."""
    runs, topics = _runs(found), _topics(found)
    relevant, alone = sum(t.relevant for t in topics), sum(t.alone for t in topics)
    count, _ = found.pool.brought_by(found.by_team)
    teams = np.bincount(count[found.is_relevant]).tolist()
    return Stability(
        runs=runs,
        topics=topics,
        low_runs={str(k): sum(k in run.low for run in runs) for k in CUTS},
        dense_topics=sum(topic.alarm for topic in topics),
        relevant=relevant,
        relevant_alone=alone,
        concentration=alone / relevant if relevant else None,
        of_teams={str(number): documents for number, documents in enumerate(teams) if documents},
    )


def _runs(found: PooledCollection) -> tuple[RunJudged, ...]:
    shares = found.figures(parse_measures([f"judged_{k}" for k in CUTS]))
    rows = zip(found.tags, found.teams, found.is_pooled.tolist(), shares.tolist(), strict=True)
    return tuple(
        RunJudged(
            run=tag,
            team=team,
            pooled=pooled,
            shares={str(k): nan_to_none(share) for k, share in zip(CUTS, row, strict=True)},
            low=tuple(k for k, share in zip(CUTS, row, strict=True) if share < JUDGED_ALARM),
        )
        for tag, team, pooled, row in rows
    )


def _topics(found: PooledCollection) -> tuple[TopicDensity, ...]:
    count, alone = found.pool.brought_by(found.by_team)
    relevant = found.is_relevant
    masks = (found.is_judged, relevant, relevant & (alone >= 0), relevant & (count == 0))
    columns = [found.judged.count(mask).tolist() for mask in masks]
    rows = list(zip(found.judged.topics, *columns, strict=True))
    return tuple(
        TopicDensity(
            topic=topic,
            judged=judged,
            relevant=good,
            density=good / judged if judged else None,
            alarm=DENSE * good > judged,
            alone=single,
            elsewhere=elsewhere,
            concentration=single / good if good else None,
        )
        for topic, judged, good, single, elsewhere in map(rows.__getitem__, found.in_order)
    )
