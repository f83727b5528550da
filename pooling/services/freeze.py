"""Freeze a pool: its documents and their contributing runs never change afterwards."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, Run, User
from campaigns.rules import require_permission
from campaigns.services import events, jobs
from campaigns.services.campaigns import close_if_chosen
from campaigns.services.decisions import check_decision
from campaigns.services.registration import prepare_documents
from campaigns.services.rows import Row, insert_rows
from campaigns.services.tasks import store_task_topics
from poolbench.pooling.spec import PoolSpec
from poolbench.pooling.spec_file import build_spec
from poolbench.pooling.tables import Ints, PoolTable
from poolbench.runs.hash_order import hash_orders
from pooling.models import Pool, PoolItem, PoolTopic
from pooling.queries.inputs import DraftTopic, FreezeFacts, PoolDraft, draft_pool, get_poolable_runs
from pooling.queries.pools import PACKED, keep_composition, latest_pool_version

FREEZE = "pooling.freeze"
"""The kind of the jobs."""
STEPS = 2
MOST_IN_REQUEST = 2_000_000
"""Lines of all runs down to the cut-off, up to which a pool is frozen in its request, in some 7 s
of CPU time; more are left to a job.
"""
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
    job: Job | None = None,
) -> Pool:
    """Freeze the pool of ``runs`` by ``spec`` as the campaign's next version; close submission
    with it if ``decision`` says so.

    ``after`` is the newest version that ``actor`` saw (0: none). Raises ``ActionRefused`` if
    another has been frozen since, or if the same pool exists. ``job`` is done with the pool.
    """
    require_permission(actor, "campaigns.manage", campaign)
    draft = draft_pool(actor=actor, campaign=campaign, spec=spec, runs=runs)
    report_step(job, 1)
    with prepare_documents(campaign, draft.docnos) as add_documents, transaction.atomic():
        # Locked, so that the second of two organizers sees the pool of the first.
        campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))
        check_unchanged(draft.facts, after)
        confirmed = check_decision(draft.facts.describe, decision)
        close_if_chosen(actor, campaign, decision)
        add_documents()
        pool = write_pool(actor, draft, confirmed)
        if job is not None:
            jobs.finish_job(job, url=pool.get_absolute_url())
        return pool


def report_step(job: Job | None, done: int) -> None:
    """Of two: the pool is put together, and written. Not in a transaction, which would hide it."""
    if job is not None:
        jobs.report_progress(job, done, STEPS)


def is_large_pool(campaign: Campaign, spec: PoolSpec, runs: Sequence[Run]) -> bool:
    """Whether freezing takes too long for a request."""
    topics = campaign.topics.count()
    return sum(min(run.lines, topics * spec.cutoff) for run in runs) > MOST_IN_REQUEST


def request_pool(
    *,
    actor: User,
    campaign: Campaign,
    spec: PoolSpec,
    runs: Sequence[Run],
    after: int,
    decision: Decision,
) -> Job:
    """Queue the freezing of a large pool, with the arguments of ``freeze_pool``; what forbids it,
    or what the person has not confirmed, fails the job in the same words.
    """
    require_permission(actor, "campaigns.manage", campaign)
    pooled = [run.pk for run in get_poolable_runs(campaign, runs)]
    with transaction.atomic():
        return jobs.enqueue_once(
            campaign=campaign,
            kind=FREEZE,
            actor=actor,
            spec=spec.as_dict(),
            runs=pooled,
            after=after,
            codes=sorted(decision.codes),
            digest=decision.digest,
        )


def freeze_requested_pool(job: Job) -> None:
    """The handler of ``pooling.freeze``: writes all of the pool and ends the job, or nothing."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    report_step(job, 0)
    args = job.args
    freeze_pool(
        actor=job.created_by,
        campaign=job.campaign,
        spec=build_spec(args["spec"]),
        runs=job.campaign.runs.filter(pk__in=args["runs"]),
        after=args["after"],
        decision=Decision(frozenset(args["codes"]), args["digest"]),
        job=job,
    )


def check_unchanged(facts: FreezeFacts, after: int | None) -> None:
    """Raise ``ActionRefused`` if runs or pools have changed in the meantime."""
    campaign = facts.campaign
    if after is not None and latest_pool_version(campaign) != after:
        fix = "Review the new pool, then preview and freeze again."
        raise ActionRefused("overtaken", "Another pool was frozen in the meantime.", fix)
    same = campaign.pools.filter(inputs_hash=facts.inputs_hash).first()
    if same is not None:
        fix = "Select other runs or change the spec to extend it."
        raise ActionRefused("same-pool", f"This pool is already frozen as {same}.", fix)
    get_poolable_runs(campaign, facts.runs)


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
    topics = dict(campaign.topics.values_list("number", "pk"))
    insert_rows(PoolItem, COLUMNS, iter_pool_rows(pool, table, topics))
    if not pool.is_adaptive:
        keep_composition(pool, lambda: table)
    else:
        PoolTopic.objects.bulk_create(iter_adaptive_topics(pool, draft.topics))
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


def iter_adaptive_topics(pool: Pool, topics: Sequence[DraftTopic]) -> Iterator[PoolTopic]:
    topic_ids = dict(pool.campaign.topics.values_list("number", "pk"))
    for topic in topics:
        key = topic_ids[topic.number]
        yield PoolTopic(pool=pool, topic_id=key, budget=topic.budget, ended=topic.is_complete)


def iter_pool_rows(pool: Pool, table: PoolTable, topic_ids: Mapping[str, int]) -> Iterator[Row]:
    """The items of ``pool``, numbered from 1 within each topic in seeded hash order. ``topic_ids``
    are keys by number.
    """
    seed = pool.spec["seed"]
    for at, topic in enumerate(table.topics):
        rows = table.rows(at)
        orders = hash_orders(seed, topic, table.docnos.texts(rows))
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
    docnos = map(bytes.decode, table.docnos.texts(rows))
    columns = (
        ends[rows - low], ends[rows - low + 1], table.min_rank[rows], positions,
        table.priority[rows], table.stratum[rows], table.probability[rows],
    )  # fmt: skip
    values = (each.tolist() for each in columns)
    for docno, start, end, rank, *others in zip(docnos, *values, strict=True):
        yield pool.pk, topic, docno, rank, data[start:end], *others
