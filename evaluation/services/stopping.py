"""When to stop: what the judging still brings, whom it favours, and what it still changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Q, QuerySet

from campaigns.models import Campaign, Run, User
from campaigns.rules import require
from evaluation.core.collection.extrapolation import Extrapolation
from evaluation.core.comparison.drop import ranks
from evaluation.core.measures.family import Measure
from evaluation.core.stopping.found import (
    TeamFound,
    Topic,
    Window,
    curve,
    found_by_depth,
    found_by_team,
    found_by_topic,
)
from evaluation.core.stopping.held import Document, Held, held_of
from evaluation.core.stopping.movement import Movement, checkpoints, movement, usual_step
from evaluation.core.stopping.remaining import Remaining, deeper, remaining
from evaluation.services.collection import depth_of
from evaluation.services.live import Live, live_scores
from judging.models import Judgment, Plan, Purpose
from pooling.models import Pool
from pooling.queries import first_grades, pool_rows

CUTS = (5, 10, 20)
TRUST = tuple(f"judged_{k}" for k in CUTS)


@dataclass(frozen=True)
class PoolSoFar:
    """The newest pool while it is judged. ``below`` is a reason where nothing can be told of
    documents below the pool.
    """

    pool: Pool
    documents: int
    topics: tuple[Topic, ...]
    windows: tuple[Window, ...]
    teams: tuple[TeamFound, ...]
    left: Remaining
    below: Extrapolation | str


@dataclass(frozen=True)
class RunSoFar:
    """A run if judging stopped now. ``place`` and the one ``before``, at the first checkpoint,
    are None without a score; ``judged`` are its shares by cut of ``CUTS``.
    """

    run: Run
    pooled: bool
    score: float | None
    place: int | None
    before: int | None
    judged: tuple[float | None, ...]


@dataclass(frozen=True)
class Panel:
    """``judged`` and ``relevant`` are documents, by their first judgment; ``judgments`` all grades
    given. ``moves`` are rankings before, at multiples of ``step`` judgments.
    """

    pool: PoolSoFar | None
    judged: int
    relevant: int
    recent: int
    judgments: int
    step: int
    curve: tuple[tuple[int, int], ...]
    measure: Measure
    runs: tuple[RunSoFar, ...]
    moves: tuple[Movement, ...]


def stopping_panel(
    *, actor: User, campaign: Campaign, policy: str, by: str, step: int | None = None
) -> Panel:
    """Everything at once, ranking by the measure ``by``; ``step`` None: about a tenth of all.

    ``recent`` of the panel counts the relevant among the last ``step`` documents.
    """
    require(actor, "campaigns.manage", campaign)
    outcomes = first_grades(campaign)
    judgments = graded(campaign).count()
    step = step or usual_step(judgments)
    found, counts = [*outcomes.values()], checkpoints(judgments, step)
    now = as_of(actor, campaign, policy, by)
    past = [as_of(actor, campaign, policy, by, row) for row in rows_at(campaign, counts)]
    measure = now.measures[0]
    lower = measure.family.better == "lower"
    return Panel(
        pool=pool_so_far(campaign, outcomes),
        judged=len(found),
        relevant=sum(found),
        recent=sum(found[-step:]),
        judgments=judgments,
        step=step,
        curve=tuple(curve(found)),
        measure=measure,
        runs=runs_so_far(campaign, now, past[0] if past else None, lower=lower),
        moves=tuple(
            movement(judgments - count, by_tag(each), by_tag(now), lower=lower)
            for count, each in zip(counts, past, strict=True)
        ),
    )


def rows_at(campaign: Campaign, counts: Sequence[int]) -> list[int]:
    """The rows of the log that the grades with these numbers, from 1, stand in."""
    rows = graded(campaign).order_by("pk").values_list("pk", flat=True)
    return [rows[count - 1] for count in counts]


def graded(campaign: Campaign) -> QuerySet[Judgment]:
    """The log of grades that people gave, changes too."""
    return Judgment.objects.filter(
        campaign=campaign, purpose=Purpose.JUDGE, kind=Judgment.Kind.GRADE
    )


def as_of(actor: User, campaign: Campaign, policy: str, by: str, last: int | None = None) -> Live:
    names = (by, *TRUST)
    return live_scores(actor=actor, campaign=campaign, policy=policy, names=names, last=last)


def by_tag(live: Live, column: int = 0) -> dict[str, float]:
    """The means by run's tag; NaN for none."""
    pairs = zip(live.runs, live.means, strict=True)
    return {run.tag: np.nan if (mean := means[column]) is None else mean for run, means in pairs}


