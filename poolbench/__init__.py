"""Poolbench as a library: pool, judge, score and compare runs without a server.

    import poolbench as pb

    scores = pb.evaluate("runs/mine.gz", "qrels.txt", ["AP", "nDCG@10"])
    scores.to_frame()

Runs and qrels are files (plain, gzip or Parquet), bytes, dicts or pandas frames. Results are
frozen, and ``to_frame()`` gives their main table. A function is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poolbench.clicks import bradley_terry, interleave, preferences, score_preferences
    from poolbench.crowd import aggregate
    from poolbench.inputs import read_qrels, read_run, read_runs, read_spec
    from poolbench.pools import pool, simulate
    from poolbench.reports import agreement, disagreement, report
    from poolbench.scores import compare, evaluate, evaluate_runs, measures, user_measures

_MODULES = {
    "aggregate": "crowd",
    "agreement": "reports",
    "bradley_terry": "clicks",
    "compare": "scores",
    "disagreement": "reports",
    "evaluate": "scores",
    "evaluate_runs": "scores",
    "interleave": "clicks",
    "measures": "scores",
    "pool": "pools",
    "preferences": "clicks",
    "read_qrels": "inputs",
    "read_run": "inputs",
    "read_runs": "inputs",
    "read_spec": "inputs",
    "report": "reports",
    "score_preferences": "clicks",
    "simulate": "pools",
    "user_measures": "scores",
}

__all__ = [
    "aggregate",
    "agreement",
    "bradley_terry",
    "compare",
    "disagreement",
    "evaluate",
    "evaluate_runs",
    "interleave",
    "measures",
    "pool",
    "preferences",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_spec",
    "report",
    "score_preferences",
    "simulate",
    "user_measures",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'poolbench' has no attribute {name!r}")
    function = getattr(import_module(f"poolbench.{_MODULES[name]}"), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
