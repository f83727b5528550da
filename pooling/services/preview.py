"""Preview of a pool: size, judging effort, and which runs and teams it favors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from campaigns.core.docnos import DocnoArray
from campaigns.core.run_matrix import PairArray
from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from campaigns.services import matrices
from pooling.core.pool_builder import build_pool_table
from pooling.core.run_listing import cut_run
from pooling.core.spec import PoolSpec, method_in_words
from pooling.core.tables import PoolTable
from pooling.queries.composition import Composition, TopicShare, compute_composition
from pooling.queries.pools import judged_pair_set, pooled_pair_set
from pooling.queries.runs import list_poolable_runs
from pooling.queries.texts import text_hashes
from pooling.services.inputs import (
    build_sessions,
    check_spec,
    get_poolable_runs,
    hash_inputs,
    is_skipped_topic,
)

FLOOR_AT = 10


@dataclass(frozen=True)
class PooledShare:
    """The pooled share of a run: of its top 10 documents per topic, those in the pool, 0 to 1.

    None for a run without documents for the pool's topics.
    """

    run: Run
    pooled: bool
    share: float | None


@dataclass(frozen=True)
class PoolPreview:
    """The pool that freezing would create. ``floors`` are the pooled shares of all accepted runs,
    lowest first; ``coming`` is the maximum number of documents to come, by topic. No selected run
    answers the topics in ``unanswered``; the spec selects nothing of those in ``passed_over``.
    Each group in ``twins`` lists identical runs; ``copies`` counts duplicate texts.
    """

    spec: PoolSpec
    runs: tuple[Run, ...]
    parts: Composition
    floors: tuple[PooledShare, ...]
    inputs_hash: str
    coming: Mapping[str, int]
    unanswered: tuple[str, ...]
    passed_over: tuple[str, ...]
    twins: tuple[tuple[str, ...], ...]
    copies: int

    @property
    def more(self) -> int:
        """Maximum number of documents added during judging."""
        return sum(self.coming.values())

    @property
    def most(self) -> int:
        """Maximum final size of the pool."""
        return self.parts.size + self.more

    @property
    def method(self) -> str:
        """A short description of the spec."""
        return method_in_words(self.spec.as_dict())

    @property
    def left_out(self) -> tuple[PooledShare, ...]:
        return tuple(floor for floor in self.floors if not floor.pooled)

    @property
    def low_left_out(self) -> int:
        """Runs not in the pool with a pooled share below one half."""
        return sum(floor.share is not None and floor.share < 0.5 for floor in self.left_out)

    def hours(self, seconds: float) -> float:
        """Hours that one assessor needs for the unjudged documents, at ``seconds`` each."""
        return sum(self.topic_hours(topic, seconds) for topic in self.parts.topics)

    def topic_hours(self, topic: TopicShare, seconds: float) -> float:
        """The same for one topic."""
        coming = self.coming.get(topic.number, 0)
        return (topic.documents - topic.judged + coming) * seconds / 3600


def preview_pool(
    *, actor: User, campaign: Campaign, spec: PoolSpec, runs: Iterable[Run]
) -> PoolPreview:
    """The pool of ``runs`` by ``spec``, without saving anything."""
    require_permission(actor, "campaigns.manage", campaign)
    check_spec(campaign, spec)
    pooled_runs = get_poolable_runs(campaign, runs)
    inputs, sessions = build_sessions(campaign, pooled_runs, spec)
    table = build_pool_table(sessions)
    parts = compute_composition(
        table,
        [run.team.name for run in pooled_runs],
        inputs["topics"],
        judged=judged_pair_set(campaign),
        pooled=pooled_pair_set(campaign),
    )
    by_topic = {session.candidates.topic: session for session in sessions}
    return PoolPreview(
        spec=spec,
        runs=tuple(pooled_runs),
        parts=parts,
        floors=pooled_shares(campaign, table, pooled_runs),
        inputs_hash=hash_inputs(inputs),
        coming={
            topic: session.budget - len(session.selected)
            for topic, session in by_topic.items()
            if spec.is_adaptive
        },
        unanswered=tuple(topic for topic in inputs["topics"] if topic not in by_topic),
        passed_over=tuple(
            topic
            for topic in inputs["topics"]
            if topic in by_topic and is_skipped_topic(by_topic[topic])
        ),
        twins=find_identical_runs(pooled_runs),
        copies=count_duplicate_texts(campaign, table),
    )


def find_identical_runs(runs: Sequence[Run]) -> tuple[tuple[str, ...], ...]:
    """Groups of tags of runs that list the same documents in the same order, whatever their
    scores.
    """
    alike: dict[bytes, list[str]] = defaultdict(list)
    for run in runs:
        alike[sha256(matrices.load_run_matrix(run).pairs.tobytes()).digest()].append(run.tag)
    return tuple(tuple(tags) for tags in alike.values() if len(tags) > 1)


def count_duplicate_texts(campaign: Campaign, table: PoolTable) -> int:
    """The number of pooled documents with the same text as another one of their topic."""
    text = text_hashes(campaign, sorted(set(table.docnos)))
    rows = [(topic, table.docnos[table.rows(at)]) for at, topic in enumerate(table.topics)]
    text_counts = Counter(
        (topic, text[docno]) for topic, docnos in rows for docno in docnos if text.get(docno)
    )
    return sum(count for count in text_counts.values() if count > 1)


def pooled_shares(
    campaign: Campaign, table: PoolTable, runs: Sequence[Run]
) -> tuple[PooledShare, ...]:
    known = matrices.get_pair_dictionary(campaign)
    pooled = np.zeros(len(known), bool)
    listed = PairArray(table.topics, table.starts, DocnoArray.from_ids(table.docnos))
    pooled[known.find(listed)] = True
    names = {run.pk for run in runs}
    floors = []
    for run in list_poolable_runs(campaign):
        matrix = matrices.load_run_matrix(run)
        in_pool = pooled[
            matrix.pairs[cut_run(matrix.topics, matrix.starts, table.topics, FLOOR_AT).row]
        ]
        floors.append(
            PooledShare(run, run.pk in names, float(in_pool.mean()) if len(in_pool) else None)
        )
    return tuple(sorted(floors, key=lambda floor: (floor.share or 0.0, floor.run.tag)))
