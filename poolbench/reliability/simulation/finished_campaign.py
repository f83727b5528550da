"""A finished campaign for replaying pool specs: its runs and all its judgments."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.cache import Cache
from poolbench.evaluation.in_memory import WarmRuns
from poolbench.evaluation.judgments import Ints, Mask
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.judging.policies import get_policy
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.run_listing import build_listing_from_matrices, sort_runs_by_tag
from poolbench.pooling.spec import PoolSpec
from poolbench.reliability.disagreement.ballots import BallotTable
from poolbench.reliability.disagreement.panel import DisagreementPanel, build_panel, encode_runs
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.run_matrix import PairArray, PairDictionary
from poolbench.runs.tables import QrelsTable, RunTable


@dataclass(frozen=True)
class ContributingRun:
    """A run that may contribute to a pool, with the fields by which specs select runs."""

    tag: str
    team: str
    priority: int = 0
    kind: str = ""


CACHED_LISTINGS = 2
"""Listings in memory: specs are replayed one after the other, each with all its seeds."""


@dataclass(frozen=True, eq=False)
class FinishedCampaign:
    """``tags`` are all runs to score; ``contributing_runs`` are those that may be pooled.

    ``level`` is the lowest relevant grade. ``gains`` are by grade; None: the grades that occur.
    ``texts`` adds the texts that the named method reads to a listing; None: no texts.
    """

    tags: tuple[str, ...]
    runs: WarmRuns
    pairs: PairDictionary
    qrels: QrelsTable
    contributing_runs: tuple[ContributingRun, ...]
    level: int = 1
    gains: Mapping[int, float] | None = None
    texts: Callable[[RunListing, str], RunListing] | None = None

    @classmethod
    def from_tables(
        cls,
        runs: Sequence[RunTable],
        qrels: QrelsTable,
        pooled: Collection[str] | None = None,
        level: int = 1,
    ) -> "FinishedCampaign":
        """From runs read from files, each its own team; ``pooled`` None: all of them.

        Raises ``ValueError`` for duplicate tags and for ``pooled`` tags of no run.
        """
        tags = tuple(run.tag for run in runs)
        if len(set(tags)) < len(tags):
            raise ValueError("two runs have the same tag")
        if unknown := set(pooled or ()) - set(tags):
            raise ValueError(f"unknown run tag: {', '.join(sorted(unknown))}")
        matrices, pairs = encode_runs(runs)
        contributing = tuple(
            ContributingRun(tag, tag) for tag in tags if pooled is None or tag in pooled
        )
        return cls(tags, WarmRuns(matrices), pairs, qrels, contributing, level)

    @cached_property
    def pooled(self) -> frozenset[str]:
        """The tags of the contributing runs."""
        return frozenset(run.tag for run in self.contributing_runs)

    @cached_property
    def relevant(self) -> Mask:
        """By row of the qrels."""
        return self.qrels.grades >= self.level

    @cached_property
    def relevant_by_topic(self) -> Ints:
        """How many, by topic of the qrels."""
        return np.diff(np.concatenate(([0], np.cumsum(self.relevant)))[self.qrels.starts])

    @cached_property
    def relevant_pairs(self) -> set[tuple[str, str]]:
        """By topic and docno."""
        return {pair for pair, grade in self.qrels.by_pair().items() if grade >= self.level}

    @cached_property
    def index(self) -> PairIndex:
        return PairIndex.from_table(self.qrels)

    def find_qrels_rows(self, listing: RunListing) -> Ints:
        """The qrels row of each document of ``listing``; -1 without a grade of 0 or higher."""
        rows = self.index.find(listing).astype(np.int64)
        return np.where((rows >= 0) & (self.qrels.grades[rows] >= 0), rows, -1)

    def select_runs(self, spec: PoolSpec) -> frozenset[str]:
        selected = spec.runs.choose(self.contributing_runs, lambda run: run.team)
        return frozenset(run.tag for run in selected)

    def answers(self, tags: frozenset[str]) -> bool:
        """Whether a run with one of the tags answers a topic of the qrels."""
        topics = set(self.qrels.topics)
        named = zip(self.tags, self.runs.matrices, strict=True)
        return any(tag in tags and not topics.isdisjoint(run.topics) for tag, run in named)

    def listing(self, spec: PoolSpec) -> RunListing:
        """The rankings of the runs that ``spec`` pools, on the topics of the qrels; seed 0."""
        key = self.select_runs(spec), spec.cutoff, spec.reader

        def load() -> RunListing:
            named = sort_runs_by_tag(zip(self.tags, self.runs.matrices, strict=True))
            selected = {tag: matrix for tag, matrix in named if tag in key[0]}
            topics = self.qrels.topics
            listing = build_listing_from_matrices(selected, self.pairs, spec.cutoff, 0, topics)
            if spec.reader and self.texts is not None:
                listing = self.texts(listing, spec.reader)
            return listing

        return self._listings.get_or_compute(key, load)

    @cached_property
    def _listings(self) -> Cache[tuple[frozenset[str], int, str], RunListing]:
        return Cache(CACHED_LISTINGS)

    def panel(self, measure: Measure) -> DisagreementPanel:
        """All runs over all pairs of the qrels, to be scored by any subset of their grades."""
        places = self.pairs.places(self.qrels)
        return build_panel(self.tags, self.runs, self._ballots, places, measure, self.options)

    @property
    def options(self) -> ScoringOptions:
        return ScoringOptions(level=self.level, gains=self.gains)

    @cached_property
    def _ballots(self) -> BallotTable:
        """The qrels as the judgments of one assessor."""
        qrels = self.qrels
        grades = qrels.grades[:, None]
        return BallotTable(
            pairs=PairArray(qrels.topics, qrels.starts, qrels.docnos),
            assessors=("qrels",),
            automatic=frozenset(),
            judgments=grades,
            eligible=grades,
            policy=get_policy("maximum"),
            policy_grades=qrels.grades,
            adjudicated=np.zeros(len(qrels), np.bool_),
        )
