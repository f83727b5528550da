"""All runs matched with the judged pairs, to be scored by any grades of these pairs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.in_memory import WarmRuns
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable
from poolbench.evaluation.matching import apply_options
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.stated_scale import state_highest_grade
from poolbench.evaluation.topic_means import aggregate_over_topics
from poolbench.pooling.run_listing import pack_docnos
from poolbench.reliability.disagreement.ballots import ABSENT, BallotTable, Grades
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.run_matrix import PairArray, PairDictionary, RunMatrix
from poolbench.runs.tables import RunTable, group_starts

ROWS = 1 << 17
"""Rows scored at once: their arrays fit into the cache of a processor."""


@dataclass(frozen=True, eq=False)
class ListedTopicRows:
    """Judged documents of one topic in all runs; ``pair_rows`` are rows of the topic's pairs."""

    segment: Grades
    ranks: Grades
    pair_rows: Grades
    lengths: Ints


@dataclass(frozen=True, eq=False)
class DisagreementPanel:
    """The runs over the pairs of ``ballots``, to be scored by one measure.

    ``digits``: decimals to which scores over topics are rounded, so that runs with equal
    printed scores are tied. None: no rounding.
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
        """The number of rows to score the topic once."""
        return max(1, len(self.topics[topic].segment), len(self.tags))

    def count_listings(self, topic: int) -> tuple[Ints, int]:
        """By pair of the topic: how many runs list it as far as the measure reads; of how many."""
        rows = self.ballots.rows(topic)
        listings = np.bincount(self.topics[topic].pair_rows, minlength=rows.stop - rows.start)
        return listings.astype(np.int64), len(self.tags)

    def score(self, topic: int, grades: Grades) -> Floats:
        """Scores of the topic by each row of ``grades``, ways × the topic's pairs; ways × runs.

        NaN where undefined and where a way grades no pair of the topic. Identical ways are
        scored once.
        """
        if not self.tags:
            return np.empty((len(grades), 0))
        first: dict[bytes, int] = {}
        kind_by_way = [first.setdefault(way.tobytes(), at) for at, way in enumerate(grades)]
        distinct = sorted(first.values())
        kinds = grades[distinct]
        step = max(1, ROWS // self.work(topic))
        parts = [
            self._score_ways(self.topics[topic], kinds[start : start + step])
            for start in range(0, len(kinds), step)
        ]
        return np.concatenate([np.empty((0, len(self.tags))), *parts])[
            np.searchsorted(distinct, kind_by_way)
        ]

    def by_topic(self, grades: Grades, base: Floats | None = None) -> Floats:
        """Topics × runs, by one grade per pair of the ballots. With ``base``, the scores by
        ``ballots.base``, a topic is scored only where it has other grades.
        """
        scores = np.empty((len(self.topics), len(self.tags))) if base is None else base.copy()
        is_new = np.ones(len(self.topics), np.bool_)
        if base is not None:
            is_new = self.ballots.has_any(grades != self.ballots.base)
        for at in np.flatnonzero(is_new).tolist():
            scores[at] = self.score(at, grades[None, self.ballots.rows(at)])[0]
        return scores

    def means(self, by_topic: Floats) -> Floats:
        """The score of each run over topics: (topics × any columns) to columns."""
        flat = by_topic.reshape(len(by_topic), math.prod(by_topic.shape[1:]))
        means = aggregate_over_topics(self.measure, flat).reshape(by_topic.shape[1:])
        return means if self.digits is None else np.round(means, self.digits)

    def _score_ways(self, rows: ListedTopicRows, grades: Grades) -> Floats:
        """All ways in one batch, each as a topic."""
        ways, runs = len(grades), len(self.tags)
        graded = grades != ABSENT
        judged = JudgmentTable.from_arrays(
            [str(way) for way in range(ways)], group_starts(graded.sum(axis=1)), grades[graded]
        )
        at = (np.arange(ways)[:, None] * grades.shape[1] + rows.pair_rows[None, :]).ravel()
        segment = (np.arange(ways)[:, None] * runs + rows.segment[None, :]).ravel()
        ranks = np.tile(rows.ranks.astype(np.int64), ways)
        # Draws grade every pair: nothing to leave out.
        if not graded.all():
            there = graded.ravel()[at]
            place = np.cumsum(graded.ravel()) - 1
            at, segment, ranks = place[at[there]], segment[there], ranks[there]
        batch = ScoringBatch(
            judged=judged,
            topic_index=np.repeat(np.arange(ways), runs),
            lengths=np.tile(rows.lengths, ways),
            answered=np.tile(rows.lengths > 0, ways),
            segment=segment,
            ranks=ranks,
            judgment_index=at,
            options=self.options,
        )
        values = self.measure(apply_options(batch)).reshape(ways, runs)
        return np.where(graded.any(axis=1)[:, None], values, np.nan)


def build_panel(
    tags: Sequence[str],
    runs: WarmRuns,
    ballots: BallotTable,
    places: PairPlaces,
    measure: Measure,
    options: ScoringOptions,
) -> DisagreementPanel:
    """``places`` are the ballot rows of the pairs of the runs.

    ``options`` must keep all judged topics, so that each has a score. Without a gain table
    all ways share one scale: all grades in the ballots.
    """
    if not options.gains:
        gains = collect_ballot_grades(ballots)
        (measure,) = state_highest_grade([measure], options, np.array([*gains], np.int32))
        options = replace(options, gains=gains)
    deep = scored_depth(measure, options)
    topics = tuple(
        _topic_rows(runs, topic, int(ballots.pairs.starts[at]), places, deep)
        for at, topic in enumerate(ballots.topics)
    )
    return DisagreementPanel(tuple(tags), ballots, measure, options, topics)


def collect_ballot_grades(ballots: BallotTable) -> dict[int, float]:
    """Every grade in the ballots, as its own gain."""
    grades = np.unique(
        np.concatenate(
            [
                ballots.judgments.ravel(),
                ballots.eligible.ravel(),
                ballots.policy_grades,
                ballots.base,
            ]
        )
    )
    return {grade: float(grade) for grade in grades.tolist() if grade >= 0} or {1: 1.0}


def build_panel_from_tables(
    runs: Sequence[RunTable], ballots: BallotTable, measure: Measure, options: ScoringOptions
) -> DisagreementPanel:
    """From runs read from files; duplicate tags get a number."""
    matrices, pairs = encode_runs(runs)
    tags = disambiguate_tags([run.tag for run in runs])
    places = pairs.places(ballots.pairs)
    return build_panel(tags, WarmRuns(matrices), ballots, places, measure, options)


def encode_runs(runs: Sequence[RunTable]) -> tuple[list[RunMatrix], PairDictionary]:
    """``runs`` by pair codes, encoded together, and the dictionary of the codes."""
    if not runs:
        return [], PairDictionary()
    names = tuple(sorted(set().union(*(run.topics for run in runs))))
    number = {name: at for at, name in enumerate(names)}
    topics = [np.repeat([number[t] for t in run.topics], np.diff(run.starts)) for run in runs]
    docnos = pack_docnos([run.docnos for run in runs])
    width = len(docnos) + 1
    pair = np.concatenate([np.empty(0, np.int64), *topics]).astype(np.int64) * width
    kinds, first, code = np.unique(pair + docnos.ranks(), return_index=True, return_inverse=True)
    starts = np.searchsorted(kinds, np.arange(len(names) + 1) * width).astype(np.int64)
    parts = np.split(code.astype(np.int32), np.cumsum([len(run) for run in runs])[:-1])
    matrices = [
        RunMatrix(run.topics, run.starts, part, run.scores)
        for run, part in zip(runs, parts, strict=True)
    ]
    return matrices, PairDictionary([PairArray(names, starts, docnos.take(first))])


def disambiguate_tags(tags: Sequence[str]) -> list[str]:
    """``tags`` made unique: a second ``a`` becomes ``a (2)``."""
    names: list[str] = []
    for tag in tags:
        tries = (tag if n == 1 else f"{tag} ({n})" for n in count(1))
        names.append(next(name for name in tries if name not in names))
    return names


def scored_depth(measure: Measure, options: ScoringOptions) -> int | None:
    """The last rank that the measure reads; None if it reads all.

    A measure at cut-off k reads k documents per ranking, unless an option or a modifier of
    the measure removes documents and moves others up.
    """
    params = dict(measure.params)
    parameter = measure.family.all_parameters().get("k")
    moves_up = options.judged_only or "list" in params
    if parameter is None or parameter.kind != "rank" or moves_up:
        return None
    cut = params.get("k")
    return cut if isinstance(cut, int) else None


def _topic_rows(
    runs: WarmRuns, topic: str, first: int, places: PairPlaces, deep: int | None
) -> ListedTopicRows:
    codes, starts = runs.of_topic(topic)
    rows = places.take(codes)
    segment = np.repeat(np.arange(len(runs), dtype=np.int32), np.diff(starts))
    ranks = (np.arange(len(codes)) - starts[segment] + 1).astype(np.int32)
    selected = rows >= 0 if deep is None else (rows >= 0) & (ranks <= deep)
    return ListedTopicRows(
        segment=segment[selected],
        ranks=ranks[selected],
        pair_rows=rows[selected] - np.int32(first),
        lengths=np.diff(starts),
    )
