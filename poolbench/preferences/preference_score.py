"""The score of a run from preferences: the share that its ranking keeps; whose lists they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.files.faults import format_count
from poolbench.preferences.click_log import ClickLogTable
from poolbench.preferences.preference_pairs import PreferenceRecord
from poolbench.runs.tables import RunTable
from poolbench.statistics.bootstrap import bootstrap_values, percentile_estimates
from poolbench.statistics.draws import Floats, ResamplingOptions, resample_counts
from poolbench.statistics.estimate import Estimate

KEPT_SHARE = Card(
    name="kept_share",
    title="Share of preferences that a run keeps",
    formula="share(topic) = times of pairs (better, worse) with better above worse / times of all "
    "pairs\nmacro = mean of share(topic) over topics with a preference\n"
    "micro = the same quotient over all topics at once",
    reading="How often a run ranks the preferred document above the other one.",
    source="Joachims, KDD 2002; lecture slides CS276; macro and micro means as in text "
    "classification (Yang, Information Retrieval 1999).",
    edge_cases=(
        "A pair that occurs several times, in sessions or by judges, counts as often.",
        "Ties are no preferences and are left out.",
        (
            "A document not in the run counts as below all documents in it; a pair with both "
            "documents missing is not kept."
        ),
        (
            "If a is preferred to b and b to a, a ranking keeps one of them only: 1 may be out of "
            "reach."
        ),
        (
            "A run whose own lists were clicked is at a disadvantage: each preference from clicks "
            "contradicts the list that was shown. Such a run is marked."
        ),
        "The interval resamples topics, since the preferences of a topic depend on each other.",
    ),
    undefined="no preference in any topic; for a topic: it has none.",
    example="Topic 1: c ≻ b (2 times), c ≻ a; topic 2: e ≻ d. A run ranks topic 1 b c a, topic 2 "
    "e d: shares 1/3 and 1/1. Macro (1/3 + 1)/2 = 2/3; micro 2/4 = 1/2.",
)

Rankings = Mapping[str, Sequence[str]]
"""By topic, the docnos from the top."""


@dataclass(frozen=True)
class TopicPreferenceScore:
    """``satisfied`` of ``total`` preferences; ``missing`` documents of them are not in the run."""

    topic: str
    satisfied: int
    total: int
    missing: int

    @property
    def share(self) -> float:
        return self.satisfied / self.total


@dataclass(frozen=True)
class PreferenceScore:
    """The shares of a run; ``own_lists`` clicked lists were produced by it."""

    run: str
    topics: tuple[TopicPreferenceScore, ...]
    macro: Estimate
    micro: Estimate
    own_lists: int = 0

    @property
    def satisfied(self) -> int:
        return sum(topic.satisfied for topic in self.topics)

    @property
    def total(self) -> int:
        return sum(topic.total for topic in self.topics)

    @property
    def missing(self) -> int:
        return sum(topic.missing for topic in self.topics)


def score_run_by_preferences(
    run: str,
    rankings: Rankings,
    preferences: Mapping[str, Sequence[PreferenceRecord]],
    sampling: ResamplingOptions | None = None,
    own_lists: int = 0,
) -> PreferenceScore:
    """The shares of ``preferences`` (by topic) that the ``rankings`` of ``run`` keep."""
    scored = [
        _score_topic(topic, rankings.get(topic, ()), records)
        for topic, records in preferences.items()
    ]
    topics = tuple(topic for topic in scored if topic is not None)
    macro, micro = _estimate_shares(topics, sampling or ResamplingOptions())
    return PreferenceScore(run, topics, macro, micro, own_lists)


def _score_topic(
    topic: str, ranking: Sequence[str], records: Sequence[PreferenceRecord]
) -> TopicPreferenceScore | None:
    """None for a topic without a preference."""
    preferred = [record for record in records if not record.tie]
    if not preferred:
        return None
    documents = {docno for record in preferred for docno in (record.better, record.worse)}
    ranks = {docno: rank for rank, docno in enumerate(ranking) if docno in documents}
    last = len(ranking)
    satisfied = sum(
        record.times
        for record in preferred
        if ranks.get(record.better, last) < ranks.get(record.worse, last)
    )
    total = sum(record.times for record in preferred)
    return TopicPreferenceScore(topic, satisfied, total, len(documents) - len(ranks))


def _estimate_shares(
    topics: Sequence[TopicPreferenceScore], sampling: ResamplingOptions
) -> tuple[Estimate, Estimate]:
    if not topics:
        nothing = Estimate(None, 0, why="there is no preference")
        return nothing, nothing
    satisfied = np.array([topic.satisfied for topic in topics], np.float64)
    total = np.array([topic.total for topic in topics], np.float64)

    def compute(counts: Floats) -> Floats:
        macro = counts @ (satisfied / total) / len(topics)
        micro = (counts @ satisfied) / (counts @ total)
        return np.stack([macro, micro])

    values = compute(np.ones((1, len(topics))))[:, 0]
    draws = bootstrap_values(compute, resample_counts(len(topics), sampling))
    macro, micro = percentile_estimates(values, draws, np.array([len(topics)] * 2))
    return macro, micro


def list_rankings(run: RunTable) -> Rankings:
    """By topic, the docnos in the order of trec_eval."""
    return {topic: run.docnos[run.rows(at)] for at, topic in enumerate(run.topics)}


def count_own_lists(log: ClickLogTable, tag: str, rankings: Rankings) -> int:
    """The sessions that name the run ``tag``, or, if none does, whose list of two or more
    documents is the top of its ranking.
    """
    if log.runs[tag]:
        return log.runs[tag]
    return sum(
        times
        for (topic, documents), times in log.lists.items()
        if len(documents) > 1 and tuple(rankings.get(topic, ())[: len(documents)]) == documents
    )


def warn_own_lists(own_lists: Mapping[str, int]) -> list[str]:
    """A sentence per run that produced clicked lists."""
    return [
        f"{run} produced {format_count(count, 'clicked list')}: preferences from clicks contradict "
        "the list that was clicked, so its share is not comparable."
        for run, count in own_lists.items()
        if count
    ]
