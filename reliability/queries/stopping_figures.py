"""The figures of the verdict on stopping in a campaign."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from evaluation.core.judgments import Floats
from judging.core.policies import DEFAULT_POLICY
from judging.queries.exclusions import counting_judgments
from judging.queries.judgments import provisional_grades
from pooling.queries import first_relevance
from reliability.core.disagreement.ballots import ABSENT, Grades
from reliability.core.stopping.remaining_relevant import NO_SAMPLE, estimate_remaining
from reliability.core.verdicts.ranking_draws import (
    TauSpread,
    draw_rest_of_pool,
    rank_competitors,
    summarize_taus,
)
from reliability.core.verdicts.stopping import NO_ORDER, NO_POOL, NO_RUNS, STILL, StoppingFigures
from reliability.queries.stopping import graded_log, is_judged_at_random, load_pool_state
from reliability.queries.verdict_figures import JudgedRuns, compute_median_seconds, load_judged_runs


def load_stopping_figures(campaign: Campaign) -> StoppingFigures:
    """Of the latest pool; the ranking is that by the default policy."""
    judgments = graded_log(campaign).count()
    pool = campaign.pools.first()
    if pool is None:
        return StoppingFigures("–", 10, 0, judgments, 0, 0, reason=NO_POOL)
    outcomes = first_relevance(campaign, among=counting_judgments())
    state = load_pool_state(pool, outcomes)
    is_random = is_judged_at_random(pool, outcomes.keys())
    left = estimate_remaining(state, is_random=is_random)
    pairs = pool.items.values_list("topic__number", "docno")
    unjudged = sorted(pair for pair in pairs if pair not in outcomes)
    try:
        whole = load_judged_runs(campaign, unjudged)
    except ActionRefused as refused:
        return StoppingFigures(
            "–", 10, 0, judgments, left.judged, len(unjudged), reason=refused.message
        )
    reason = left.reason or ""
    spread = TauSpread(None, None, None)
    if len(whole.runs) < 2:
        reason = reason or NO_RUNS
    elif not reason:
        spread = _draw_rest(campaign, whole)
    moved, span = _measure_movement(campaign, whole, judgments)
    return StoppingFigures(
        measure=whole.title,
        cut=whole.cut,
        runs=len(whole.runs),
        judgments=judgments,
        judged=left.judged,
        unjudged=len(unjudged),
        topics_unjudged=left.topics_unjudged,
        completeness=left.completeness,
        expected=left.expected,
        low=left.low,
        high=left.high,
        tau=spread.median,
        tau_low=spread.low,
        moved=moved,
        span=span,
        pooled_judged=_list_judged_shares(whole, {run["tag"] for run in pool.spec["runs"]}),
        reason=NO_ORDER if reason == NO_SAMPLE else reason,
        seconds_each=compute_median_seconds(campaign),
    )


def _list_judged_shares(whole: JudgedRuns, contributing: Collection[str]) -> list[float | None]:
    """judged@k of the runs that contributed to the pool; None where it is undefined."""
    shares = whole.judged() if len(whole.runs) else np.empty(0)
    return [
        None if np.isnan(share) else float(share)
        for run, share in zip(whole.runs, shares, strict=True)
        if run.tag in contributing
    ]


def _draw_rest(campaign: Campaign, whole: JudgedRuns) -> TauSpread:
    """Pairs that the policy leaves undecided are drawn like unjudged ones."""
    now, then = draw_rest_of_pool(whole.panel, whole.grades, whole.draws, campaign.seed)
    return summarize_taus(now, then, whole.panel.better)


def _measure_movement(
    campaign: Campaign, whole: JudgedRuns, judgments: int
) -> tuple[int | None, int]:
    """The most places that a run has moved over the last ``STILL`` judgments, and their number."""
    span = int(STILL.value)
    if judgments <= span or len(whole.runs) < 2:
        return None, 0
    rows = graded_log(campaign).order_by("pk").values_list("pk", flat=True)
    last = rows[judgments - span - 1]
    before = _grades_at(whole, campaign, last)
    ranks = rank_competitors(
        whole.panel.better
        * np.stack([_score(whole, each) for each in (whole.ballots.policy_grades, before)])
    )
    return int(np.abs(ranks[0] - ranks[1]).max(initial=0)), span


def _score(whole: JudgedRuns, grades: Grades) -> Floats:
    """Over the topics that ``grades`` grades a document of, as interim scores are."""
    by_topic = whole.panel.by_topic(grades)
    graded = [bool((own != ABSENT).any()) for own in whole.split(grades)]
    return whole.panel.means(by_topic[graded])


def _grades_at(whole: JudgedRuns, campaign: Campaign, last: int) -> Grades:
    """The grades as of the log row ``last``, in the rows of the panel."""
    topics: Sequence[str] = whole.ballots.topics
    rows, _undecided = provisional_grades(campaign, DEFAULT_POLICY, topics, last)
    place = {pair: at for at, pair in enumerate(whole.ballots.pairs)}
    grades = np.full(len(whole.ballots), ABSENT, np.int32)
    for topic, docno, grade in rows:
        grades[place[topic, docno]] = grade
    return grades


def restore_stopping_figures(data: Any) -> StoppingFigures:
    return StoppingFigures(**data)
