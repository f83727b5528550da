"""Scores from the judgments given so far, before any qrels are released.

The runs of a campaign stay in memory by pair codes; only topics with new judgments are
scored again. Nothing is written: what counts are released qrels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from time import perf_counter
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Max

from campaigns.core.qrels import qrels_from_rows
from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from campaigns.services import matrices
from evaluation.core.evaluate import aggregate_defined_values
from evaluation.core.in_memory import WarmRuns, score_topic
from evaluation.core.judgments import Floats, Judged
from evaluation.core.measures.family import Measure
from evaluation.services.scoring import (
    measures_to_score,
    places_of_pairs,
    scoring_options,
    withheld_topic_numbers,
)
from judging.models import Judgment
from judging.queries.judgments import provisional_grades

KEPT = 2
"""Campaigns whose runs stay in memory: a run of 50,000 documents takes 200 kB."""
KEPT_TOPICS = 2000
"""Topics with their scores, by campaign: of 150 runs by 15 measures one takes 18 kB."""
Mark = tuple[int, int]


@dataclass(frozen=True, eq=False)
class TopicScores:
    """Values by run and measure of one topic."""

    values: Floats
    judged: int
    relevant: int
    undecided: int


@dataclass(eq=False)
class CachedCampaign:
    """What stays in memory of one campaign; ``made_of`` tells when it is out of date.

    The log of judgments only grows: what a topic's ``mark`` stands for does not change, so that
    scores as of a moment that has passed are kept as well.
    """

    made_of: tuple[object, ...]
    runs: WarmRuns
    topics: dict[tuple[object, str, Mark], TopicScores] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class InterimScores:
    """The scores so far. ``values`` is runs × topics × measures; ``means[run][measure]``.

    ``renewed`` topics had new judgments and were scored again, in ``seconds``; ``afresh``:
    nothing was in memory, so that all of them were.
    """

    runs: Sequence[Run]
    measures: tuple[Measure, ...]
    topics: dict[str, TopicScores]
    values: Floats
    means: list[list[float | None]]
    renewed: int
    seconds: float
    afresh: bool

    @property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics.values())

    @property
    def undecided(self) -> int:
        return sum(topic.undecided for topic in self.topics.values())


_kept: dict[int, CachedCampaign] = {}


def compute_interim_scores(
    *,
    actor: User,
    campaign: Campaign,
    policy: str,
    names: Sequence[str] = (),
    last: int | None = None,
) -> InterimScores:
    """All accepted runs by the current judgments, one grade a pair by ``policy``.

    ``names`` are the measures (none: the campaign's). With ``last``, a row of the log, as it
    stood then. Pairs that the policy cannot decide count as not judged; they are told apart.
    """
    require_permission(actor, "campaigns.manage", campaign)
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    measures = tuple(m for m in measures_to_score(campaign, names) if m.follows_from_topics)
    kept, options = cached_campaign_runs(campaign, runs), scoring_options(campaign)
    settings = (policy, measures, str(sorted(options.as_dict().items(), key=str)))
    hidden = withheld_topic_numbers(campaign)
    marks = {
        topic: mark
        for topic, mark in topic_log_marks(campaign, last).items()
        if topic not in hidden
    }
    started, afresh = perf_counter(), not any(key[0] == settings for key in list(kept.topics))
    known = {topic: kept.topics.pop((settings, topic, mark), None) for topic, mark in marks.items()}
    late = [topic for topic, scores in known.items() if scores is None]
    known |= rescore_topics(
        campaign, kept.runs, measures, interim_grades(campaign, policy, late, last)
    )
    topics = {topic: scores for topic, scores in sorted(known.items()) if scores is not None}
    kept.topics |= {(settings, topic, marks[topic]): scores for topic, scores in topics.items()}
    evict_oldest(kept)
    seconds = perf_counter() - started
    shape = (len(runs), 0, len(measures))
    parts = [scores.values for scores in topics.values() if scores.judged]
    values = np.stack(parts, axis=1) if parts else np.empty(shape)
    means = [
        [aggregate_defined_values(m, run[:, at]) for at, m in enumerate(measures)] for run in values
    ]
    return InterimScores(runs, measures, topics, values, means, len(late), seconds, afresh)


def cached_campaign_runs(campaign: Campaign, runs: Sequence[Run]) -> CachedCampaign:
    """The campaign's runs in memory, read again when they have changed."""
    # The moment too: a database put back gives numbers out again.
    made_of = (tuple(run.matrix for run in runs), campaign.created_at)
    known = _kept.pop(campaign.pk, None)
    if known is None or known.made_of != made_of:
        known = CachedCampaign(made_of, WarmRuns([*map(matrices.load_run_matrix, runs)]))
    # A list, since other threads may change meanwhile what is kept.
    for oldest in list(_kept)[: 1 - KEPT]:
        _kept.pop(oldest, None)
    _kept[campaign.pk] = known
    return known


def evict_oldest(kept: CachedCampaign) -> None:
    """Forget what was asked for longest ago."""
    for oldest in list(kept.topics)[:-KEPT_TOPICS]:
        kept.topics.pop(oldest, None)


def warm_runs(campaign: Campaign, runs: Sequence[Run]) -> WarmRuns:
    """``runs`` as they stand in memory for the scores so far, else read."""
    known = _kept.get(campaign.pk)
    made_of = (tuple(run.matrix for run in runs), campaign.created_at)
    if known is not None and known.made_of == made_of:
        return known.runs
    return WarmRuns([*map(matrices.load_run_matrix, runs)])


def topic_log_marks(campaign: Campaign, last: int | None = None) -> dict[str, Mark]:
    """By topic how many rows its log has, up to row ``last``, and which is its last: any new
    one changes it.
    """
    log = Judgment.objects.filter(campaign=campaign)
    log = log if last is None else log.filter(pk__lte=last)
    counted = log.order_by().values_list("topic__number").annotate(rows=Count("pk"), last=Max("pk"))
    return {topic: (found, last) for topic, found, last in counted}


class InterimGrades(NamedTuple):
    """What a policy makes of one topic's judgments; ``undecided`` counts pairs."""

    rows: list[tuple[str, str, int]]
    undecided: int


def interim_grades(
    campaign: Campaign, policy: str, topics: Collection[str], last: int | None
) -> dict[str, InterimGrades]:
    rows, undecided = provisional_grades(campaign, policy, topics, last) if topics else ([], [])
    by_topic = {topic: [*group] for topic, group in groupby(rows, itemgetter(0))}
    unclear = Counter(topic for topic, _docno in undecided)
    return {topic: InterimGrades(by_topic.get(topic, []), unclear[topic]) for topic in topics}


def rescore_topics(
    campaign: Campaign,
    runs: WarmRuns,
    measures: Sequence[Measure],
    grades: dict[str, InterimGrades],
) -> dict[str, TopicScores]:
    """Each topic of all runs by its ``grades``."""
    found, options = dict[str, TopicScores](), scoring_options(campaign)
    for topic, (rows, undecided) in grades.items():
        table = qrels_from_rows(rows)
        relevant = int(np.count_nonzero(table.grades >= options.level))
        values = np.empty((len(runs), len(measures)))
        if len(table):
            judged = Judged.from_arrays(table.topics, table.starts, table.grades)
            places = places_of_pairs(campaign, table)
            values = score_topic(runs, judged, places, measures, options)
        found[topic] = TopicScores(values, len(table), relevant, undecided)
    return found
