"""When to stop judging: expected relevant documents, favored teams, ranking stability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from django.db.models import Q, QuerySet

from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from common.cache import Cache
from evaluation.core.comparison.rank_drop import competition_ranks
from evaluation.core.measures.family import Measure
from evaluation.queries.interim_scores import InterimScores, load_interim_scorer
from judging.models import Judgment, Plan, Purpose
from judging.queries.exclusions import counting_judgments
from pooling.models import Pool
from pooling.queries import load_pool_table
from pooling.queries.judgment_log import NONE, JudgmentLog, Mask, read_judgment_log
from reliability.core.collection.extrapolation import Extrapolation
from reliability.core.stopping.discoveries import (
    RankWindow,
    TeamDiscoveries,
    TopicDiscoveries,
    discoveries_by_depth,
    discoveries_by_team,
    discoveries_by_topic,
    discovery_curve,
)
from reliability.core.stopping.movement import (
    RankingMovement,
    choose_checkpoints,
    default_step,
    measure_movement,
)
from reliability.core.stopping.pool_state import PoolState
from reliability.core.stopping.remaining_relevant import (
    RemainingEstimate,
    estimate_remaining,
    extrapolate_below_pool,
)
from reliability.queries.collection import pooled_depth

CUTS = (5, 10, 20)
TRUST = tuple(f"judged_{k}" for k in CUTS)


@dataclass(frozen=True)
class InterimPool:
    """The latest pool during judging. ``left`` estimates the relevant documents remaining in
    it; ``below`` those below its depth, or is the reason why that is undefined.
    """

    pool: Pool
    documents: int
    topics: tuple[TopicDiscoveries, ...]
    windows: tuple[RankWindow, ...]
    teams: tuple[TeamDiscoveries, ...]
    left: RemainingEstimate
    below: Extrapolation | str


@dataclass(frozen=True)
class InterimRun:
    """A run if judging stopped now. ``place`` and ``before``, its place at the first
    checkpoint, are None without a score; ``judged`` is judged@k for each cut-off in ``CUTS``.
    """

    run: Run
    pooled: bool
    score: float | None
    place: int | None
    before: int | None
    judged: tuple[float | None, ...]


@dataclass(frozen=True)
class StoppingPanel:
    """``judged`` and ``relevant`` count documents, by their first judgment; ``judgments`` all
    grades. ``moves`` compares with earlier rankings, at multiples of ``step`` judgments.
    """

    pool: InterimPool | None
    judged: int
    relevant: int
    recent: int
    judgments: int
    step: int
    curve: tuple[tuple[int, int], ...]
    measure: Measure
    runs: tuple[InterimRun, ...]
    moves: tuple[RankingMovement, ...]


@dataclass(frozen=True)
class PoolOutcome:
    """``relevance`` of each judged document, in the order of first judgments; ``curve`` as in
    ``StoppingPanel``.
    """

    relevance: tuple[bool, ...]
    curve: tuple[tuple[int, int], ...]
    pool: InterimPool | None


_outcomes: Cache[tuple[object, ...], PoolOutcome] = Cache(8)
"""By the state of the log, the rows that count, the pool, its plans, and settings."""


def stopping_panel(
    *, actor: User, campaign: Campaign, policy: str, by: str, step: int | None = None
) -> StoppingPanel:
    """The complete panel, ranking by the measure ``by``; ``step`` None: about a tenth of all.

    ``recent`` counts the relevant among the last ``step`` documents.
    """
    require_permission(actor, "campaigns.manage", campaign)
    scorer = load_interim_scorer(campaign, policy, (by, *TRUST))
    log = scorer.reader.log
    graded = scorer.reader.counting & log.select_rows(Purpose.JUDGE, Judgment.Kind.GRADE)
    pooled = load_pool_outcome(campaign, log, graded)
    rows = log.numbers["pk"][graded].tolist()
    judgments = len(rows)
    step = step or default_step(judgments)
    relevance, counts = pooled.relevance, choose_checkpoints(judgments, step)
    now, *past = (scorer.score(last) for last in (None, *(rows[count - 1] for count in counts)))
    measure = now.measures[0]
    lower = measure.family.better == "lower"
    return StoppingPanel(
        pool=pooled.pool,
        judged=len(relevance),
        relevant=sum(relevance),
        recent=sum(relevance[-step:]),
        judgments=judgments,
        step=step,
        curve=pooled.curve,
        measure=measure,
        runs=interim_run_rows(campaign, now, past[0] if past else None, lower=lower),
        moves=tuple(
            measure_movement(judgments - count, means_by_tag(each), means_by_tag(now), lower=lower)
            for count, each in zip(counts, past, strict=True)
        ),
    )


def load_pool_outcome(campaign: Campaign, log: JudgmentLog, graded: Mask) -> PoolOutcome:
    """What the ``graded`` rows of the log have found, kept until any row or setting changes."""

    def compute() -> PoolOutcome:
        outcomes = find_first_relevance(campaign, log, graded)
        relevance = tuple(outcomes.values())
        curve = tuple(discovery_curve(relevance))
        return PoolOutcome(relevance, curve, interim_pool_state(campaign, outcomes))

    pool = campaign.pools.first()
    if pool is not None and pool.is_adaptive:
        # It grows without a judgment.
        return compute()
    plans = campaign.plans.order_by("pk").values_list("pk", "pool", "kind", "order")
    key = (
        log.version, sha256(np.packbits(graded).tobytes()).digest(), campaign.relevance_level,
        campaign.seed, tuple(campaign.topics.values_list("pk", "number")),
        pool and (pool.pk, pool.frozen_at), tuple(plans),
    )  # fmt: skip
    return _outcomes.get_or_compute(key, compute)


def find_first_relevance(
    campaign: Campaign, log: JudgmentLog, graded: Mask
) -> dict[tuple[str, str], bool]:
    """As ``first_relevance``, of the ``graded`` rows of the log."""
    numbers = dict(campaign.topics.values_list("pk", "number"))
    pair = log.pair[graded]
    first = np.sort(np.unique(pair, return_index=True)[1])
    relevant = log.numbers["grade"][graded][first] >= campaign.relevance_level
    named = ((numbers[topic], docno) for topic, docno in map(log.pairs.__getitem__, pair[first]))
    return dict(zip(named, relevant.tolist(), strict=True))


def graded_log(campaign: Campaign) -> QuerySet[Judgment]:
    """The log of grades by assessors, with changed ones, without those set aside."""
    return Judgment.objects.filter(
        counting_judgments(), campaign=campaign, purpose=Purpose.JUDGE, kind=Judgment.Kind.GRADE
    )


def means_by_tag(scores: InterimScores, column: int = 0) -> dict[str, float]:
    """Mean scores by run tag; NaN if undefined."""
    pairs = zip(scores.runs, scores.means, strict=True)
    return {run.tag: np.nan if (mean := means[column]) is None else mean for run, means in pairs}


def interim_run_rows(
    campaign: Campaign, now: InterimScores, past: InterimScores | None, *, lower: bool
) -> tuple[InterimRun, ...]:
    """Best first; runs without a score last."""
    pool = campaign.pools.first()
    pooled = {run["id"] for run in pool.spec["runs"]} if pool else set()
    place = rank_scores(means_by_tag(now), lower=lower)
    before = rank_scores(means_by_tag(past), lower=lower) if past else {}
    columns = [[measure.name for measure in now.measures].index(name) for name in TRUST]
    rows = [
        InterimRun(
            run=run,
            pooled=run.pk in pooled,
            score=means[0],
            place=place.get(run.tag),
            before=before.get(run.tag),
            judged=tuple(means[at] for at in columns),
        )
        for run, means in zip(now.runs, now.means, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (row.place or len(rows) + 1, row.run.tag)))


def rank_scores(scores: Mapping[str, float], *, lower: bool) -> dict[str, int]:
    """The place of each run with a score; 1 is best."""
    defined = {tag: score for tag, score in scores.items() if not np.isnan(score)}
    sign = -1.0 if lower else 1.0
    ranks = competition_ranks(sign * np.array([*defined.values()]))
    return dict(zip(defined, ranks, strict=True))


def interim_pool_state(
    campaign: Campaign, outcomes: Mapping[tuple[str, str], bool]
) -> InterimPool | None:
    pool = campaign.pools.first()
    if pool is None:
        return None
    state = load_pool_state(pool, outcomes)
    by_topic: dict[str, list[bool]] = defaultdict(list)
    for (topic, _docno), relevant in outcomes.items():
        by_topic[topic].append(relevant)
    is_random = is_judged_at_random(pool, outcomes.keys())
    depth = None if pool.is_adaptive else pooled_depth(pool.spec)
    return InterimPool(
        pool=pool,
        documents=len(state.topic),
        topics=tuple(discoveries_by_topic(state, by_topic)),
        windows=tuple(discoveries_by_depth(state)),
        teams=tuple(discoveries_by_team(state)),
        left=estimate_remaining(state, is_random=is_random),
        below=extrapolate_below_pool(state, depth, is_random=is_random, seed=campaign.seed),
    )


def load_pool_state(pool: Pool, outcomes: Mapping[tuple[str, str], bool]) -> PoolState:
    """The current state of the pool, topics in the campaign's order."""
    table = load_pool_table(pool)
    team_by_run = [run["team"] for run in pool.spec["runs"]]
    teams = sorted(set(team_by_run))
    place = np.array([teams.index(team) for team in team_by_run], np.int64)
    contributed = np.zeros((len(table), len(teams)), np.bool_)
    documents = np.repeat(np.arange(len(table)), np.diff(table.bounds))
    contributed[documents, place[table.contributors]] = True
    numbers = pool.campaign.topics.values_list("number", flat=True)
    topics = [number for number in numbers if number in set(table.topics)]
    sizes = np.diff(table.starts)
    listed = np.repeat(np.array(table.topics, object), sizes).tolist()
    judged = [outcomes.get(pair) for pair in zip(listed, table.docnos, strict=True)]
    return PoolState(
        topics=tuple(topics),
        teams=tuple(teams),
        topic=np.repeat(np.array([topics.index(t) for t in table.topics], np.int64), sizes),
        rank=table.min_rank.astype(np.int64),
        judged=np.array([outcome is not None for outcome in judged], np.bool_),
        relevant=np.array([outcome is True for outcome in judged], np.bool_),
        contributed=contributed,
    )


