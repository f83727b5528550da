"""Sort a run in trec_eval's order: score descending, then docno descending by code point."""

from __future__ import annotations

from campaigns.core.grouping import TopicGroups
from campaigns.core.tables import RunTable
from common.reading.reader import DocnoArray, Floats, rank_rows


def sort_in_trec_order(
    tag: str, grouped: TopicGroups, docnos: DocnoArray, scores: Floats
) -> RunTable:
    """The table of rows given in file order. Topics already in order are not sorted again."""
    by_topic = None if grouped.is_sorted else grouped.order()
    order, ordered = rank_rows(grouped.starts, scores, docnos, by_topic)
    docnos = docnos if order is None else docnos.take(order)
    return RunTable(tag, grouped.topics, grouped.starts, docnos, ordered)
