"""Studies of a finished campaign: disagreement of assessors, reusability, simulated pools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.judging.judgments import JudgmentsLike, read_qrels_by_assessor
from poolbench.judging.policies import DEFAULT_POLICY, get_policy
from poolbench.pooling.pools import SpecLike, read_spec
from poolbench.reliability.collection.inputs import CollectionSource, build_collection
from poolbench.reliability.collection.reduced_judgments import DRAWS
from poolbench.reliability.collection.report import (
    MEASURES,
    ReusabilityReport,
    build_reusability_report,
    can_rank_by,
)
from poolbench.reliability.disagreement.ballots import build_ballots, build_ballots_from_qrels
from poolbench.reliability.disagreement.panel import build_panel_from_tables
from poolbench.reliability.disagreement.rankings import Treat
from poolbench.reliability.disagreement.report import DRAWS as BOOTSTRAP_DRAWS
from poolbench.reliability.disagreement.report import (
    SWAPS,
    DisagreementReport,
    build_disagreement_report,
    can_rank_runs,
    parse_ranking_measures,
)
from poolbench.reliability.simulation.finished_campaign import FinishedCampaign
from poolbench.reliability.simulation.report import MEASURES as RANKING_MEASURES
from poolbench.reliability.simulation.report import SEEDS, Simulation
from poolbench.reliability.simulation.simulator import simulate_specs
from poolbench.runs.inputs import QrelsSource, RunsLike, read_qrels_table, read_runs


def disagreement(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: str = "ndcg_cut_10",
    *,
    policy: str = DEFAULT_POLICY,
    reference: QrelsSource | None = None,
    treat: Treat = "filled",
    draws: int = BOOTSTRAP_DRAWS,
    swaps: int = SWAPS,
    seed: int = 0,
    level: int = 1,
) -> DisagreementReport:
    """Show how assessor disagreement affects the run ranking.

    Parameters
    ----------
    runs
        See ``read_runs``.
    judgments
        As in ``agreement``.
    measure : str
        To rank the runs by.
    policy : str
        How several judgments become one grade.
    reference : qrels, optional
        Compare with these instead of the policy's.
    treat : {"filled", "own"}
        Pairs that an assessor did not judge: graded by the policy, or not at all.
    draws, swaps, seed : int
        Of the bootstrap over assessors, and of random assessors per topic.
    level : int
        The lowest relevant grade.

    Returns
    -------
    DisagreementReport
        ``to_frame()`` has the score of each run by the qrels of each assessor.

    Raises
    ------
    ValueError
        For a measure that does not rank runs.

    Examples
    --------
    >>> import poolbench as pb
    >>> judgments = {"ada": {"1": {"a": 1, "b": 0}}, "ben": {"1": {"a": 0, "b": 1}}}
    >>> runs = {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 2.0}}}
    >>> pb.disagreement(runs, judgments, "AP", draws=100, swaps=100).to_frame()[["ada", "ben"]]
       ada  ben
    x  1.0  0.0
    y  0.0  1.0
    """
    (ranked,) = parse_measures([measure])[:1]
    if not can_rank_runs(ranked):
        raise ValueError(f"{measure} does not rank runs")
    against = None if reference is None else read_qrels_table(reference).by_pair()
    ballots = build_ballots(
        build_ballots_from_qrels(read_qrels_by_assessor(judgments)), get_policy(policy), against
    )
    panel = build_panel_from_tables(read_runs(runs), ballots, ranked, ScoringOptions(level=level))
    return build_disagreement_report(panel, treat=treat, draws=draws, swaps=swaps, seed=seed)


def report(
    runs: RunsLike,
    qrels: QrelsSource,
    measures: str | Sequence[str] = MEASURES,
    *,
    teams: Mapping[str, str] | None = None,
    pooled: Collection[str] | None = None,
    depth: int | None = None,
    target: int | None = None,
    level: int = 1,
    draws: int = DRAWS,
    seed: int = 0,
) -> ReusabilityReport:
    """Report the reusability and reliability of a test collection.

    Parameters
    ----------
    runs, qrels
        See ``read_runs`` and ``read_qrels``.
    measures : list of str
        For which higher is better.
    teams : dict, optional
        Team by run tag; default: each run its own team.
    pooled : collection of str, optional
        The tags of the contributing runs; default: all.
    depth : int, optional
        The pool depth; default: inferred from the judgments.
    target : int, optional
        Extrapolate to this depth; default: twice the pool depth.
    level : int
        The lowest relevant grade.
    draws, seed : int
        Of reduced judgments.

    Returns
    -------
    ReusabilityReport
        ``to_frame()`` has what leaving out each run and team changes; fields for the rest.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> pb.report(runs, qrels, "map", depth=2, draws=5)
    <ReusabilityReport: 2 runs, 1 topics, 3 judged documents, pool depth 2>
    """
    named = [measures] if isinstance(measures, str) else measures
    ranked = parse_ranking_measures(named, can_rank_by)
    table = read_qrels_table(qrels)
    source = CollectionSource(level, teams, pooled, depth)
    collection = build_collection(read_runs(runs), table, source)
    return build_reusability_report(collection, ranked, seed=seed, draws=draws, target=target)


def simulate(
    runs: RunsLike,
    qrels: QrelsSource,
    specs: Mapping[str, SpecLike] | Sequence[int],
    measures: str | Sequence[str] = RANKING_MEASURES,
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
    named = (
        {name: read_spec(spec) for name, spec in specs.items()}
        if isinstance(specs, Mapping)
        else {f"depth {depth}": read_spec(depth) for depth in specs}
    )
    finished = FinishedCampaign.from_tables(read_runs(runs), read_qrels_table(qrels), pooled, level)
    ranked = parse_ranking_measures([measures] if isinstance(measures, str) else measures)
    return simulate_specs(finished, named, ranked, seeds=seeds, budgets=budgets)
