"""Runs, judgments and their pool, prepared once for all diagnostics."""

from collections.abc import Collection as Container
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable, Mask
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.topic_means import aggregate_over_topics
from poolbench.files.natural_sort import natural_sort_key
from poolbench.pooling.run_listing import SelectedRuns, iter_listing_parts
from poolbench.reliability.collection.pool import MAX_INFERRED_DEPTH, InferredPool, infer_pool
from poolbench.reliability.disagreement.panel import encode_runs
from poolbench.runs.run_matrix import PairDictionary, RunMatrix
from poolbench.runs.tables import QrelsTable, RunTable, group_starts


@dataclass(frozen=True, eq=False)
class PooledCollection:
    """Runs by tag, ascending; ``teams`` by run; ``batches`` are the runs over all judgments, with
    32-bit columns.

    Topics are those of the qrels, including those that no run answers.
    """

    tags: tuple[str, ...]
    teams: tuple[str, ...]
    batches: tuple[ScoringBatch, ...]
    judged: JudgmentTable
    pool: InferredPool
    options: ScoringOptions
    topics_first: Sequence[str] = ()

    @cached_property
    def in_order(self) -> list[int]:
        """Topic indices in report order: ``topics_first``, then the others in natural order."""
        place = {topic: at for at, topic in enumerate(self.topics_first)}
        topics = self.judged.topics
        keys = [(place.get(topic, len(place)), natural_sort_key(topic)) for topic in topics]
        return sorted(range(len(topics)), key=keys.__getitem__)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct teams, ascending."""
        return tuple(sorted(set(self.teams)))

    @cached_property
    def by_team(self) -> Ints:
        """The index of each run's team in ``names``."""
        return np.array([self.names.index(team) for team in self.teams], np.int64)

    @cached_property
    def is_relevant(self) -> Mask:
        """By judgment."""
        return self.judged.grades >= self.options.level

    @cached_property
    def is_judged(self) -> Mask:
        """By line of the qrels: whether its grade is 0 or higher."""
        return self.judged.grades >= 0

    @cached_property
    def is_pooled(self) -> Mask:
        """By run: whether it contributed to the pool."""
        mask = np.zeros(len(self.tags), np.bool_)
        mask[self.pool.runs] = True
        return mask

    def score(
        self,
        measures: Sequence[Measure],
        selected: Mask | None = None,
        runs: Iterable[int] | None = None,
    ) -> Floats:
        """Scores over topics, runs × measures, by the ``selected`` judgments (None: all).

        ``runs`` are indices; None for all. Topics that lose their judgments stay: a topic
        without a relevant document counts as the measure defines it, mostly as 0.
        """
        values = self.score_topics(measures, selected, runs)
        pairs = zip(measures, values, strict=True)
        columns = [aggregate_over_topics(measure, by_topic) for measure, by_topic in pairs]
        return np.array(columns).reshape(len(measures), values.shape[2]).T

    def score_topics(
        self,
        measures: Sequence[Measure],
        selected: Mask | None = None,
        runs: Iterable[int] | None = None,
    ) -> Floats:
        """As ``score``, of each topic: measures × topics × runs."""
        indices = range(len(self.tags)) if runs is None else list(runs)
        remaining = None if selected is None else select_judgments(self.judged, selected)
        values = np.empty((len(measures), len(self.judged.topics), len(indices)))
        for column, run in enumerate(indices):
            # A new one, so that what it keeps of its figures is gone with it.
            batch = _widen_batch(self.batches[run])
            if remaining is not None:
                batch = _restrict_batch(batch, *remaining)
            for at, measure in enumerate(measures):
                values[at, :, column] = measure(batch)
        return values

    def cut_pool(self, depth: int) -> "PooledCollection":
        """As if the pool ended at ``depth``: without the judgments of its deeper documents."""
        deeper = self.pool.place[(self.pool.best > depth) & (self.pool.place >= 0)]
        selected = np.ones(self.pool.judgments, np.bool_)
        selected[deeper] = False
        judged, place = select_judgments(self.judged, selected)
        batches = tuple(
            _narrow_batch(_restrict_batch(batch, judged, place)) for batch in self.batches
        )
        return replace(self, batches=batches, judged=judged, pool=self.pool.cut(depth, place))


