"""Freeze a pool: its documents and their contributing runs never change afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.rules import require_permission
from campaigns.services import events
from pooling.core.order import hash_order
from pooling.core.pool_builder import build_pool_table
from pooling.core.session import PoolSession
from pooling.core.spec import PoolSpec
from pooling.core.tables import PoolTable
from pooling.models import Pool, PoolItem, PoolTopic
from pooling.queries.pools import PACKED
from pooling.services.inputs import build_sessions, check_spec, get_poolable_runs, hash_inputs

BATCH = 5_000


def freeze_pool(
    *,
    actor: User,
    campaign: Campaign,
    spec: PoolSpec,
    runs: Iterable[Run],
    after: int | None = None,
) -> Pool:
    """Freeze the pool of ``runs`` by ``spec`` as the campaign's next version.

    ``after`` is the newest version that ``actor`` saw (0: none). Raises ``ActionRefused`` if
    another has been frozen since, or if the same pool exists.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_spec(campaign, spec)
    runs_by_tag = get_poolable_runs(campaign, runs)
    inputs, sessions = build_sessions(campaign, runs_by_tag, spec)
    with transaction.atomic():
        # Locked, so that the second of two organizers sees the pool of the first.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_unchanged(campaign, runs_by_tag, after, hash_inputs(inputs))
        return write_pool(actor, campaign, inputs, sessions)


def check_unchanged(
    campaign: Campaign, runs_by_tag: Sequence[Run], after: int | None, inputs_hash: str
) -> None:
    """Raise ``ActionRefused`` if runs or pools have changed in the meantime."""
    if after is not None and latest_pool_version(campaign) != after:
        fix = "Review the new pool, then preview and freeze again."
        raise ActionRefused("overtaken", "Another pool was frozen in the meantime.", fix)
    same = campaign.pools.filter(inputs_hash=inputs_hash).first()
    if same is not None:
        fix = "Select other runs or change the spec to extend it."
        raise ActionRefused("same-pool", f"This pool is already frozen as {same}.", fix)
    get_poolable_runs(campaign, runs_by_tag)


def latest_pool_version(campaign: Campaign) -> int:
    """The version of the newest frozen pool; 0 without pools."""
    return campaign.pools.aggregate(newest=Max("version"))["newest"] or 0


def write_pool(
    actor: User, campaign: Campaign, inputs: dict[str, Any], sessions: list[PoolSession]
) -> Pool:
    table = build_pool_table(sessions)
    pool = Pool.objects.create(
        campaign=campaign,
        version=latest_pool_version(campaign) + 1,
        spec=inputs,
        inputs_hash=hash_inputs(inputs),
        size=len(table),
        frozen_by=actor,
    )
    PoolItem.objects.bulk_create(iter_pool_items(pool, table), batch_size=BATCH)
    if pool.is_adaptive:
        PoolTopic.objects.bulk_create(iter_adaptive_topics(pool, sessions))
    events.log_event(
        campaign=campaign,
        actor=actor,
        code="pool.frozen",
        subject=f"{pool}: {pool.method}, {len(inputs['runs'])} runs, {len(table)} documents",
        pool=pool.pk,
        version=pool.version,
        inputs_hash=pool.inputs_hash,
    )
    return pool


def iter_adaptive_topics(pool: Pool, sessions: Sequence[PoolSession]) -> Iterator[PoolTopic]:
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    for session in sessions:
        topic = topic_ids[session.candidates.topic]
        yield PoolTopic(pool=pool, topic_id=topic, budget=session.budget, ended=session.is_complete)


def iter_pool_items(pool: Pool, table: PoolTable) -> Iterator[PoolItem]:
    """The rows of ``pool``, numbered from 1 within each topic in seeded hash order."""
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    seed = pool.spec["seed"]
    for at, topic in enumerate(table.topics):
        rows = range(table.rows(at).start, table.rows(at).stop)
        shuffled = sorted(
            rows, key=lambda row: (hash_order(seed, topic, table.docnos[row]), table.docnos[row])
        )
        for position, row in enumerate(shuffled, 1):
            contributors = table.contributors[table.bounds[row] : table.bounds[row + 1]]
            yield PoolItem(
                pool=pool,
                topic_id=topic_ids[topic],
                docno=table.docnos[row],
                min_rank=int(table.min_rank[row]),
                contributors=contributors.astype(PACKED).tobytes(),
                position=position,
                priority=int(table.priority[row]),
                stratum=int(table.stratum[row]),
                probability=float(table.probability[row]),
            )
