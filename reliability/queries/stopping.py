"""When to stop judging: expected relevant documents, favored teams, ranking stability."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from django.db.models import Q, QuerySet

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.tasks import get_current_task, list_judged_before
from campaigns.rules import require_access
from campaigns.services.snapshots import compute_report
from evaluation.queries.estimate_report import ESTIMATES
from evaluation.queries.interim_scores import load_interim_scorer
from evaluation.queries.scoring_inputs import SHOWN_MEASURES
from judging.models import Judgment, Plan, Purpose
from judging.queries.exclusions import counting_judgments
from judging.queries.judgments import load_log_reader
from poolbench.cache import Cache
from poolbench.estimation.looks import SampleLook, find_outcome
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES
from poolbench.judging.policies import DEFAULT_POLICY
from poolbench.pooling.run_listing import pack_docnos
from poolbench.pooling.tables import PoolTable
from poolbench.reading.docnos import DocnoArray
from poolbench.reliability.disagreement.report import can_rank_runs
from poolbench.reliability.stopping.discoveries import (
    ALL,
    PoolState,
    TopicState,
    count_pool,
    discoveries_by_depth,
    discoveries_by_team,
    discoveries_by_topic,
    discovery_curve,
)
from poolbench.reliability.stopping.movement import choose_checkpoints, default_step
from poolbench.reliability.stopping.panel import TRUST, InterimPool, StoppingPanel, rank_panel
from poolbench.reliability.stopping.remaining_relevant import (
    estimate_remaining,
    extrapolate_below_pool,
)
from poolbench.reliability.verdicts.stopping import SAMPLED, STILL, StoppingReport, compute_stopping
from poolbench.runs.run_matrix import PairArray
from poolbench.runs.tables import group_starts
from pooling.models import Pool
from pooling.queries.frozen_pools import is_drawn_by_influence
from pooling.queries.judgment_log import NONE, Ints, JudgmentLog, Mask, read_judgment_log
from pooling.queries.pools import iter_pool_parts
from reliability.queries.campaign_state import build_history, list_graded_rows, load_campaign_state
from reliability.queries.collection import pooled_depth


@dataclass(frozen=True)
class RankingChoice:
    """How runs are ranked; ``step`` None: about a tenth of all judgments."""

    policy: str
    by: str
    step: int | None = None


Outcomes = Mapping[str, Mapping[str, bool]]
"""By topic and docno."""
NO_PAIRS = PairArray.from_pairs(())


class FirstJudgments(NamedTuple):
    """Of each judged document, in the order of its first judgment, whether that is relevant: all,
    and by topic and docno.
    """

    relevant: list[bool]
    by_topic: dict[str, dict[str, bool]]


@dataclass(frozen=True)
class PoolOutcome:
    """``judged`` and ``relevant`` documents, ``curve`` as in ``StoppingPanel``, and of the pool the
    pairs that are ``unjudged``.
    """

    judged: int
    relevant: int
    curve: tuple[tuple[int, int], ...]
    pool: InterimPool | None
    unjudged: PairArray


MOST_UNJUDGED = 1_000_000
_outcomes: Cache[tuple[object, ...], PoolOutcome] = Cache(
    MOST_UNJUDGED, lambda outcome: MOST_UNJUDGED // 8 + len(outcome.unjudged)
)
"""By the state of the log, the rows that count, the pool, its plans, and settings. Eight at most;
a million pairs take some 20 MB."""


def choose_default_ranking(campaign: Campaign) -> RankingChoice:
    """That of the page, where the user chooses none."""
    names = [measure.name for measure in ranking_measures(campaign)]
    return RankingChoice(
        DEFAULT_POLICY, next((name for name in SHOWN_MEASURES if name in names), names[0])
    )


def ranking_measures(campaign: Campaign) -> list[Measure]:
    """The campaign's measures that rank runs; at least one."""
    measures = [m for m in parse_measures(campaign.measures or DEFAULT_NAMES) if can_rank_runs(m)]
    return measures or [*parse_measures(["map"])]


