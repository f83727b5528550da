"""A pool before it is frozen: its size, its cost and whom it favours."""

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
    """The share of a run's first ten documents a topic that are in the pool, 0 to 1.

    None for a run without documents for the pool's topics.
    """

    run: Run
    pooled: bool
    share: float | None


@dataclass(frozen=True)
class PoolPreview:
    """What freezing would make. ``floors`` are of all accepted runs, the lowest first; ``coming``
    is by topic how many documents judgments may bring. No chosen run answers the topics in
    ``unanswered``; of those in ``passed_over`` the spec takes nothing. Runs of one group in
    ``twins`` list the same; ``copies`` have a text that another document of their topic has too.
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
        """Documents that may come while people judge."""
        return sum(self.coming.values())

    @property
    def most(self) -> int:
        """How many documents there can be in the end."""
        return self.parts.size + self.more

    @property
    def method(self) -> str:
        """The steps in a few words."""
        return method_in_words(self.spec.as_dict())

    @property
    def left_out(self) -> tuple[PooledShare, ...]:
        return tuple(floor for floor in self.floors if not floor.pooled)

    @property
    def low_left_out(self) -> int:
        """Runs that are not pooled and have more than half of their first ten unjudged."""
        return sum(floor.share is not None and floor.share < 0.5 for floor in self.left_out)

    def hours(self, seconds: float) -> float:
        """Hours that one assessor needs for what is not judged yet, at ``seconds`` each."""
        return sum(self.hours_of(topic, seconds) for topic in self.parts.topics)

    def hours_of(self, topic: TopicShare, seconds: float) -> float:
        """The same for one topic."""
        coming = self.coming.get(topic.number, 0)
        return (topic.documents - topic.judged + coming) * seconds / 3600


def preview_pool(
    *, actor: User, campaign: Campaign, spec: PoolSpec, runs: Iterable[Run]
) -> PoolPreview:
    """The pool that ``spec`` makes of ``runs``, without writing anything."""
    require_permission(actor, "campaigns.manage", campaign)
    check_spec(campaign, spec)
    chosen = get_poolable_runs(campaign, runs)
    inputs, found = build_sessions(campaign, chosen, spec)
    table = build_pool_table(found)
    parts = compute_composition(
        table,
        [run.team.name for run in chosen],
        inputs["topics"],
        judged=judged_pair_set(campaign),
        pooled=pooled_pair_set(campaign),
    )
    sessions = {session.candidates.topic: session for session in found}
    return PoolPreview(
        spec=spec,
        runs=tuple(chosen),
        parts=parts,
        floors=pooled_shares(campaign, table, chosen),
        inputs_hash=hash_inputs(inputs),
        coming={
            topic: session.budget - len(session.given)
            for topic, session in sessions.items()
            if spec.is_adaptive
        },
        unanswered=tuple(topic for topic in inputs["topics"] if topic not in sessions),
        passed_over=tuple(
            topic
            for topic in inputs["topics"]
            if topic in sessions and is_skipped_topic(sessions[topic])
        ),
        twins=find_identical_runs(chosen),
        copies=count_duplicate_texts(campaign, table),
    )


def find_identical_runs(chosen: Sequence[Run]) -> tuple[tuple[str, ...], ...]:
    """The tags of runs that list the same documents in the same order, group by group: with
    whatever scores, of which their hashes are made too.
    """
    alike: dict[bytes, list[str]] = defaultdict(list)
    for run in chosen:
        alike[sha256(matrices.load_run_matrix(run).pairs.tobytes()).digest()].append(run.tag)
    return tuple(tuple(tags) for tags in alike.values() if len(tags) > 1)


def count_duplicate_texts(campaign: Campaign, table: PoolTable) -> int:
    """How many pooled documents have a text that another of their topic has too."""
    text = text_hashes(campaign, sorted(set(table.docnos)))
    rows = [(topic, table.docnos[table.rows(at)]) for at, topic in enumerate(table.topics)]
    held = Counter(
        (topic, text[docno]) for topic, docnos in rows for docno in docnos if text.get(docno)
    )
    return sum(count for count in held.values() if count > 1)


def pooled_shares(
    campaign: Campaign, table: PoolTable, chosen: Sequence[Run]
) -> tuple[PooledShare, ...]:
    known = matrices.get_pair_dictionary(campaign)
    pooled = np.zeros(len(known), bool)
    pooled[known.find(PairArray(table.topics, table.starts, DocnoArray.from_ids(table.docnos)))] = (
        True
    )
    names = {run.pk for run in chosen}
    floors = []
    for run in list_poolable_runs(campaign):
        matrix = matrices.load_run_matrix(run)
        found = pooled[
            matrix.pairs[cut_run(matrix.topics, matrix.starts, table.topics, FLOOR_AT).row]
        ]
        floors.append(
            PooledShare(run, run.pk in names, float(found.mean()) if len(found) else None)
        )
    return tuple(sorted(floors, key=lambda floor: (floor.share or 0.0, floor.run.tag)))
