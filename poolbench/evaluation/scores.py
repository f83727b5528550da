"""Score, bound and compare several runs; precision–recall curves; the measures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, cast

from poolbench.evaluation.bounds import compute_table_bounds
from poolbench.evaluation.bounds_formats import RunBounds
from poolbench.evaluation.comparison.compare import Comparisons, compare_all
from poolbench.evaluation.comparison.scores import values_by_measure
from poolbench.evaluation.curves import average_curves, interpolate_precision
from poolbench.evaluation.evaluate import (
    Measures,
    ScoredRun,
    choose_options,
    score_residual_run,
    score_run_table,
    select_measures,
)
from poolbench.evaluation.inputs import QrelsLike, read_sources
from poolbench.evaluation.matching import batch_from_table, check_common_topic
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, FAMILIES
from poolbench.evaluation.name_files import Pairs, read_known_documents
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.results import (
    MeasureComparisons,
    MeasureList,
    RecallCurves,
    ScoreBounds,
    ScoredRuns,
)
from poolbench.evaluation.users.measures import score_for_user
from poolbench.files.streams import read_bytes
from poolbench.runs.inputs import (
    File,
    QrelsSource,
    RunLike,
    RunsLike,
    read_qrels_table,
    read_run,
    source_name,
)
from poolbench.runs.tables import RunTable


def evaluate_runs(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Measures = DEFAULT_NAMES,
    *,
    options: ScoringOptions | None = None,
    remove: QrelsSource | None = None,
    **settings: Any,
) -> ScoredRuns:
    """Score several runs against the same qrels.

    Parameters
    ----------
    runs : dict by run tag, or iterable
        See ``read_runs``. The other parameters are those of ``evaluate``.

    Returns
    -------
    ScoredRuns
        ``to_frame()`` is runs × measures.

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
    >>> pb.evaluate_runs(runs, {"1": {"a": 1}}, ["P@1", "AP"]).to_frame()
       P@1   AP
    x  1.0  1.0
    y  0.0  0.5
    """
    tables, judged = read_sources(runs, qrels)
    scoring, listed = choose_options(options, settings), list_measures(measures)
    if remove is None:
        return ScoredRuns(tuple(score_run_table(run, judged, listed, scoring) for run in tables))
    before = read_qrels_table(remove)
    scored = (score_residual_run(run, judged, before, listed, scoring) for run in tables)
    return ScoredRuns(tuple(scored))


def list_measures(measures: Measures) -> tuple[str | Measure, ...]:
    """One or many measures, which can be read several times."""
    return (measures,) if isinstance(measures, str | Measure) else tuple(measures)


def bounds(
    runs: RunLike | RunsLike,
    qrels: QrelsLike,
    measures: Measures = DEFAULT_NAMES,
    *,
    options: ScoringOptions | None = None,
    **settings: Any,
) -> ScoreBounds:
    """The lowest and the highest score that each run can have once all its documents are judged.

    Parameters
    ----------
    runs
        One run as in ``read_run``, or several as in ``read_runs``. The other parameters are those
        of ``evaluate``.

    Returns
    -------
    ScoreBounds
        ``to_frame()`` has a row per run and measure: value, low, high.

    Examples
    --------
    >>> import poolbench as pb
    >>> table = pb.bounds({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1}}, ["P@2", "AP"]).to_frame()
    >>> table[["measure", "value", "low", "high"]]
      measure  value  low  high
    0     P@2    0.5  0.5   1.0
    1      AP    1.0  1.0   1.0
    """
    tables, judged = read_sources(list_runs(runs), qrels)
    scoring, listed = choose_options(options, settings), list_measures(measures)
    bounded = []
    for table in tables:
        scores = score_run_table(table, judged, listed, scoring)
        ends = compute_table_bounds(table, judged, scores.measures, scoring)
        bounded.append(RunBounds(scores, ends))
    return ScoreBounds(tuple(bounded))


def list_runs(runs: RunLike | RunsLike) -> RunsLike:
    """Several runs, or a list of the one: a dict of several is by tag, then topic."""
    if isinstance(runs, Mapping):
        inner = (value for value in runs.values() if isinstance(value, Mapping))
        is_one = not any(isinstance(each, Mapping) for value in inner for each in value.values())
    else:
        is_one = isinstance(runs, str | bytes | os.PathLike | RunTable) or hasattr(runs, "columns")
    return cast("RunsLike", [runs] if is_one else runs)


def precision_recall(
    runs: RunLike | RunsLike,
    qrels: QrelsLike,
    *,
    options: ScoringOptions | None = None,
    **settings: Any,
) -> RecallCurves:
    """Precision–recall curves: interpolated precision at 0, 0.1 … 1, mean over topics.

    Parameters
    ----------
    runs, qrels, options, **settings
        As in ``bounds``.

    Returns
    -------
    RecallCurves
        ``to_frame()`` is levels × runs, ``chart()`` a line per run.

    Examples
    --------
    >>> import poolbench as pb
    >>> curves = pb.precision_recall({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}})
    >>> float(curves.to_frame().loc[1.0, "run"])
    0.5
    """
    tables, judged = read_sources(list_runs(runs), qrels)
    scoring = choose_options(options, settings)
    curves = {}
    for table in tables:
        check_common_topic(table, judged)
        points = average_curves(interpolate_precision(batch_from_table(table, judged, scoring)))
        curves[table.tag] = tuple(point or 0.0 for point in points)
    return RecallCurves(curves)


def compare(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Measures = "map",
    *,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
    options: ScoringOptions | None = None,
    **settings: Any,
) -> Comparisons | MeasureComparisons:
    """Compare all pairs of runs by one measure or several.

    Parameters
    ----------
    runs, qrels
        See ``read_runs`` and ``read_qrels``.
    measures : str or iterable of str
        With values by topic.
    test : str
        ``"t"``, ``"wilcoxon"``, ``"sign"``, ``"randomisation"``, ``"tukey-hsd"``, …
    correction : str, optional
        Default: Holm's; none for Tukey's HSD.
    alpha : float
        Significance level.
    seed, resamples : int
        Of resampling tests.
    options, **settings
        As in ``evaluate``.

    Returns
    -------
    Comparisons, or MeasureComparisons for a list of measures
        ``to_frame()`` has a row per pair: difference, effect size, p, adjusted p;
        ``result[name]`` of several measures is that by one.

    Raises
    ------
    UnknownTestError, UnknownMeasureError, ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0}, "2": {"a": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}
    >>> result = pb.compare(runs, {"1": {"a": 1}, "2": {"a": 1}})
    >>> result
    <Comparisons of 2 runs by t, holm: 0 of 1 pairs differ>
    >>> result.to_frame()[["first", "second", "difference"]]
      first second  difference
    0     x      y         0.5
    """
    scores = evaluate_runs(runs, qrels, measures, options=options, **settings).runs
    if len(scores) < 2:
        raise ValueError(f"compare at least two runs, not {len(scores)}")
    spelled = dict(zip(scores[0].names, scores[0].columns, strict=True))
    values = values_by_measure(scores)
    if without := [spelled[name] for name in spelled if name not in values]:
        raise ValueError(f"measures without values by topic: {', '.join(without)}")
    tags = [run.tag for run in scores]
    tested = {
        spelled[name]: compare_all(
            by_topic,
            tags,
            test=test,
            correction=correction,
            alpha=alpha,
            seed=seed,
            resamples=resamples,
        )
        for name, by_topic in values.items()
    }
    if isinstance(measures, str | Measure) and len(tested) == 1:
        return next(iter(tested.values()))
    return MeasureComparisons(tested)


def user_measures(
    run: RunLike,
    qrels: QrelsSource,
    known_documents: File | Iterable[tuple[str, str]],
    *,
    expected: int | None = None,
    options: ScoringOptions | None = None,
    **settings: Any,
) -> ScoredRun:
    """Score a run for a user who knows some documents: coverage, novelty, recall and its effort.

    Parameters
    ----------
    run, qrels
        As in ``evaluate``.
    known_documents : path, bytes, or pairs
        The ``(topic, docno)`` that the user knows, or a file of them.
    expected : int, optional
        Relevant documents per topic that the user expects; default: the known relevant ones.

    Returns
    -------
    ScoredRun

    Examples
    --------
    >>> import poolbench as pb
    >>> qrels = {"1": {"a": 1, "b": 1}}
    >>> pb.user_measures({"1": {"a": 2.0, "b": 1.0}}, qrels, [("1", "a")]).mean("novelty")
    0.5
    """
    pairs: Pairs = (
        read_known_documents(read_bytes(known_documents), file=source_name(known_documents))
        if isinstance(known_documents, str | bytes | os.PathLike)
        else frozenset(known_documents)
    )
    scoring = choose_options(options, settings)
    return score_for_user(read_run(run), read_qrels_table(qrels), pairs, expected, scoring)


def measures(names: str | Iterable[str] = ()) -> MeasureList:
    """The measures with these names; without names one of each family.

    Parameters
    ----------
    names : str or iterable of str
        In any spelling; the name of a set means its measures.

    Returns
    -------
    tuple of Measure
        In a notebook as a table; each with ``name``, ``title`` and, in ``family.card``, formula,
        range and source.

    Examples
    --------
    >>> import poolbench as pb
    >>> [measure.title for measure in pb.measures("RR")]
    ['Reciprocal rank']
    """
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        return MeasureList(Measure(family) for family in FAMILIES.values())
    return MeasureList(select_measures(listed))