def load_stopping_report(campaign: Campaign) -> StoppingReport:
    """Of the latest pool, as of now; its sections rank the runs as the page does by itself."""
    panel, unjudged = load_stopping_panel(campaign, choose_default_ranking(campaign))
    pool = campaign.pools.first()
    if pool is None:
        return compute_stopping(panel)
    if is_drawn_by_influence(pool):
        look = compute_report(campaign, ESTIMATES).report or SampleLook()
        outcome = find_outcome(look, choose_default_ranking(campaign).by)
        return replace(compute_stopping(panel, len(unjudged), SAMPLED), sample=outcome)
    try:
        state = load_campaign_state(campaign, back=(int(STILL.value),), unjudged=unjudged)
    except ActionRefused as refused:
        return compute_stopping(panel, len(unjudged), refused.message)
    return compute_stopping(panel, len(unjudged), state)


def load_stopping_panel(
    campaign: Campaign, choice: RankingChoice
) -> tuple[StoppingPanel, PairArray]:
    """As of now, and the unjudged pairs of the pool."""
    reader = load_log_reader(campaign)
    log = reader.log
    graded = reader.counting & log.select_rows(Purpose.JUDGE, Judgment.Kind.GRADE)
    outcome = load_pool_outcome(campaign, log, graded)
    panel = StoppingPanel(
        last=int(log.numbers["pk"][-1]) if len(log) else 0,
        pool=outcome.pool,
        judged=outcome.judged,
        relevant=outcome.relevant,
        judgments=int(np.count_nonzero(graded)),
        curve=outcome.curve,
    )
    return rank_stopping_panel(campaign, panel, choice), outcome.unjudged


def choose_stopping_panel(
    *, actor: User, campaign: Campaign, choice: RankingChoice, report: StoppingReport | None
) -> StoppingPanel:
    """The sections of ``report``, with the runs ranked by ``choice`` as of the same judgments;
    without a report, as of now.
    """
    require_access(actor, "campaigns.manage", campaign)
    if report is None:
        return load_stopping_panel(campaign, choice)[0]
    panel = report.panel
    step = choice.step or default_step(panel.judgments)
    if (panel.policy, panel.measure, panel.step) == (choice.policy, choice.by, step):
        return panel
    return rank_stopping_panel(campaign, panel, choice)


def rank_stopping_panel(
    campaign: Campaign, panel: StoppingPanel, choice: RankingChoice
) -> StoppingPanel:
    """By the judgments up to row ``panel.last``, of which ``panel`` is."""
    scorer = load_interim_scorer(campaign, choice.policy, (choice.by, *TRUST))
    rows = list_graded_rows(scorer, panel.last)
    step = choice.step or default_step(len(rows))
    moments = (len(rows), *choose_checkpoints(len(rows), step))
    history = build_history(campaign, scorer, rows, moments, TRUST, panel.last)
    graded = np.isin(scorer.reader.log.numbers["pk"], rows)
    first = find_first_relevance(campaign, scorer.reader.log, graded)
    return replace(rank_panel(panel, history, step), recent=sum(first.relevant[-step:]))


def count_judgments_since(campaign: Campaign, last: int) -> int:
    """The grades after row ``last`` of the log: live, as a page says that shows older figures."""
    return graded_log(campaign).filter(pk__gt=last).count()


def load_pool_outcome(campaign: Campaign, log: JudgmentLog, graded: Mask) -> PoolOutcome:
    """What the ``graded`` rows of the log have found, kept until any row or setting changes."""

    def compute() -> PoolOutcome:
        first = find_first_relevance(campaign, log, graded)
        curve = tuple(discovery_curve(first.relevant))
        state, unjudged = (None, NO_PAIRS) if pool is None else load_interim_pool(pool, first)
        return PoolOutcome(len(first.relevant), sum(first.relevant), curve, state, unjudged)

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


def find_first_relevance(campaign: Campaign, log: JudgmentLog, graded: Mask) -> FirstJudgments:
    """As ``first_relevance``, of the ``graded`` rows of the log, for the current task."""
    numbers = dict(campaign.topics.values_list("pk", "number"))
    pair = log.pair[graded]
    first = np.sort(np.unique(pair, return_index=True)[1])
    relevant = log.numbers["grade"][graded][first] >= campaign.relevance_level
    named = log.name_pairs(pair[first], numbers)
    outcomes: Iterable[tuple[tuple[str, str], bool]] = zip(named, relevant.tolist(), strict=True)
    if (task := get_current_task(campaign)) is not None:
        topics, before = set(task.list_topic_numbers()), list_judged_before(task)
        outcomes = (
            (each, outcome) for each, outcome in outcomes
            if each[0] in topics and each not in before
        )  # fmt: skip
    judgments = FirstJudgments([], defaultdict(dict))
    for (topic, docno), outcome in outcomes:
        judgments.relevant.append(outcome)
        judgments.by_topic[topic][docno] = outcome
    return judgments


