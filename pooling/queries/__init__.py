"""Read access: runs that can be pooled, frozen pools and their composition."""

from __future__ import annotations

from pooling.queries.adaptive_pools import (
    TopicGrowth,
    first_relevance,
    future_documents,
    list_growth,
)
from pooling.queries.composition import Composition, compute_composition
from pooling.queries.pools import (
    PoolRow,
    get_pool_composition,
    judged_campaigns,
    list_pool_rows,
    list_visible_pools,
    load_pool_table,
    measured_pace,
    requested_qrels_version,
)
from pooling.queries.runs import choose_runs, find_unknown_names, list_poolable_runs

__all__ = [
    "Composition",
    "PoolRow",
    "TopicGrowth",
    "choose_runs",
    "compute_composition",
    "find_unknown_names",
    "first_relevance",
    "future_documents",
    "get_pool_composition",
    "judged_campaigns",
    "list_growth",
    "list_pool_rows",
    "list_poolable_runs",
    "list_visible_pools",
    "load_pool_table",
    "measured_pace",
    "requested_qrels_version",
]
