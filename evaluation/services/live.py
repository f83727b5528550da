"""Scores from the judgments given so far, before any qrels are released.

The runs of a campaign stay in memory by pair codes; only topics with new judgments are
scored again. Nothing is written: what counts are released qrels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from django.db.models import Count, Max

from campaigns.core.qrels import qrels_from_rows
from campaigns.models import Campaign, Run, User
from campaigns.rules import require
from campaigns.services import matrices
from evaluation.core.evaluate import aggregate
from evaluation.core.judged import Floats, Judged
from evaluation.core.measures.family import Measure
from evaluation.core.warm import WarmRuns, score_topic
from evaluation.services.scoring import measures_for, options_of, places_of_pairs, withheld_topics
from judging.models import Judgment
from judging.queries.judgments import provisional_grades

KEPT = 2
"""Campaigns whose runs stay in memory: a run of 50,000 documents takes 200 kB."""
Mark = tuple[int, int]


@dataclass(frozen=True, eq=False)
class TopicScores:
    """Values by run and measure of one topic, for the judgments that ``mark`` stands for."""

    mark: Mark
    values: Floats
    judged: int
    relevant: int
    undecided: int


@dataclass(eq=False)
class Kept:
    """What stays in memory of one campaign; ``made_of`` tells when it is out of date."""

    made_of: tuple[object, ...]
    runs: WarmRuns
    topics: dict[str, TopicScores] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Live:
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


_kept: dict[int, Kept] = {}


def live_scores(*, actor: User, campaign: Campaign, policy: str) -> Live:
    """All accepted runs by the current judgments, one grade a pair by ``policy``.

    Pairs that the policy cannot decide count as not judged; they are told apart.
    """
    require(actor, "campaigns.manage", campaign)
    runs = list(campaign.runs.accepted().select_related("team").order_by("pk"))
    measures = tuple(m for m in measures_for(campaign, ()) if m.follows_from_topics)
    kept = kept_of(campaign, runs, policy, measures)
    hidden = withheld_topics(campaign)
    marks = {topic: mark for topic, mark in marks_of(campaign).items() if topic not in hidden}
    started, renewed, afresh = perf_counter(), 0, not kept.topics
    for topic, mark in marks.items():
        known = kept.topics.get(topic)
        if known is None or known.mark != mark:
            kept.topics[topic] = scored_again(campaign, kept.runs, topic, mark, policy, measures)
            renewed += 1
    seconds = perf_counter() - started
    topics = {topic: kept.topics[topic] for topic in sorted(marks)}
    shape = (len(runs), 0, len(measures))
    parts = [scores.values for scores in topics.values() if scores.judged]
    values = np.stack(parts, axis=1) if parts else np.empty(shape)
    means = [[aggregate(m, run[:, at]) for at, m in enumerate(measures)] for run in values]
    return Live(runs, measures, topics, values, means, renewed, seconds, afresh)


def kept_of(
    campaign: Campaign, runs: Sequence[Run], policy: str, measures: tuple[Measure, ...]
) -> Kept:
    """The campaign's runs in memory, read again when runs, policy or settings have changed."""
    names = tuple(run.matrix for run in runs)
    settings = (policy, measures, tuple(sorted(options_of(campaign).as_dict().items(), key=str)))
    # The moment too: a database put back gives numbers out again.
    made_of = (names, campaign.created_at, str(settings))
    known = _kept.pop(campaign.pk, None)
    if known is None or known.made_of != made_of:
        same_runs = known is not None and known.made_of[0] == names
        warm = known.runs if known and same_runs else WarmRuns([*map(matrices.matrix_of, runs)])
        known = Kept(made_of, warm)
    # A list, since other threads may change meanwhile what is kept.
    for oldest in list(_kept)[: 1 - KEPT]:
        _kept.pop(oldest, None)
    _kept[campaign.pk] = known
    return known


def warm_runs(campaign: Campaign, runs: Sequence[Run]) -> WarmRuns:
    """``runs`` as they stand in memory for the scores so far, else read."""
    known = _kept.get(campaign.pk)
    names = (tuple(run.matrix for run in runs), campaign.created_at)
    if known is not None and known.made_of[:2] == names:
        return known.runs
    return WarmRuns([*map(matrices.matrix_of, runs)])


def marks_of(campaign: Campaign) -> dict[str, Mark]:
    """By topic how many rows its log has and which is the last: any new one changes it."""
    rows = Judgment.objects.filter(campaign=campaign).order_by().values_list("topic__number")
    counted = rows.annotate(rows=Count("pk"), last=Max("pk"))
    return {topic: (found, last) for topic, found, last in counted}


def scored_again(
    campaign: Campaign,
    runs: WarmRuns,
    topic: str,
    mark: Mark,
    policy: str,
    measures: Sequence[Measure],
) -> TopicScores:
    """One topic of all runs by its current judgments."""
    rows, undecided = provisional_grades(campaign, policy, topic)
    table = qrels_from_rows(rows)
    options = options_of(campaign)
    relevant = int(np.count_nonzero(table.grades >= options.level))
    values = np.empty((len(runs), len(measures)))
    if len(table):
        judged = Judged.from_arrays(table.topics, table.starts, table.grades)
        places = places_of_pairs(campaign, table)
        values = score_topic(runs, judged, places, measures, options)
    return TopicScores(mark, values, len(table), relevant, undecided)
