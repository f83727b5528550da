"""Freeze a pool: its documents and their contributing runs never change afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.campaigns import close_if_chosen
from campaigns.services.decisions import check_decision
from campaigns.services.registration import prepare_documents
from campaigns.services.rows import Row, insert_rows
from campaigns.services.tasks import store_task_topics
from poolbench.pooling.session import PoolSession
from poolbench.pooling.spec import PoolSpec
from poolbench.pooling.tables import Ints, PoolTable
from poolbench.runs.hash_order import hash_orders
from pooling.models import Pool, PoolItem, PoolTopic
from pooling.queries.inputs import PoolDraft, draft_pool, get_poolable_runs
from pooling.queries.pools import PACKED, latest_pool_version

COLUMNS = (
    "pool_id", "topic_id", "docno", "min_rank", "contributors", "position", "priority", "stratum",
    "probability",
)  # fmt: skip


def freeze_pool(
    *,
    actor: User,
    campaign: Campaign,
    spec: PoolSpec,
    runs: Iterable[Run],
    after: int | None = None,
    decision: Decision | None = None,
) -> Pool:
    """Freeze the pool of ``runs`` by ``spec`` as the campaign's next version; close submission
    with it if ``decision`` says so.

    ``after`` is the newest version that ``actor`` saw (0: none). Raises ``ActionRefused`` if
    another has been frozen since, or if the same pool exists.
    """
    require_permission(actor, "campaigns.manage", campaign)
    draft = draft_pool(actor=actor, campaign=campaign, spec=spec, runs=runs)
    with prepare_documents(campaign, draft.docnos) as add_documents, transaction.atomic():
        # Locked, so that the second of two organizers sees the pool of the first.
        campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))
        check_unchanged(draft, after)
        confirmed = check_decision(draft.describe, decision)
        close_if_chosen(actor, campaign, decision)
        add_documents()
        return write_pool(actor, draft, confirmed)


def check_unchanged(draft: PoolDraft, after: int | None) -> None:
    """Raise ``ActionRefused`` if runs or pools have changed in the meantime."""
    campaign = draft.campaign
    if after is not None and latest_pool_version(campaign) != after:
        fix = "Review the new pool, then preview and freeze again."
        raise ActionRefused("overtaken", "Another pool was frozen in the meantime.", fix)
    same = campaign.pools.filter(inputs_hash=draft.inputs_hash).first()
    if same is not None:
        fix = "Select other runs or change the spec to extend it."
        raise ActionRefused("same-pool", f"This pool is already frozen as {same}.", fix)
    get_poolable_runs(campaign, draft.runs)


def write_pool(actor: User, draft: PoolDraft, confirmed: dict[str, Any]) -> Pool:
    campaign, inputs, table = draft.campaign, draft.inputs, draft.table
    pool = Pool.objects.create(
        campaign=campaign,
        task=draft.task,
        version=latest_pool_version(campaign) + 1,
        spec=inputs,
        inputs_hash=draft.inputs_hash,
        size=len(table),
        frozen_by=actor,
    )
    store_task_topics(pool.task)
    insert_rows(PoolItem, COLUMNS, iter_pool_rows(pool, table))
    if pool.is_adaptive:
        PoolTopic.objects.bulk_create(iter_adaptive_topics(pool, draft.sessions))
    events.log_event(
        campaign=campaign,
        actor=actor,
        code="pool.frozen",
        subject=f"{pool}: {pool.method}, {len(inputs['runs'])} runs, {len(table)} documents",
        pool=pool.pk,
        version=pool.version,
        inputs_hash=pool.inputs_hash,
        **confirmed,
    )
    return pool


def iter_adaptive_topics(pool: Pool, sessions: Sequence[PoolSession]) -> Iterator[PoolTopic]:
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    for session in sessions:
        topic = topic_ids[session.candidates.topic]
        yield PoolTopic(pool=pool, topic_id=topic, budget=session.budget, ended=session.is_complete)


def iter_pool_rows(pool: Pool, table: PoolTable) -> Iterator[Row]:
    """The items of ``pool``, numbered from 1 within each topic in seeded hash order."""
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    seed = pool.spec["seed"]
    for at, topic in enumerate(table.topics):
        rows = table.rows(at)
        orders = hash_orders(seed, topic, map(str.encode, table.docnos[rows]))
        # Docnos ascend within a topic: a stable sort breaks ties by them.
        shuffled = rows.start + np.argsort(orders, kind="stable")
        positions = np.arange(1, len(shuffled) + 1)
        yield from build_pool_rows(pool, topic_ids[topic], table, shuffled, positions)


def build_pool_rows(
    pool: Pool, topic: int, table: PoolTable, rows: Ints, positions: NDArray[np.integer[Any]]
) -> Iterator[Row]:
    """``rows`` of ``table``, at least one, all of the topic ``topic``, as values of ``COLUMNS``."""
    low, high = int(rows.min()), int(rows.max()) + 1
    bounds = table.bounds[low : high + 1]
    packed = table.contributors[bounds[0] : bounds[-1]].astype(PACKED)
    data, ends = packed.tobytes(), (bounds - bounds[0]) * packed.itemsize
    columns = (
        rows, ends[rows - low], ends[rows - low + 1], table.min_rank[rows], positions,
        table.priority[rows], table.stratum[rows], table.probability[rows],
    )  # fmt: skip
    for row, start, end, rank, *others in zip(*(each.tolist() for each in columns), strict=True):
        yield pool.pk, topic, table.docnos[row], rank, data[start:end], *others
