"""The four runs of the toy, the pool of the first two documents of three of them, judged."""

from typing import Any

from poolbench.evaluation.measures.names import parse_measures
from poolbench.reliability.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection,
)
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import QrelsTable
from tests.poolbench.pooling.toy import toy_runs

TEAMS = {"alpha": "north", "beta": "north", "gamma": "south", "delta": "east"}
POOLED = ("alpha", "beta", "gamma")
GRADES = {
    "1": {"a": 1, "b": 0, "c": 0, "d": 1}, "2": {"x": 0, "y": 0, "z": 1}, "3": {"k": 1, "l": 2},
}  # fmt: skip
"""What was judged: the pool, and d from elsewhere. Unjudged are e (gamma) and m (gamma)."""

(P_2,) = parse_measures(["P_2"])


def toy_qrels(leave_out: str = "") -> QrelsTable:
    rows = [(t, d, g) for t, docs in GRADES.items() for d, g in docs.items() if d not in leave_out]
    return qrels_from_rows(rows)


def toy_collection(leave_out: str = "", **given: Any) -> PooledCollection:
    """The toy; ``leave_out`` are letters that nobody judged."""
    source = {"teams": TEAMS, "pooled": POOLED, "depth": 2} | given
    return build_collection(toy_runs(), toy_qrels(leave_out), CollectionSource(**source))
