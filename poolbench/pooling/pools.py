"""Pools from runs: by depth, by a method with its parameters, or by a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from poolbench.files.name_lists import choose_named
from poolbench.files.streams import read_bytes
from poolbench.pooling.pool_builder import PoolBudget, build_pool_table, simulate_sessions
from poolbench.pooling.registry import ALIASES, METHODS
from poolbench.pooling.spec import PoolSpec, depth_spec, sessions_by_spec
from poolbench.pooling.spec_file import read_spec as parse_spec
from poolbench.pooling.tables import PoolTable
from poolbench.runs.inputs import (
    File,
    QrelsSource,
    RunsLike,
    read_qrels_table,
    read_runs,
    source_name,
)
from poolbench.runs.tables import QrelsTable

SpecLike: TypeAlias = "PoolSpec | int | File | Mapping[str, Any]"


def read_spec(source: SpecLike) -> PoolSpec:
    """Read a pool spec.

    Parameters
    ----------
    source : int, str, path, bytes or dict
        A pool depth, the name of a method, or a spec: a YAML or JSON file, its bytes, or its
        content.

    Returns
    -------
    PoolSpec

    Raises
    ------
    InvalidFile
        With every fault of the spec.
    ValueError
        For an unknown method, with the closest names.

    Examples
    --------
    >>> import poolbench as pb
    >>> pb.read_spec(10).cutoff
    10
    >>> pb.read_spec({"version": 1, "steps": [{"method": "depth", "k": 5}]}).is_adaptive
    False
    """
    if isinstance(source, PoolSpec):
        return source
    if isinstance(source, int):
        if source < 1:
            raise ValueError(f"the pool depth must be at least 1, not {source}")
        return depth_spec(source)
    if isinstance(source, Mapping):
        return parse_spec(dict(source))
    if is_method_name(source):
        return read_spec(build_method_spec(source))
    return parse_spec(read_bytes(source), file=source_name(source) or "the spec")


def is_method_name(source: File) -> TypeGuard[str]:
    """Whether a text is not the path of a file."""
    return isinstance(source, str) and not Path(source).suffix and not Path(source).exists()


def build_method_spec(name: str, **parameters: Any) -> dict[str, Any]:
    """A spec of one step; raises ``ValueError`` for an unknown method."""
    choose_named({**METHODS, **ALIASES}, name, "method")
    return {"version": 1, "steps": [{"method": name, **parameters}]}


def pool(
    runs: RunsLike,
    spec: SpecLike | None = None,
    *,
    depth: int | None = None,
    method: str | None = None,
    qrels: QrelsSource | None = None,
    level: int = 1,
    per_topic: int | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> PoolTable:
    """Build a pool.

    Parameters
    ----------
    runs
        See ``read_runs``.
    spec, depth, method
        One of the three: a spec as in ``read_spec``; the pool depth; or the name of a method, with
        its ``parameters``.
    qrels : optional
        Judges each document at once (see ``read_qrels``): what adaptive methods need.
    level : int
        The lowest relevant grade of ``qrels``.
    per_topic : int, optional
        At most so many documents per topic.
    seed : int, optional
        Instead of that of the spec.

    Returns
    -------
    PoolTable
        ``to_frame()`` has a row per document with its best rank and its runs.

    Raises
    ------
    ValueError
        If the spec is adaptive and there are no qrels, or it names runs or a method that there are
        not.
    InvalidFile
        For wrong parameters.

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "a": 1.0}}}
    >>> pb.pool(runs, depth=1).to_frame()[["topic", "docno", "runs"]]
      topic docno  runs
    0     1     a  (x,)
    1     1     c  (y,)
    >>> pb.pool(runs, method="mtf", qrels={"1": {"c": 1}}, per_topic=2)
    <PoolTable: 2 documents for 1 topics from 2 runs>
    """
    if sum(each is not None for each in (spec, depth, method)) != 1:
        raise TypeError("pass one of a spec, a depth and a method")
    if parameters and method is None:
        raise TypeError(f"{next(iter(parameters))} is a parameter of a method; pass method=")
    if method is not None:
        spec = build_method_spec(method, **parameters)
    chosen = read_spec(spec if depth is None else depth)  # type: ignore[arg-type]
    tables = read_runs(runs)
    if missing := chosen.runs.list_unknown({table.tag for table in tables}, ()):
        raise ValueError(f"not among the runs: {', '.join(missing)}")
    if chosen.is_adaptive and qrels is None:
        raise ValueError("an adaptive pool needs judgments: pass qrels, or use simulate")
    if per_topic is not None:
        chosen = replace(chosen, budget=PoolBudget(per_topic=per_topic))
    if seed is not None:
        chosen = replace(chosen, seed=seed)
    tags = chosen.runs.tags
    sessions = sessions_by_spec(chosen, [run for run in tables if not tags or run.tag in tags])
    if chosen.is_adaptive and qrels is not None:
        relevant = list_relevant_pairs(read_qrels_table(qrels), level)
        simulate_sessions(sessions, lambda topic, docno: (topic, docno) in relevant, chosen.budget)
    return build_pool_table(sessions)


def list_relevant_pairs(qrels: QrelsTable, level: int) -> frozenset[tuple[str, str]]:
    return frozenset(
        (topic, qrels.docnos[row])
        for at, topic in enumerate(qrels.topics)
        for row in range(int(qrels.starts[at]), int(qrels.starts[at + 1]))
        if qrels.grades[row] >= level
    )
