"""Signs of a pool that is too small: unjudged top documents, topics with mostly relevant ones."""

from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.measures.names import parse_measures
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.statistics.estimate import nan_to_none

CUTS = (5, 10, 20, 100)
JUDGED_ALARM = 0.9
DENSE = 3
"""A topic raises an alarm if more than one in this many judged documents is relevant."""

CARD = Card(
    name="stability",
    title="Pool size alarms",
    formula="judged@k of a run = judged documents in its top k / documents in its top k, "
    f"mean over topics, alarm below {JUDGED_ALARM}; density of a topic = relevant / judged, alarm "
    f"above 1/{DENSE}; concentration = unique relevant documents of one team / relevant",
    reading="The pool is too small if top-ranked documents are unjudged: the scores of such runs "
    "are guesses. A topic whose judged documents are mostly relevant has more relevant ones that "
    "are unjudged, and many unique relevant documents suggest that the pool misses others.",
    source="judged@k: ir_measures and trec_eval 10; the alarms of density and concentration: "
    "Voorhees, CIKM 2018, on the bandit pools of the TREC 2017 Common Core track. The threshold "
    "of judged@k is ours.",
    range="0 to 1",
    edge_cases=(
        "A contributing run has judged@k = 1 for every k up to the pool depth.",
        "For a run with fewer than k documents, the divisor is its number of documents.",
        (
            "Beyond the pool depth an alarm is expected: read judged@k at the cut-off of the "
            "reported measure."
        ),
        "Relevant documents that no contributing run has within the pool depth are `elsewhere`.",
    ),
    undefined="judged@k: the run retrieved no document; density and concentration: no document is "
    "judged or relevant.",
)


@dataclass(frozen=True)
class RunJudged:
    """``shares`` by k as text; ``low`` are the k with an alarm."""

    run: str
    team: str
    pooled: bool
    shares: dict[str, float | None]
    low: tuple[int, ...]


@dataclass(frozen=True)
class TopicDensity:
    """``alone``: relevant documents unique to one team; ``elsewhere``: those of no team."""

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
    """``low_runs``: runs with an alarm, by k as text. ``of_teams``: relevant documents by the
    number of teams that contributed them, as text.
    """

    runs: tuple[RunJudged, ...]
    topics: tuple[TopicDensity, ...]
    low_runs: dict[str, int]
    dense_topics: int
    relevant: int
    relevant_alone: int
    concentration: float | None
    of_teams: dict[str, int]


def assess_stability(collection: PooledCollection) -> Stability:
    """All runs by tag, all topics in report order."""
    runs, topics = _runs(collection), _topics(collection)
    relevant, alone = sum(t.relevant for t in topics), sum(t.alone for t in topics)
    count, _ = collection.pool.contributors(collection.by_team)
    teams = np.bincount(count[collection.is_relevant]).tolist()
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


def _runs(collection: PooledCollection) -> tuple[RunJudged, ...]:
    shares = collection.score(parse_measures([f"judged_{k}" for k in CUTS]))
    rows = zip(
        collection.tags,
        collection.teams,
        collection.is_pooled.tolist(),
        shares.tolist(),
        strict=True,
    )
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


def _topics(collection: PooledCollection) -> tuple[TopicDensity, ...]:
    count, sole = collection.pool.contributors(collection.by_team)
    relevant = collection.is_relevant
    masks = (collection.is_judged, relevant, relevant & (sole >= 0), relevant & (count == 0))
    columns = [collection.judged.count(mask).tolist() for mask in masks]
    rows = list(zip(collection.judged.topics, *columns, strict=True))
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
        for topic, judged, good, single, elsewhere in map(rows.__getitem__, collection.in_order)
    )
