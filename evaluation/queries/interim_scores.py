"""Interim scores: from the current judgments, before qrels are frozen.

The runs of a campaign stay in memory as pair codes; only topics with new judgments are
rescored. Nothing is stored: official scores need a qrels version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
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
from common.cache import Cache
from evaluation.core.evaluate import aggregate_defined_values
from evaluation.core.in_memory import WarmRuns, score_topic
from evaluation.core.judgments import Floats, JudgmentTable
from evaluation.core.measures.family import Measure
from evaluation.queries.scoring_inputs import (
    measures_to_score,
    places_of_pairs,
    scoring_options,
    withheld_topic_numbers,
)
from judging.models import Judgment
from judging.queries.exclusions import counting_judgments
from judging.queries.judgments import provisional_grades

Mark = tuple[int, int]


@dataclass(frozen=True, eq=False)
class TopicScores:
    """The scores of one topic: ``values`` is runs × measures, the counts are of pairs."""

    values: Floats
    judged: int
    relevant: int
    undecided: int


_runs: Cache[str, WarmRuns] = Cache(2)
"""The runs of campaigns: one of 50,000 documents takes 200 kB."""
TOPIC_SCORES: Cache[tuple[str, object, str, Mark], TopicScores] = Cache(4000)
"""By runs, settings, topic and mark: those of 150 runs × 15 measures take 18 kB. The judgment log
is append-only: a topic's mark always stands for the same judgments, so that scores as of an
earlier log row can be cached too."""


@dataclass(frozen=True, eq=False)
class InterimScores:
    """``values`` is runs × topics × measures; ``means[run][measure]``.

    ``rescored`` topics had new judgments and were scored again, in ``seconds``;
    ``from_scratch``: nothing was in memory, so all topics were scored.
    """

    runs: Sequence[Run]
    measures: tuple[Measure, ...]
    topics: dict[str, TopicScores]
    values: Floats
    means: list[list[float | None]]
    rescored: int
    seconds: float
    from_scratch: bool

    @property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics.values())

    @property
    def undecided(self) -> int:
        return sum(topic.undecided for topic in self.topics.values())


def compute_interim_scores(
    *,
    actor: User,
    campaign: Campaign,
    policy: str,
    names: Sequence[str] = (),
    last: int | None = None,
) -> InterimScores:
    """Score all accepted runs by the current judgments, one grade per pair by ``policy``.

    ``names`` are the measures (none: the campaign's). With ``last``: judgments up to that log
    row. Undecided pairs count as unjudged; ``undecided`` counts them.
    """
    require_permission(actor, "campaigns.manage", campaign)
    runs = list(campaign.runs.scored().select_related("team").order_by("pk"))
    measures = tuple(m for m in measures_to_score(campaign, names) if m.follows_from_topics)
    sources, options = hash_runs(campaign, runs), scoring_options(campaign)
    warm = _runs.get_or_compute(sources, lambda: load_warm_runs(runs))
    settings = (policy, measures, str(sorted(options.as_dict().items(), key=str)))
    withheld = withheld_topic_numbers(campaign)
    marks = {
        topic: mark
        for topic, mark in topic_log_marks(campaign, last).items()
        if topic not in withheld
    }
    started = perf_counter()
    from_scratch = not any(key[:2] == (sources, settings) for key in TOPIC_SCORES.list_keys())
    scores_by_topic = {
        topic: TOPIC_SCORES.get((sources, settings, topic, mark)) for topic, mark in marks.items()
    }
    outdated = [topic for topic, scores in scores_by_topic.items() if scores is None]
    grades = interim_grades(campaign, policy, outdated, last)
    rescored = rescore_topics(campaign, warm, measures, grades)
    for topic, scores in rescored.items():
        TOPIC_SCORES.put((sources, settings, topic, marks[topic]), scores)
    scores_by_topic |= rescored
    topics = {topic: each for topic, each in sorted(scores_by_topic.items()) if each is not None}
    seconds = perf_counter() - started
    shape = (len(runs), 0, len(measures))
    parts = [scores.values for scores in topics.values() if scores.judged]
    values = np.stack(parts, axis=1) if parts else np.empty(shape)
    means = [
        [aggregate_defined_values(m, run[:, at]) for at, m in enumerate(measures)] for run in values
    ]
    return InterimScores(
        runs, measures, topics, values, means, len(outdated), seconds, from_scratch
    )


def hash_runs(campaign: Campaign, runs: Sequence[Run]) -> str:
    """Of the rankings of ``runs``, which are codes of pairs of this campaign."""
    # With the time of creation: a restored database reuses IDs.
    origin = campaign.pk, campaign.created_at, *(run.matrix for run in runs)
    return sha256(repr(origin).encode()).hexdigest()


def load_warm_runs(runs: Sequence[Run]) -> WarmRuns:
    return WarmRuns([*map(matrices.load_run_matrix, runs)])


def get_warm_runs(campaign: Campaign, runs: Sequence[Run]) -> WarmRuns:
    """``runs`` if interim scores have them in memory, else loaded."""
    return _runs.get(hash_runs(campaign, runs)) or load_warm_runs(runs)


def topic_log_marks(campaign: Campaign, last: int | None = None) -> dict[str, Mark]:
    """For each topic the number of its log rows, up to row ``last``, and the ID of the latest
    one, without those set aside: any new row and any exclusion changes the mark.
    """
    log = Judgment.objects.filter(counting_judgments(), campaign=campaign)
    log = log if last is None else log.filter(pk__lte=last)
    rows_by_topic = (
        log.order_by().values_list("topic__number").annotate(rows=Count("pk"), last=Max("pk"))
    )
    return {topic: (count, last) for topic, count, last in rows_by_topic}


class InterimGrades(NamedTuple):
    """The grades of one topic by a policy; ``undecided`` counts pairs."""

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
    """Score all runs on the topics of ``grades``."""
    scores, options = dict[str, TopicScores](), scoring_options(campaign)
    for topic, (rows, undecided) in grades.items():
        table = qrels_from_rows(rows)
        relevant = int(np.count_nonzero(table.grades >= options.level))
        values = np.empty((len(runs), len(measures)))
        if len(table):
            judged = JudgmentTable.from_arrays(table.topics, table.starts, table.grades)
            places = places_of_pairs(campaign, table)
            values = score_topic(runs, judged, places, measures, options)
        scores[topic] = TopicScores(values, len(table), relevant, undecided)
    return scores
