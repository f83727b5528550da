"""All runs laid over the judged pairs, and scored by any grades of those pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from campaigns.core.run_matrix import PairDictionary
from campaigns.core.tables import RunTable, group_starts
from evaluation.core.batch import ScoringBatch
from evaluation.core.disagreement.aggregation import aggregate_over_topics
from evaluation.core.disagreement.ballots import ABSENT, BallotTable, Grades
from evaluation.core.in_memory import WarmRuns
from evaluation.core.judgments import Floats, Ints, Judged
from evaluation.core.matching import apply_options
from evaluation.core.measures.family import Measure
from evaluation.core.options import ScoringOptions

ROWS = 1 << 20
"""Rows scored at once."""


@dataclass(frozen=True, eq=False)
class ListedTopicRows:
    """The listed documents of one topic in all runs; ``listed`` are rows of the topic's pairs."""

    segment: Ints
    ranks: Ints
    listed: Ints
    lengths: Ints


@dataclass(frozen=True, eq=False)
class DisagreementPanel:
    """The runs over the pairs of ``ballots``, to be scored by one measure.

    ``digits``: figures over topics are rounded to so many decimals, as they are printed, so
    that runs whose printed scores are equal are tied. None: they are not rounded.
    """

    tags: tuple[str, ...]
    ballots: BallotTable
    measure: Measure
    options: ScoringOptions
    topics: tuple[ListedTopicRows, ...]
    digits: int | None = None

    @property
    def better(self) -> float:
        """1 where a higher score is better, -1 where a lower one is."""
        return -1.0 if self.measure.family.better == "lower" else 1.0

    def work(self, topic: int) -> int:
        """The rows that scoring the topic once takes."""
        return max(1, len(self.topics[topic].segment), len(self.tags))

    def score(self, topic: int, grades: Grades) -> Floats:
        """Scores of the topic by each row of ``grades``, ways × the topic's pairs; ways × runs.

        NaN where undefined and where a way lists no pair of the topic. Ways that are alike
        are scored once.
        """
        first: dict[bytes, int] = {}
        of = [first.setdefault(way.tobytes(), at) for at, way in enumerate(grades)]
        kept = sorted(first.values())
        kinds = grades[kept]
        step = max(1, ROWS // self.work(topic))
        parts = [
            self._scored(self.topics[topic], kinds[start : start + step])
            for start in range(0, len(kinds), step)
        ]
        return np.concatenate([np.empty((0, len(self.tags))), *parts])[np.searchsorted(kept, of)]

    def by_topic(self, grades: Grades) -> Floats:
        """Topics × runs by one grade for each pair of the ballots."""
        scores = [
            self.score(at, grades[None, self.ballots.rows(at)])[0] for at in range(len(self.topics))
        ]
        return np.array(scores).reshape(len(self.topics), len(self.tags))

    def means(self, by_topic: Floats) -> Floats:
        """The figure over topics of each run: (topics × any columns) to columns."""
        flat = by_topic.reshape(len(by_topic), math.prod(by_topic.shape[1:]))
        found = aggregate_over_topics(self.measure, flat).reshape(by_topic.shape[1:])
        return found if self.digits is None else np.round(found, self.digits)

    def _scored(self, rows: ListedTopicRows, grades: Grades) -> Floats:
        """Every way is a topic of its own in one batch."""
        ways, runs = len(grades), len(self.tags)
        kept = grades != ABSENT
        judged = Judged.from_arrays(
            [str(way) for way in range(ways)], group_starts(kept.sum(axis=1)), grades[kept]
        )
        place = np.cumsum(kept.ravel()) - 1
        at = (np.arange(ways)[:, None] * grades.shape[1] + rows.listed[None, :]).ravel()
        there = kept.ravel()[at]
        batch = ScoringBatch(
            judged=judged,
            topic_index=np.repeat(np.arange(ways), runs),
            lengths=np.tile(rows.lengths, ways),
            answered=np.tile(rows.lengths > 0, ways),
            segment=(np.arange(ways)[:, None] * runs + rows.segment[None, :]).ravel()[there],
            ranks=np.tile(rows.ranks, ways)[there],
            judgment_index=place[at[there]],
            options=self.options,
        )
        values = self.measure(apply_options(batch)).reshape(ways, runs)
        return np.where(kept.any(axis=1)[:, None], values, np.nan)


def build_panel(
    tags: Sequence[str],
    runs: WarmRuns,
    ballots: BallotTable,
    places: NDArray[np.int32],
    measure: Measure,
    options: ScoringOptions,
) -> DisagreementPanel:
    """``places[code]`` is the row of the ballots where a pair of the runs stands, or -1.

    ``options`` must keep all judged topics, so that there is a score for each. Without a
    gain table all ways are scored on one scale: that of all grades in the ballots.
    """
    if not options.gains:
        options = replace(options, gains=collect_given_grades(ballots))
    deep = scored_depth(measure, options)
    topics = tuple(
        _topic_rows(runs, topic, int(ballots.pairs.starts[at]), places, deep)
        for at, topic in enumerate(ballots.topics)
    )
    return DisagreementPanel(tuple(tags), ballots, measure, options, topics)


def collect_given_grades(ballots: BallotTable) -> dict[int, float]:
    """Every grade that anybody gave, as its own gain."""
    grades = np.unique(np.concatenate([ballots.given.ravel(), ballots.made, ballots.base]))
    return {grade: float(grade) for grade in grades.tolist() if grade >= 0} or {1: 1.0}


def build_panel_from_tables(
    runs: Sequence[RunTable], ballots: BallotTable, measure: Measure, options: ScoringOptions
) -> DisagreementPanel:
    """From runs as read from files; runs of the same tag are told apart by a number."""
    known = PairDictionary()
    for run in runs:
        known.extend(known.missing(run))
    warm = WarmRuns([known.encode(run) for run in runs])
    tags = disambiguate_tags([run.tag for run in runs])
    return build_panel(tags, warm, ballots, known.places(ballots.pairs), measure, options)


def disambiguate_tags(tags: Sequence[str]) -> list[str]:
    """``tags``, each once: a second ``a`` is ``a (2)``."""
    names: list[str] = []
    for tag in tags:
        tries = (tag if n == 1 else f"{tag} ({n})" for n in count(1))
        names.append(next(name for name in tries if name not in names))
    return names


def scored_depth(measure: Measure, options: ScoringOptions) -> int | None:
    """Below which rank no document can change the measure; None where all count.

    A measure at rank k looks at k documents of each ranking, unless a cut of the options
    or a modifier of the measure moves up what stood below.
    """
    params = dict(measure.params)
    known = measure.family.parameters().get("k")
    moves_up = options.judged_only or "list" in params
    if known is None or known.kind != "rank" or moves_up:
        return None
    cut = params.get("k")
    return cut if isinstance(cut, int) else None


def _topic_rows(
    runs: WarmRuns, topic: str, first: int, places: NDArray[np.int32], deep: int | None
) -> ListedTopicRows:
    codes, starts = runs.of_topic(topic)
    found = places[codes]
    segment = np.repeat(np.arange(len(runs)), np.diff(starts))
    ranks = np.arange(len(codes)) - starts[segment] + 1
    kept = found >= 0 if deep is None else (found >= 0) & (ranks <= deep)
    return ListedTopicRows(
        segment=segment[kept],
        ranks=ranks[kept],
        listed=found[kept].astype(np.int64) - first,
        lengths=np.diff(starts),
    )
