"""Preferences between two documents of a topic, from any source, and their counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ClickedPair = tuple[str, str, str]
"""``(topic, better, worse)``."""


@dataclass(frozen=True, slots=True)
class PreferenceRecord:
    """``better`` was preferred to ``worse`` ``times`` times; with ``tie`` both were equal.

    ``judge`` is empty where it is not known who preferred.
    """

    topic: str
    better: str
    worse: str
    times: int = 1
    tie: bool = False
    judge: str = ""


def group_preferences(records: Iterable[PreferenceRecord]) -> dict[str, list[PreferenceRecord]]:
    """The records of each topic, topics in the order of their first record."""
    grouped: dict[str, list[PreferenceRecord]] = defaultdict(list)
    for record in records:
        grouped[record.topic].append(record)
    return dict(grouped)


def count_clicked_pairs(counts: Mapping[ClickedPair, int]) -> list[PreferenceRecord]:
    """A record per pair with its number of sessions, in the order of ``counts``."""
    return [PreferenceRecord(*pair, times) for pair, times in counts.items()]


def merge_records(records: Iterable[PreferenceRecord]) -> list[PreferenceRecord]:
    """One record per topic, pair and outcome, without judges; ties in one order of documents."""
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    for record in records:
        better, worse = record.better, record.worse
        if record.tie and worse < better:
            better, worse = worse, better
        counts[record.topic, better, worse, record.tie] += record.times
    return [
        PreferenceRecord(topic, better, worse, times, tie)
        for (topic, better, worse, tie), times in counts.items()
    ]
