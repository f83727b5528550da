"""Pools: built from runs, and simulated on a finished campaign."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from evaluation.core.inputs import QrelsLike
from poolbench.inputs import RunsLike, SpecLike, read_runs, read_spec, read_table
from pooling.core.spec import PoolSpec, pool_by_spec
from pooling.core.tables import PoolTable
from reliability.core.simulation.finished_campaign import FinishedCampaign
from reliability.core.simulation.report import MEASURES, SEEDS, Simulation
from reliability.core.simulation.simulator import parse_ranking_measures, simulate_specs


def pool(runs: RunsLike, spec: SpecLike, *, seed: int | None = None) -> PoolTable:
    """Build a pool.

    Parameters
    ----------
    runs
        See ``read_runs``.
    spec : int, path, bytes or dict
        The pool depth, or a spec without adaptive steps; see ``read_spec``.
    seed : int, optional
        Instead of that of the spec.

    Returns
    -------
    PoolTable
        ``to_frame()`` has a row per document with its best rank and its runs.

    Raises
    ------
    ValueError
        If the spec is adaptive, or names runs that there are not.

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "a": 1.0}}}
    >>> pb.pool(runs, 1).to_frame()[["topic", "docno", "runs"]]
      topic docno  runs
    0     1     a  (x,)
    1     1     c  (y,)
    """
    tables, chosen = read_runs(runs), read_spec(spec)
    if chosen.is_adaptive:
        raise ValueError("an adaptive spec needs judgments; use simulate with finished qrels")
    if missing := chosen.runs.list_unknown({table.tag for table in tables}, ()):
        raise ValueError(f"not among the runs: {', '.join(missing)}")
    if seed is not None:
        chosen = replace(chosen, seed=seed)
    tags = chosen.runs.tags
    return pool_by_spec(chosen, [table for table in tables if not tags or table.tag in tags])


def simulate(
    runs: RunsLike,
    qrels: QrelsLike,
    specs: Mapping[str, SpecLike] | Sequence[int],
    measures: str | Sequence[str] = MEASURES,
    *,
    budgets: Sequence[int] = (),
    seeds: int = SEEDS,
    pooled: Collection[str] | None = None,
    level: int = 1,
) -> Simulation:
    """Replay pool specs on a finished campaign: relevant documents found, and judging cost.

    Parameters
    ----------
    runs, qrels
        Of the finished campaign.
    specs : dict by name, or list of depths
        See ``read_spec``; adaptive specs too.
    measures : list of str
        To rank the runs by.
    budgets : list of int, optional
        Total judgments; default: shares of the judgments of the deepest spec.
    seeds : int
        Repetitions of each spec.
    pooled : collection of str, optional
        The tags of the contributing runs; default: all.
    level : int
        The lowest relevant grade.

    Returns
    -------
    Simulation
        ``to_frame()`` has a row per spec, budget and measure.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "a": 1.0}}}
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> result = pb.simulate(runs, qrels, [1, 2], "map", budgets=[2], seeds=1)
    >>> result.to_frame()[["spec", "budget", "relevant"]]
          spec  budget  relevant
    0  depth 1       2       2.0
    1  depth 2       2       2.0
    """
    named: dict[str, PoolSpec] = (
        {name: read_spec(spec) for name, spec in specs.items()}
        if isinstance(specs, Mapping)
        else {f"depth {depth}": read_spec(depth) for depth in specs}
    )
    finished = FinishedCampaign.from_tables(read_runs(runs), read_table(qrels), pooled, level)
    ranked = parse_ranking_measures([measures] if isinstance(measures, str) else measures)
    return simulate_specs(finished, named, ranked, seeds=seeds, budgets=budgets)
