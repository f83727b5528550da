"""Interim scores: from the current judgments, before qrels are frozen.

The runs of a campaign stay in memory as pair codes; only topics with new judgments are
rescored. Nothing is stored: official scores need a qrels version.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import isnan
from time import perf_counter

import numpy as np

from campaigns.models import Campaign, Run, User
from campaigns.queries.lists import list_judging_grades
from campaigns.queries.tasks import get_current_task, list_scored_runs, load_judged_before
from campaigns.rules import require_access
from campaigns.services import matrices
from evaluation.queries.scoring_inputs import (
    measures_to_score,
    scoring_options,
    withheld_topic_numbers,
)
from judging.queries.aggregation import count_gold_answers
from judging.queries.judgments import LogReader, load_log_reader
from poolbench.cache import Cache
from poolbench.evaluation.in_memory import WarmRuns, score_topic
from poolbench.evaluation.judgments import Floats, JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.topic_means import aggregate_over_topics
from poolbench.judging.policies import decide_pairs, get_policy
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.residual import remove_judged_pairs
from poolbench.runs.run_matrix import PairDictionary
from poolbench.runs.tables import QrelsTable

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
WARM_LINES = 20_000_000
"""Runs of more lines together, 240 MB, do not stay in memory."""
TOPIC_SCORES: Cache[tuple[str, str, str, Mark], TopicScores] = Cache(4000)
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
    def relevant(self) -> int:
        return sum(topic.relevant for topic in self.topics.values())

    @property
    def undecided(self) -> int:
        return sum(topic.undecided for topic in self.topics.values())


def rank_interim_runs(scores: InterimScores, by: str) -> list[tuple[Run, list[float | None]]]:
    """The runs with their means, best first by the measure ``by``, those without a value last."""
    at = [measure.name for measure in scores.measures].index(by)
    sign = 1 if scores.measures[at].family.better == "lower" else -1
    return sorted(
        zip(scores.runs, scores.means, strict=True),
        key=lambda row: (row[1][at] is None, sign * (row[1][at] or 0.0), row[0].tag),
    )


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
    require_access(actor, "campaigns.manage", campaign)
    return load_interim_scorer(campaign, policy, names).score(last)


@dataclass(frozen=True, eq=False)
class InterimScorer:
    """The runs of a campaign, or of its current task, and with what they are scored; loaded once
    for several states of the log. ``removed`` is what earlier rounds have judged; ``sources`` and
    ``settings`` are the keys under which scores of topics are stored.
    """

    runs: Sequence[Run]
    warm: WarmRuns
    measures: tuple[Measure, ...]
    options: ScoringOptions
    policy: str
    withheld: frozenset[str]
    pairs: PairDictionary
    reader: LogReader
    sources: str
    removed: QrelsTable | None = None

    @cached_property
    def settings(self) -> str:
        options = sorted(self.options.as_dict().items(), key=str)
        return repr((self.policy, [(m.family.name, m.params) for m in self.measures], options))

    def score(self, last: int | None = None) -> InterimScores:
        """The scores by the judgments up to row ``last``."""
        sources, settings = self.sources, self.settings
        marks = self.mark_topics(last)
        started = perf_counter()
        from_scratch = not any(key[:2] == (sources, settings) for key in TOPIC_SCORES.list_keys())
        scores_by_topic = {
            topic: TOPIC_SCORES.get((sources, settings, topic, mark))
            for topic, mark in marks.items()
        }
        outdated = [topic for topic, scores in scores_by_topic.items() if scores is None]
        rescored = self.rescore_topics(outdated, last)
        for topic, scores in rescored.items():
            TOPIC_SCORES.put((sources, settings, topic, marks[topic]), scores)
        scores_by_topic |= rescored
        topics = {topic: each for topic, each in sorted(scores_by_topic.items()) if each}
        seconds = perf_counter() - started
        shape = (len(self.runs), 0, len(self.measures))
        parts = [scores.values for scores in topics.values() if scores.judged]
        values = np.stack(parts, axis=1) if parts else np.empty(shape)
        columns = [
            aggregate_over_topics(measure, values[:, :, at].T).tolist()
            for at, measure in enumerate(self.measures)
        ]
        means = [
            [None if isnan(mean) else mean for mean in run] for run in zip(*columns, strict=True)
        ]
        return InterimScores(
            self.runs, self.measures, topics, values, means, len(outdated), seconds, from_scratch
        )

    def mark_topics(self, last: int | None) -> dict[str, Mark]:
        """What the grades of each topic depend on: with a model of all pairs, the whole log."""
        marks = topic_log_marks(self.reader, last)
        if get_policy(self.policy).crowd is not None and marks:
            whole = sum(count for count, _ in marks.values()), sum(s for _, s in marks.values())
            marks = dict.fromkeys(marks, whole)
        return {topic: mark for topic, mark in marks.items() if topic not in self.withheld}

    def decide_topics(
        self, topics: Collection[str], last: int | None
    ) -> tuple[list[tuple[str, str, int]], list[tuple[str, str]]]:
        """The grades of the pairs of ``topics``, as qrels frozen now would have them, and the pairs
        that are undecided.
        """
        policy, campaign = get_policy(self.policy), self.reader.campaign
        if policy.crowd is None:
            return self.reader.decide_topics(self.policy, topics, last)
        ballots = self.reader.load_ballots(last).omit_topics(self.withheld)
        gold = count_gold_answers(campaign, None, last) if policy.needs_gold else {}
        scale = list_judging_grades(campaign)
        outcome = decide_pairs(policy, ballots.list_ballots(), gold, scale)
        chosen = set(topics)
        return (
            [row for row in outcome.rows if row[0] in chosen],
            [pair for pair in outcome.undecided if pair[0] in chosen],
        )

    def rescore_topics(self, outdated: Collection[str], last: int | None) -> dict[str, TopicScores]:
        """All runs on the topics ``outdated``."""
        if not outdated:
            return {}
        rows, undecided = self.decide_topics(outdated, last)
        unclear = Counter(topic for topic, _docno in undecided)
        table = qrels_from_rows(rows)
        if self.removed is not None:
            table = remove_judged_pairs(table, self.removed)
        # All topics at once: each look-up passes over all pairs of all runs.
        places = self.pairs.places(table)
        scores = dict[str, TopicScores]()
        place = {topic: at for at, topic in enumerate(table.topics)}
        for topic in outdated:
            values = np.empty((len(self.runs), len(self.measures)))
            first, end = 0, 0
            if topic in place:
                first, end = table.starts[place[topic] : place[topic] + 2].tolist()
                judged = JudgmentTable.from_arrays(
                    (topic,), np.array([0, end - first]), table.grades[first:end]
                )
                values = score_topic(self.warm, judged, places, self.measures, self.options, first)
            relevant = int(np.count_nonzero(table.grades[first:end] >= self.options.level))
            scores[topic] = TopicScores(values, end - first, relevant, unclear[topic])
        return scores


def load_interim_scorer(
    campaign: Campaign, policy: str, names: Sequence[str] = ()
) -> InterimScorer:
    """For ``compute_interim_scores``, without a check of permissions."""
    task = get_current_task(campaign)
    runs = list(list_scored_runs(campaign, task).defer("answers", "ir_metadata", "report"))
    sources = hash_runs(campaign, runs)
    return InterimScorer(
        runs=runs,
        warm=_runs.get_or_compute(sources, lambda: load_warm_runs(runs)),
        measures=tuple(m for m in measures_to_score(campaign, names) if m.follows_from_topics),
        options=scoring_options(campaign),
        policy=policy,
        withheld=withheld_topic_numbers(campaign, task),
        removed=load_judged_before(task),
        pairs=matrices.get_pair_dictionary(campaign),
        reader=load_log_reader(campaign),
        sources=sources,
    )


def hash_runs(campaign: Campaign, runs: Sequence[Run]) -> str:
    """Of the rankings of ``runs``, which are codes of pairs of this campaign."""
    # With the time of creation: a restored database reuses IDs.
    origin: tuple[object, ...] = (campaign.pk, campaign.created_at, *(run.matrix for run in runs))
    # Of a round: what is left depends on what was judged before.
    task = runs[0].task if runs else None
    origin += (task.judged_before,) if task is not None and task.is_round else ()
    return sha256(repr(origin).encode()).hexdigest()


def load_warm_runs(runs: Sequence[Run]) -> WarmRuns:
    """``runs`` in memory; those of a campaign of many lines stay in their files."""
    stored = matrices.StoredMatrices(runs)
    if sum(run.lines for run in runs) > WARM_LINES and not is_in_round(runs):
        return WarmRuns(stored, stay=False)
    return WarmRuns([*stored])


def is_in_round(runs: Sequence[Run]) -> bool:
    """Whether earlier rounds have judged documents, which are removed from each run as a whole."""
    return bool(runs) and runs[0].task is not None and runs[0].task.judged_before is not None


def get_warm_runs(campaign: Campaign, runs: Sequence[Run]) -> WarmRuns:
    """``runs`` if interim scores have them in memory, else loaded."""
    return _runs.get(hash_runs(campaign, runs)) or load_warm_runs(runs)


def topic_log_marks(reader: LogReader, last: int | None = None) -> dict[str, Mark]:
    """For each topic the number of its log rows, up to row ``last``, and the sum of their IDs,
    without those set aside: any new row and any exclusion changes the mark, also two at once.
    """
    counting = reader.mark_rows(last)
    rows = reader.log.numbers["pk"][counting]
    topics = reader.log.numbers["topic_id"][counting]
    # IDs of one campaign lie close together: counted in place, not sorted.
    first = int(topics.min()) if len(topics) else 0
    counts = np.bincount(topics - first)
    # Exact: sums of less than 2^53 above the first ID.
    least = int(rows.min()) if len(rows) else 0
    sums = np.bincount(topics - first, rows - least).astype(np.int64) + least * counts
    return {
        reader.numbers[first + at]: (int(counts[at]), int(sums[at]))
        for at in np.flatnonzero(counts).tolist()
    }
