"""Reading: runs that can be pooled, frozen pools, and what they are made of."""

from __future__ import annotations

from pooling.queries.composition import Composition, composition
from pooling.queries.growing import Growth, first_grades, growth_of, to_come
from pooling.queries.pools import (
    PoolRow,
    composition_of,
    judged_campaigns,
    measured_pace,
    pool_rows,
    pool_table,
    qrels_asked,
    visible_pools,
)
from pooling.queries.runs import choose, poolable_runs, unknown_names

__all__ = [
    "Composition",
    "Growth",
    "PoolRow",
    "choose",
    "composition",
    "composition_of",
    "first_grades",
    "growth_of",
    "judged_campaigns",
    "measured_pace",
    "pool_rows",
    "pool_table",
    "poolable_runs",
    "qrels_asked",
    "to_come",
    "unknown_names",
    "visible_pools",
]
