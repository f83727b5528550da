"""Agreement of assessors, its effect on the ranking, and the reusability of a collection."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from campaigns.core.tables import QrelsTable
from evaluation.core.inputs import QrelsLike
from evaluation.core.measures.names import parse_measures
from evaluation.core.options import ScoringOptions
from judging.core.agreement.labels import labels_from_qrels
from judging.core.agreement.panel import agreement_report
from judging.core.agreement.report import AgreementReport
from judging.core.policies import DEFAULT_POLICY, get_policy
from poolbench.inputs import JudgmentsLike, RunsLike, read_qrels_by_assessor, read_runs, read_table
from reliability.core.collection.inputs import CollectionSource, build_collection
from reliability.core.collection.reduced_judgments import DRAWS
from reliability.core.collection.report import (
    MEASURES,
    ReusabilityReport,
    build_reusability_report,
    can_rank_by,
)
from reliability.core.disagreement.ballots import (
    build_ballots,
    build_ballots_from_qrels,
    qrels_to_grades,
)
from reliability.core.disagreement.panel import build_panel_from_tables
from reliability.core.disagreement.rankings import Treat
from reliability.core.disagreement.report import (
    DRAWS as BOOTSTRAP_DRAWS,
)
from reliability.core.disagreement.report import (
    SWAPS,
    DisagreementReport,
    build_disagreement_report,
    can_rank_runs,
)


def agreement(judgments: JudgmentsLike, *, level: int = 1, binary: bool = False) -> AgreementReport:
    """Compute the inter-assessor agreement.

    Parameters
    ----------
    judgments : dict by assessor, or DataFrame
        Qrels of each assessor (see ``read_qrels``), or a frame with columns for assessor, topic,
        docno and grade.
    level : int
        The lowest relevant grade.
    binary : bool
        First reduce grades to relevant and non-relevant.

    Returns
    -------
    AgreementReport
        ``to_frame()`` has a row per coefficient: over all assessors, and by pair of them.

    Raises
    ------
    ValueError
        With fewer than two assessors.

    Examples
    --------
    >>> import poolbench as pb
    >>> judgments = {"ada": {"1": {"a": 1, "b": 0}}, "ben": {"1": {"a": 1, "b": 1}}}
    >>> report = pb.agreement(judgments)
    >>> report.overall["percent"].value
    0.5
    """
    tables = read_qrels_by_assessor(judgments)
    if len(tables) < 2:
        raise ValueError("agreement needs the judgments of at least two assessors")
    return agreement_report(labels_from_qrels(tables), level, binary=binary)


def disagreement(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: str = "ndcg_cut_10",
    *,
    policy: str = DEFAULT_POLICY,
    reference: QrelsLike | None = None,
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
    against = None if reference is None else qrels_to_grades(read_table(reference))
    ballots = build_ballots(
        build_ballots_from_qrels(read_qrels_by_assessor(judgments)), get_policy(policy), against
    )
    panel = build_panel_from_tables(read_runs(runs), ballots, ranked, ScoringOptions(level=level))
    return build_disagreement_report(panel, treat=treat, draws=draws, swaps=swaps, seed=seed)


def report(
    runs: RunsLike,
    qrels: QrelsLike,
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
    ranked = parse_measures([measures] if isinstance(measures, str) else measures)
    if unranked := [measure.name for measure in ranked if not can_rank_by(measure)]:
        raise ValueError(f"measures that do not rank runs: {', '.join(unranked)}")
    table: QrelsTable = read_table(qrels)
    source = CollectionSource(level, teams, pooled, depth)
    collection = build_collection(read_runs(runs), table, source)
    return build_reusability_report(collection, ranked, seed=seed, draws=draws, target=target)
