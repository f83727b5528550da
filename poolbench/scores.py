"""Scores of runs, comparison of runs, and the measures."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from campaigns.core.streams import read_bytes
from evaluation.core.comparison.compare import Comparisons, compare_all
from evaluation.core.comparison.scores import values_by_measure
from evaluation.core.evaluate import ScoredRun
from evaluation.core.evaluate import evaluate as score_run
from evaluation.core.inputs import File, QrelsLike, RunLike, source_name
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES
from evaluation.core.options import ScoringOptions
from evaluation.core.users.known_documents import Pairs, read_known_documents
from evaluation.core.users.measures import score_for_user
from poolbench.inputs import RunsLike, read_qrels, read_run, read_runs, read_table

if TYPE_CHECKING:
    from pandas import DataFrame

Measures = str | Measure | Iterable[str | Measure]


@dataclass(frozen=True)
class ScoredRuns:
    """Several runs scored against the same qrels."""

    runs: tuple[ScoredRun, ...]

    def __repr__(self) -> str:
        names = ", ".join(self.runs[0].names) if self.runs else "no measure"
        return f"<ScoredRuns: {len(self.runs)} runs, {names}>"

    def __getitem__(self, tag: str) -> ScoredRun:
        """The run with this tag."""
        return next(run for run in self.runs if run.tag == tag)

    def to_frame(self) -> DataFrame:
        """Runs × measures: the mean over topics (the sum for counts); NaN where undefined."""
        from pandas import DataFrame

        return DataFrame(
            [run.means for run in self.runs],
            index=[run.tag for run in self.runs],
            columns=list(self.runs[0].names) if self.runs else [],
            dtype="float64",
        )


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    measures: Measures = DEFAULT_NAMES,
    *,
    options: ScoringOptions | None = None,
    **settings: Any,
) -> ScoredRun:
    """Score a run against qrels.

    Parameters
    ----------
    run, qrels : path, bytes, dict, DataFrame or table
        See ``read_run`` and ``read_qrels``.
    measures : str or iterable of str
        Names of trec_eval or ir_measures, or of a set such as ``"official"``.
    options : ScoringOptions, optional
        How to score; or pass its fields as ``settings``: ``level=2``, ``judged_only=True``,
        ``max_per_topic=100``, ``topics="common"``, ``profile="trec_eval-9"``, …

    Returns
    -------
    ScoredRun
        ``mean(name)``, ``by_topic(name)``, ``to_frame()`` (topics × measures), ``conditions``.

    Raises
    ------
    UnknownMeasureError, InvalidFile, NoCommonTopicError, ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> scores = pb.evaluate({"1": {"b": 3.0, "a": 2.0}}, qrels, ["AP", "P@2"])
    >>> scores.mean("AP"), scores.mean("P_2")
    (0.25, 0.5)
    """
    return score_run(read_run(run), read_qrels(qrels), measures, build_options(options, settings))


def evaluate_runs(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Measures = DEFAULT_NAMES,
    *,
    options: ScoringOptions | None = None,
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
    >>> pb.evaluate_runs(runs, {"1": {"a": 1}}, ["AP"]).to_frame()
       map
    x  1.0
    y  0.5
    """
    judged, scoring = read_qrels(qrels), build_options(options, settings)
    listed = measures if isinstance(measures, str | Measure) else tuple(measures)
    return ScoredRuns(tuple(score_run(run, judged, listed, scoring) for run in read_runs(runs)))


def compare(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: str | Measure = "map",
    *,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
    options: ScoringOptions | None = None,
    **settings: Any,
) -> Comparisons:
    """Compare all pairs of runs by one measure.

    Parameters
    ----------
    runs, qrels
        See ``read_runs`` and ``read_qrels``.
    measure : str
        One measure with values by topic.
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
    Comparisons
        ``to_frame()`` has a row per pair: difference, effect size, p, adjusted p.

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
    scores = evaluate_runs(runs, qrels, measure, options=options, **settings).runs
    values = values_by_measure(scores)
    if len(scores) < 2 or len(values) != 1:
        raise ValueError("compare at least two runs by one measure that has values by topic")
    (by_topic,) = values.values()
    return compare_all(
        by_topic,
        [run.tag for run in scores],
        test=test,
        correction=correction,
        alpha=alpha,
        seed=seed,
        resamples=resamples,
    )


def user_measures(
    run: RunLike,
    qrels: QrelsLike,
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
    scoring = build_options(options, settings)
    return score_for_user(read_run(run), read_table(qrels), pairs, expected, scoring)


def measures(names: str | Iterable[str] = ()) -> tuple[Measure, ...]:
    """The measures with these names; without names one of each family.

    Parameters
    ----------
    names : str or iterable of str
        In any spelling; the name of a set means its measures.

    Returns
    -------
    tuple of Measure
        Each with ``name``, ``title`` and, in ``family.card``, formula, range and source.

    Examples
    --------
    >>> import poolbench as pb
    >>> [measure.title for measure in pb.measures("RR")]
    ['Reciprocal rank']
    """
    if isinstance(names, str):
        return parse_measures([names])
    return parse_measures(list(names)) or tuple(Measure(family) for family in FAMILIES.values())


def build_options(options: ScoringOptions | None, settings: dict[str, Any]) -> ScoringOptions:
    """The options, given whole or as ``settings``."""
    if options is not None and settings:
        raise TypeError("pass either options or single settings, not both")
    return options or ScoringOptions(**settings)
