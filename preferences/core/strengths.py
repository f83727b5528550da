"""Bradley–Terry strengths and cycles of every topic, and how steady they are over judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.statistics.draws import ResamplingOptions, resample_counts
from preferences.core.bradley_terry import BradleyTerryResult, fit_bradley_terry, fit_strengths
from preferences.core.cycles import CycleReport, examine_cycles
from preferences.core.pair_matrix import Floats, build_pair_matrix
from preferences.core.preference_pairs import PreferenceRecord, group_preferences

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class TopicStrengths:
    """Strengths and cycles of the documents of a topic."""

    topic: str
    result: BradleyTerryResult
    cycles: CycleReport


@dataclass(frozen=True)
class StrengthReport:
    """All topics, in the order of the preferences."""

    topics: tuple[TopicStrengths, ...]
    prior: float

    @property
    def undefined(self) -> int:
        return sum(not topic.result.is_defined for topic in self.topics)

    @property
    def circular(self) -> tuple[int, int]:
        """Circular triads and decided triads over all topics."""
        cycles = [topic.cycles for topic in self.topics]
        return sum(each.circular for each in cycles), sum(each.triads for each in cycles)

    def to_frame(self) -> DataFrame:
        """A row per topic and document: topic, rank, docno, strength, low, high."""
        from pandas import DataFrame

        return DataFrame(
            [
                (topic.topic, item.rank, item.item, *_numbers(item.strength))
                for topic in self.topics
                for item in topic.result.items
            ],
            columns=["topic", "rank", "docno", "strength", "low", "high"],
        )


def _numbers(estimate: object) -> tuple[float | None, float | None, float | None]:
    return tuple(getattr(estimate, name) for name in ("value", "low", "high"))


def compute_strengths(records: Iterable[PreferenceRecord], prior: float = 0.0) -> StrengthReport:
    """Raises ``ValueError`` for a topic of too many documents, named in the message."""
    topics = []
    for topic, listed in group_preferences(records).items():
        try:
            matrix = build_pair_matrix(listed)
        except ValueError as error:
            raise ValueError(f"topic {topic}: {error}") from error
        result = fit_bradley_terry(matrix, prior)
        topics.append(TopicStrengths(topic, result, examine_cycles(matrix)))
    return StrengthReport(tuple(topics), prior)


def resample_judges(
    records: Sequence[PreferenceRecord], sampling: ResamplingOptions, prior: float = 0.5
) -> tuple[tuple[str, ...], Floats]:
    """The items of one topic, and their strengths if other judges like these had judged:
    resamples × items. The judges of the topic are drawn with replacement; the ``prior`` keeps
    every resample defined.

    Raises ``ValueError`` for fewer than two judges.
    """
    judges = sorted({record.judge for record in records})
    if len(judges) < 2:
        raise ValueError("fewer than two judges")
    items = build_pair_matrix(records).items
    place = {item: at for at, item in enumerate(items)}
    points = np.zeros((len(judges), len(items), len(items)))
    for record in records:
        judge = judges.index(record.judge)
        better, worse = place[record.better], place[record.worse]
        points[judge, better, worse] += record.times / 2 if record.tie else record.times
        points[judge, worse, better] += record.times / 2 if record.tie else 0
    draws = [
        fit_strengths(np.einsum("dj,jab->dab", counts, points), prior)[0]
        for counts in resample_counts(len(judges), sampling)
    ]
    return items, np.concatenate(draws)