def runs_so_far(
    campaign: Campaign, now: Live, past: Live | None, *, lower: bool
) -> tuple[RunSoFar, ...]:
    """Best first; runs without a score last."""
    pool = campaign.pools.first()
    pooled = {run["id"] for run in pool.spec["runs"]} if pool else set()
    place = places(by_tag(now), lower=lower)
    before = places(by_tag(past), lower=lower) if past else {}
    columns = [[measure.name for measure in now.measures].index(name) for name in TRUST]
    found = [
        RunSoFar(
            run=run,
            pooled=run.pk in pooled,
            score=means[0],
            place=place.get(run.tag),
            before=before.get(run.tag),
            judged=tuple(means[at] for at in columns),
        )
        for run, means in zip(now.runs, now.means, strict=True)
    ]
    return tuple(sorted(found, key=lambda row: (row.place or len(found) + 1, row.run.tag)))


def places(scores: Mapping[str, float], *, lower: bool) -> dict[str, int]:
    """The place of each run that has a score, 1 being best."""
    known = {tag: score for tag, score in scores.items() if not np.isnan(score)}
    sign = -1.0 if lower else 1.0
    return dict(zip(known, ranks(sign * np.array([*known.values()])), strict=True))


def pool_so_far(campaign: Campaign, outcomes: Mapping[tuple[str, str], bool]) -> PoolSoFar | None:
    pool = campaign.pools.first()
    if pool is None:
        return None
    held = laid_out(pool, outcomes)
    by_topic: dict[str, list[bool]] = defaultdict(list)
    for (topic, _docno), relevant in outcomes.items():
        by_topic[topic].append(relevant)
    is_random = comes_at_random(pool, outcomes.keys())
    depth = None if pool.grows else depth_of(pool.spec)
    return PoolSoFar(
        pool=pool,
        documents=len(held.topic),
        topics=tuple(found_by_topic(held, by_topic)),
        windows=tuple(found_by_depth(held)),
        teams=tuple(found_by_team(held)),
        left=remaining(held, is_random=is_random),
        below=deeper(held, depth, is_random=is_random, seed=campaign.seed),
    )


def laid_out(pool: Pool, outcomes: Mapping[tuple[str, str], bool]) -> Held:
    """What the pool holds by now, topics in the campaign's order."""
    of_run = [run["team"] for run in pool.spec["runs"]]
    teams = sorted(set(of_run))
    place = [teams.index(team) for team in of_run]
    documents = [
        Document(row.topic, row.docno, row.min_rank, {place[run] for run in row.contributors})
        for row in pool_rows(pool)
    ]
    there = {document.topic for document in documents}
    numbers = pool.campaign.topics.values_list("number", flat=True)
    return held_of(documents, [number for number in numbers if number in there], teams, outcomes)


def comes_at_random(pool: Pool, judged: Collection[tuple[str, str]]) -> bool:
    """Whether what is ``judged`` of the pool is a random sample of each of its topics: it came
    by plans in random order, and none of it by another pool or from outside.
    """
    orders = pool.plans.filter(kind=Plan.Kind.JUDGE).values_list("order", flat=True)
    if pool.grows or set(orders) != {Plan.Order.RANDOM}:
        return False
    # A late judgment fills no slot, but the document was handed out all the same.
    given = Q(slot__plan__pool=pool) | Q(slot=None, lease__isnull=False)
    handed = graded(pool.campaign).filter(given).values_list("topic__number", "docno")
    if not (elsewhere := {*judged} - {*handed}):
        return True
    return elsewhere.isdisjoint(pool.items.values_list("topic__number", "docno"))