def select_judgments(judged: JudgmentTable, selected: Mask) -> tuple[JudgmentTable, Ints]:
    """The ``selected`` judgments, and the place of each judgment among them, or -1.

    All topics stay, including those without a judgment.
    """
    place = np.where(selected, np.cumsum(selected) - 1, -1)
    starts = group_starts(judged.count(selected))
    return JudgmentTable.from_arrays(judged.topics, starts, judged.grades[selected]), place


def _restrict_batch(batch: ScoringBatch, judged: JudgmentTable, place: Ints) -> ScoringBatch:
    """``batch`` over fewer judgments, with unchanged ranks and lengths."""
    rows = place[batch.judgment_index]
    remaining = rows >= 0
    return replace(
        batch,
        judged=judged,
        segment=batch.segment[remaining],
        ranks=batch.ranks[remaining],
        judgment_index=rows[remaining],
    )


def _narrow_batch(batch: ScoringBatch) -> ScoringBatch:
    """``batch`` in half the memory: 150 runs of 100,000 judged documents take 180 MB."""
    return _convert_rows(batch, np.int32)


def _widen_batch(batch: ScoringBatch) -> ScoringBatch:
    """A narrow batch as measures take it."""
    return _convert_rows(batch, np.int64)


def _convert_rows(batch: ScoringBatch, kind: type[np.int32 | np.int64]) -> ScoringBatch:
    rows = (batch.segment, batch.ranks, batch.judgment_index)
    segment, ranks, index = (cast(Ints, column.astype(kind)) for column in rows)
    return replace(batch, segment=segment, ranks=ranks, judgment_index=index)


@dataclass(frozen=True)
class CollectionSource:
    """How to build a collection from runs and judgments.

    ``teams`` by tag: a run without an entry is its own team. ``pooled`` are the tags of the
    contributing runs; None for all. ``depth`` is the pool depth; None: inferred from the
    judgments. The report lists ``topics`` in that order, others after them. ``gains`` by grade are
    the scale; None: the grades that occur, up to ``max_rel`` if it is given.
    """

    level: int = 1
    teams: Mapping[str, str] | None = None
    pooled: Container[str] | None = None
    depth: int | None = None
    topics: Sequence[str] = ()
    gains: Mapping[int, float] | None = None
    max_rel: int | None = None

    def options(self, judged: JudgmentTable) -> ScoringOptions:
        """One gain scale for all subsets of the judgments."""
        grades = np.unique(judged.grades[judged.grades >= 0]).tolist()
        gains = self.gains or {int(grade): float(grade) for grade in grades} or {1: 1.0}
        return ScoringOptions(level=self.level, gains=gains, max_rel=self.max_rel)

    def pools(self, tag: str) -> bool:
        return self.pooled is None or tag in self.pooled


def build_collection(
    runs: Sequence[RunTable], qrels: QrelsTable, source: CollectionSource
) -> PooledCollection:
    """From tables. Raises ``ValueError`` for duplicate tags, no contributing run, or a depth
    that is neither specified nor inferable.
    """
    ordered = sorted(runs, key=lambda run: run.tag)
    matrices, pairs = encode_runs(ordered)
    by_tag = {run.tag: matrix for run, matrix in zip(ordered, matrices, strict=True)}
    if len(by_tag) < len(runs):
        raise ValueError("two runs have the same tag")
    return build_collection_from_matrices(by_tag, pairs, qrels, source)


def build_collection_from_matrices(
    runs: Mapping[str, RunMatrix],
    pairs: PairDictionary,
    qrels: QrelsTable,
    source: CollectionSource,
) -> PooledCollection:
    """From the run matrices of a campaign, by tag, of which one is used at a time; raises as
    ``build_collection`` does.
    """
    judged, places = JudgmentTable.from_table(qrels), pairs.places(qrels)
    options, tags = source.options(judged), tuple(sorted(runs))
    listings = iter_listing_parts(
        SelectedRuns(runs, tuple(filter(source.pools, tags))),
        pairs, source.depth or MAX_INFERRED_DEPTH, 0, qrels.topics,
    )  # fmt: skip
    return PooledCollection(
        tags=tags,
        teams=tuple((source.teams or {}).get(tag, tag) for tag in tags),
        batches=tuple(
            _narrow_batch(build_run_batch(runs[tag], judged, places, options)) for tag in tags
        ),
        judged=judged,
        pool=infer_pool(listings, qrels, tags, source.depth),
        options=options,
        topics_first=source.topics,
    )
