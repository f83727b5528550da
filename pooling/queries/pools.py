"""Frozen pools as tables, and the judged and pooled pairs that a preview needs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from campaigns.models import Campaign, User
from campaigns.services.snapshots import keep_figures
from poolbench.cache import Cache
from poolbench.pooling.formats import FORMATS, PoolParts
from poolbench.pooling.pool_builder import join_pool_tables
from poolbench.pooling.run_listing import pack_docnos
from poolbench.pooling.tables import PoolTable
from poolbench.reading.docnos import DocnoArray
from poolbench.runs.tables import group_starts
from pooling.models import Pool, PoolItem
from pooling.queries.composition import Composition, Pairs, compute_composition
from pooling.queries.judgment_log import identify_log, read_judgment_log

PACKED = "<u2"
ENOUGH_FOR_A_PACE = 20
MOST_CONTRIBUTIONS = 20_000_000
MOST_DOCUMENTS = 400_000
"""Of a pool that stays in memory: one of 100,000 documents of 100 runs takes some 10 MB."""
TOPICS_AT_ONCE = 20
_tables: Cache[tuple[object, ...], PoolTable] = Cache(
    MOST_CONTRIBUTIONS, lambda table: len(table.contributors) + 10 * len(table)
)
"""Of pools that do not grow."""
_judged: Cache[tuple[object, ...], dict[str, int]] = Cache(32)


def list_visible_pools(user: User | AnonymousUser) -> QuerySet[Pool]:
    """Access control: pools of the campaigns that ``user`` organizes; a superuser sees all."""
    organized = Campaign.objects.organized_by(user).order_by()
    return Pool.objects.filter(campaign__in=organized).select_related(
        "campaign", "frozen_by", "task"
    )


def latest_pool_version(campaign: Campaign) -> int:
    """The version of the newest frozen pool; 0 without pools."""
    return campaign.pools.aggregate(newest=Max("version"))["newest"] or 0


def load_pool_table(pool: Pool) -> PoolTable:
    """The frozen pool as a core table."""
    if not is_kept(pool):
        return join_pool_tables(read_pool_parts(pool))
    # Its documents never change.
    return _tables.get_or_compute(
        (pool.pk, pool.frozen_at), lambda: join_pool_tables(read_pool_parts(pool))
    )


def is_kept(pool: Pool) -> bool:
    return not pool.is_adaptive and pool.size <= MOST_DOCUMENTS


def iter_pool_parts(pool: Pool) -> Iterator[PoolTable]:
    """The same as tables of some topics each, in their order."""
    return iter([load_pool_table(pool)]) if is_kept(pool) else read_pool_parts(pool)


def iter_pool_file(pool: Pool, fmt: str) -> Iterator[str]:
    """The parts of its file in a format of ``FORMATS``."""
    sampled = pool.items.filter(Q(stratum__gt=0) | Q(probability__lt=1))
    runs = [run["tag"] for run in pool.spec["runs"]]
    return FORMATS[fmt](PoolParts(runs, sampled.exists(), iter_pool_parts(pool)))


def read_pool_parts(pool: Pool) -> Iterator[PoolTable]:
    """The same, read some topics at a time: a million rows take half a gigabyte as objects."""
    rows = pool.items.order_by().values_list(
        "docno", "contributors", "probability", "topic", "min_rank", "priority", "stratum"
    )
    # Sorted here: a database's collation need not be the order of code points.
    numbers = sorted(pool.campaign.topics.values_list("number", "pk"))
    for first in range(0, len(numbers), TOPICS_AT_ONCE):
        topics = dict(numbers[first : first + TOPICS_AT_ONCE])
        yield build_pool_part(pool, topics, [*rows.filter(topic__in=topics.values())])


def build_pool_part(
    pool: Pool, topics: Mapping[str, int], rows: Sequence[tuple[Any, ...]]
) -> PoolTable:
    """The table of ``rows`` of the items of ``topics``, IDs by ascending number, in any order."""
    names, contributors, probabilities, ids, *numbers = list(zip(*rows, strict=True)) or [()] * 7
    integers = [np.array([value or 0 for value in each], np.int32) for each in numbers]
    place = {pk: at for at, pk in enumerate(topics.values())}
    topic = np.fromiter(map(place.__getitem__, ids), np.int64, len(ids))
    docnos = DocnoArray.from_ids(names)
    order = np.lexsort((docnos.ranks(), topic))
    min_rank, priority, stratum = (each[order] for each in integers)
    packed = b"".join([contributors[at] for at in order.tolist()])
    counts = np.fromiter(map(len, contributors), np.int64, len(ids)) // np.dtype(PACKED).itemsize
    sizes = np.bincount(topic, minlength=len(topics))
    return PoolTable(
        runs=tuple(run["tag"] for run in pool.spec["runs"]),
        topics=tuple(number for number, size in zip(topics, sizes.tolist(), strict=True) if size),
        starts=group_starts(sizes[sizes > 0]),
        docnos=pack_docnos([docnos.take(order)]),
        min_rank=min_rank,
        bounds=group_starts(counts[order]),
        contributors=np.frombuffer(packed, PACKED).astype(np.int32),
        priority=np.where(priority, priority, min_rank),
        stratum=stratum,
        probability=np.array(probabilities, np.float64)[order],
    )


def get_pool_composition(pool: Pool) -> Composition:
    """The composition of the frozen pool, including how much of it is judged."""
    if pool.is_adaptive:
        judged = judged_pair_set(pool.campaign)
        return compose_pool(pool, load_pool_table(pool), judged)
    parts = keep_composition(pool, lambda: load_pool_table(pool))
    key = (pool.pk, pool.frozen_at, identify_log(pool.campaign))
    return parts.with_judged(_judged.get_or_compute(key, lambda: count_judged_by_topic(pool)))


def keep_composition(pool: Pool, load: Callable[[], PoolTable]) -> Composition:
    """The composition of a pool that does not grow, stored when it is frozen: to read 1.3 million
    documents takes 8 s. Without what is judged; ``load`` gives the pool if it is not stored yet.
    """
    return keep_figures(
        pool.campaign,
        f"pool-{pool.version}",
        pool.inputs_hash,
        Composition,
        lambda: compose_pool(pool, load()),
    )


def compose_pool(pool: Pool, table: PoolTable, judged: Pairs = frozenset()) -> Composition:
    teams = [run["team"] for run in pool.spec["runs"]]
    return compute_composition(table, teams, pool.spec["topics"], judged=judged)


def count_judged_by_topic(pool: Pool) -> dict[str, int]:
    """By topic number, the documents of the pool that have a grade."""
    graded = pool.campaign.judgments.filter(purpose="judge", kind="grade").order_by()
    # From the judgments: at first there are few, and they come by topic as documents do.
    pooled = pool.items.filter(topic=OuterRef("topic"), docno=OuterRef("docno"))
    rows = graded.filter(Exists(pooled)).values_list("topic__number")
    return dict(rows.annotate(n=Count("docno", distinct=True)))


def judged_pair_set(campaign: Campaign) -> set[tuple[str, str]]:
    """(topic, docno) of every graded pair."""
    log = read_judgment_log(campaign)
    numbers = dict(campaign.topics.values_list("pk", "number"))
    return set(log.name_pairs(log.list_pairs(log.select_rows("judge", "grade")), numbers))


def judged_campaigns(user: User, campaign: Campaign) -> QuerySet[Campaign]:
    """Campaigns on which ``user`` can simulate a spec, newest first: those with a qrels version;
    ``campaign`` also with judgments only.
    """
    own = campaign.pk if campaign.judgments.exists() else None
    campaigns = Campaign.objects.organized_by(user).filter(Q(pk=own) | Q(qrels__isnull=False))
    return campaigns.distinct().order_by("-created_at", "-pk")


def count_pooled_by_topic(campaign: Campaign, table: PoolTable) -> dict[str, int]:
    """By topic number, the documents of ``table`` that are in any pool of the campaign."""
    counts, items = dict[str, int](), PoolItem.objects.filter(pool__campaign=campaign).order_by()
    keys = dict(campaign.topics.values_list("number", "pk")) if items.exists() else {}
    for at, number in enumerate(table.topics):
        if number in keys:
            pooled = set(items.filter(topic=keys[number]).values_list("docno", flat=True))
            counts[number] = sum(map(pooled.__contains__, table.docnos[table.rows(at)]))
    return counts


def measured_pace(campaign: Campaign) -> float | None:
    """Median active seconds per judgment; None with fewer than 20 timed judgments."""
    timed = campaign.judgments.filter(purpose="judge", active_seconds__gt=0, grade__isnull=False)
    seconds = [row.active_seconds or 0.0 for row in timed.order_by("-pk")[:1000]]
    return median(seconds) if len(seconds) >= ENOUGH_FOR_A_PACE else None


def requested_qrels_version(query: Mapping[str, str]) -> int | None:
    """The qrels version in ``?qrels=``; 0, which does not exist, for an invalid number."""
    version = query.get("qrels")
    if version is None:
        return None
    return int(version) if version.isdecimal() and len(version) < 9 else 0