def graded_log(campaign: Campaign) -> QuerySet[Judgment]:
    """The log of grades by assessors, with changed ones, without those set aside."""
    return Judgment.objects.filter(
        counting_judgments(), campaign=campaign, purpose=Purpose.JUDGE, kind=Judgment.Kind.GRADE
    )


def load_interim_pool(pool: Pool, first: FirstJudgments) -> tuple[InterimPool, PairArray]:
    """What is found in the pool so far, and what of it is unjudged."""
    state, unjudged = load_pool_state(pool, first.by_topic)
    by_topic = {topic: [*outcomes.values()] for topic, outcomes in first.by_topic.items()}
    is_random = is_judged_at_random(pool, first.by_topic)
    depth = None if pool.is_adaptive else pooled_depth(pool.spec)
    seed = pool.campaign.seed
    interim = InterimPool(
        version=pool.version,
        is_adaptive=pool.is_adaptive,
        documents=int(state.count(ALL).sum()),
        topics=tuple(discoveries_by_topic(state, by_topic)),
        windows=tuple(discoveries_by_depth(state)),
        teams=tuple(discoveries_by_team(state)),
        left=estimate_remaining(state, is_random=is_random),
        below=extrapolate_below_pool(state, depth, is_random=is_random, seed=seed),
        depth=depth,
    )
    return interim, unjudged


def load_pool_state(pool: Pool, outcomes: Outcomes) -> tuple[PoolState, PairArray]:
    """The current state of the pool, topics in the campaign's order, and its unjudged pairs. Some
    topics are in memory at a time.
    """
    team_by_run = [run["team"] for run in pool.spec["runs"]]
    teams = sorted(set(team_by_run))
    place = np.array([teams.index(team) for team in team_by_run], np.int64)
    topics, sizes, parts = list[str](), list[int](), list[DocnoArray]()

    def note_unjudged() -> Iterator[TopicState]:
        for table in iter_pool_parts(pool):
            for at, topic in enumerate(table.topics):
                state = build_topic_state(table, at, outcomes.get(topic, {}), place)
                left = table.docnos.take(table.rows(at).start + np.flatnonzero(~state.judged))
                if len(left):
                    topics.append(topic)
                    sizes.append(len(left))
                    parts.append(pack_docnos([left]))
                yield state

    numbers = pool.campaign.topics.values_list("number", flat=True)
    state = count_pool([*numbers], teams, note_unjudged())
    return state, PairArray(tuple(topics), group_starts(sizes), pack_docnos(parts))


def build_topic_state(
    table: PoolTable, at: int, outcomes: Mapping[str, bool], team_of_run: Ints
) -> TopicState:
    """The topic at index ``at`` of ``table``; ``outcomes`` are by docno."""
    rows = table.rows(at)
    bounds = table.bounds[rows.start : rows.stop + 1]
    documents = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    contributed = np.zeros((len(bounds) - 1, int(team_of_run.max()) + 1), np.bool_)
    contributed[documents, team_of_run[table.contributors[bounds[0] : bounds[-1]]]] = True
    listed = [outcomes.get(docno) for docno in table.docnos[rows]]
    return TopicState(
        table.topics[at],
        table.min_rank[rows].astype(np.int64),
        np.array([outcome is not None for outcome in listed], np.bool_),
        np.array([outcome is True for outcome in listed], np.bool_),
        contributed,
    )


def is_judged_at_random(pool: Pool, judged: Outcomes) -> bool:
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
    elsewhere = {(topic, docno) for topic, docnos in judged.items() for docno in docnos}
    elsewhere.difference_update(checked_out.iterator())
    if not elsewhere:
        return True
    pooled = pool.items.order_by().values_list("topic__number", "docno")
    return elsewhere.isdisjoint(pooled.iterator())