def is_judged_at_random(pool: Pool, judged: Collection[tuple[str, str]]) -> bool:
    """Whether the ``judged`` documents of the pool are a random sample of each topic: all were
    judged under plans in random order, none for another pool or by import.
    """
    orders = pool.plans.filter(kind=Plan.Kind.JUDGE).values_list("order", flat=True)
    if pool.is_adaptive or set(orders) != {Plan.Order.RANDOM}:
        return False
    log = read_judgment_log(pool.campaign)
    loose = log.select_rows(Purpose.JUDGE, Judgment.Kind.GRADE) & (log.numbers["slot_id"] == NONE)
    others = pool.campaign.plans.filter(kind=Plan.Kind.JUDGE).exclude(pool=pool)
    if not loose.any() and not others.exists():
        return True
    # A late judgment fills no slot, but its document had been checked out.
    by_pool = Q(slot__plan__pool=pool) | Q(slot=None, lease__isnull=False)
    otherwise = Q(slot=None, lease=None) | Q(slot__isnull=False) & ~Q(slot__plan__pool=pool)
    if not graded_log(pool.campaign).filter(otherwise).exists():
        return True
    checked_out = graded_log(pool.campaign).filter(by_pool).values_list("topic__number", "docno")
    if not (elsewhere := {*judged} - {*checked_out}):
        return True
    return elsewhere.isdisjoint(pool.items.values_list("topic__number", "docno"))
