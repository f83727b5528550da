"""Freezing a pool: from then on its documents, and whom they came from, never change."""

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
    """Write the pool that ``spec`` makes of ``runs`` as the campaign's next version.

    ``after`` is the version that ``actor`` saw as the newest (0: none); if another has
    been frozen since, or the very same pool exists, nothing is written: ``Refused``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_spec(campaign, spec)
    chosen = get_poolable_runs(campaign, runs)
    inputs, found = build_sessions(campaign, chosen, spec)
    with transaction.atomic():
        # Locked, so that of two organizers the second sees the pool of the first.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_unchanged(campaign, chosen, after, hash_inputs(inputs))
        return write_pool(actor, campaign, inputs, found)


def check_unchanged(
    campaign: Campaign, chosen: Sequence[Run], after: int | None, inputs_hash: str
) -> None:
    """Refuse if what was built from, or what is there already, has changed meanwhile."""
    if after is not None and latest_pool_version(campaign) != after:
        fix = "Look at the new pool first, then preview and freeze again."
        raise ActionRefused(
            "overtaken", "Another pool was frozen while you looked at this one.", fix
        )
    same = campaign.pools.filter(inputs_hash=inputs_hash).first()
    if same is not None:
        fix = "Choose other runs or another spec to extend it."
        raise ActionRefused("same-pool", f"This very pool is frozen already, as {same}.", fix)
    get_poolable_runs(campaign, chosen)


def latest_pool_version(campaign: Campaign) -> int:
    """The number of the newest frozen pool; 0 when there is none."""
    return campaign.pools.aggregate(newest=Max("version"))["newest"] or 0


def write_pool(
    actor: User, campaign: Campaign, inputs: dict[str, Any], found: list[PoolSession]
) -> Pool:
    table = build_pool_table(found)
    pool = Pool.objects.create(
        campaign=campaign,
        version=latest_pool_version(campaign) + 1,
        spec=inputs,
        inputs_hash=hash_inputs(inputs),
        size=len(table),
        frozen_by=actor,
    )
    PoolItem.objects.bulk_create(iter_pool_items(pool, table), batch_size=BATCH)
    if pool.grows:
        PoolTopic.objects.bulk_create(iter_adaptive_topics(pool, found))
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


def iter_adaptive_topics(pool: Pool, found: Sequence[PoolSession]) -> Iterator[PoolTopic]:
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    for session in found:
        topic = topic_ids[session.candidates.topic]
        yield PoolTopic(pool=pool, topic_id=topic, budget=session.budget, ended=session.is_complete)


def iter_pool_items(pool: Pool, table: PoolTable) -> Iterator[PoolItem]:
    """The rows of ``pool``; within a topic they are numbered from 1 in seeded hash order."""
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    seed = pool.spec["seed"]
    for at, topic in enumerate(table.topics):
        rows = range(table.rows(at).start, table.rows(at).stop)
        shuffled = sorted(
            rows, key=lambda row: (hash_order(seed, topic, table.docnos[row]), table.docnos[row])
        )
        for position, row in enumerate(shuffled, 1):
            brought = table.contributors[table.bounds[row] : table.bounds[row + 1]]
            yield PoolItem(
                pool=pool,
                topic_id=topic_ids[topic],
                docno=table.docnos[row],
                min_rank=int(table.min_rank[row]),
                contributors=brought.astype(PACKED).tobytes(),
                position=position,
                priority=int(table.priority[row]),
                stratum=int(table.stratum[row]),
                probability=float(table.probability[row]),
            )
