"""Score a run against qrels: values by topic, means and provenance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from poolbench import __version__
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.inputs import QrelsLike, read_sources
from poolbench.evaluation.judgments import Floats, JudgmentTable, Mask, hash_qrels, remove_judgments
from poolbench.evaluation.matching import (
    MatchedRun,
    batch_from_match,
    check_common_topic,
    match_tables,
)
from poolbench.evaluation.means import MEANS, arithmetic_mean, geometric_mean, sum_over_topics
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.judged_at_k import judged_at_k as judged_share
from poolbench.evaluation.measures.names import parse_measure, parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, SETS
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.scale import find_highest_grade
from poolbench.evaluation.stated_scale import (
    find_used_grade,
    is_denoted_by,
    list_scale_remarks,
    state_highest_grade,
)
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.runs.inputs import QrelsSource, RunLike, read_qrels_table
from poolbench.runs.residual import remove_judged
from poolbench.runs.tables import QrelsTable, RunTable
from poolbench.statistics.estimate import nan_to_none

if TYPE_CHECKING:
    from poolbench.charts.chart import Chart

Measures: TypeAlias = str | Measure | Iterable[str | Measure]
NO_TOPIC = "no topics to average over"
TRUST_DEPTH = 10
"""The k of the judged@k that is part of every provenance."""
TIED = "scores tie as 32-bit numbers; published figures of trec_eval 9 need --profile trec_eval-9."


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRun(ResultTable):
    """The scores of one run. ``values`` is topics × measures, NaN where undefined.

    ``overall`` has the mean over topics of each measure, or the sum for counts; None where
    undefined, with the reason in ``reasons``, which also lists topics left out of a mean.
    ``conditions`` is the provenance. ``answered`` marks the topics for which the run retrieved
    documents. ``texts`` has the values by topic of measures of text, by name. ``spellings``
    are the measures as requested; empty: as printed.
    """

    tag: str
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    overall: tuple[float | None, ...]
    reasons: dict[str, str]
    conditions: dict[str, Any]
    answered: Mask
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spellings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ScoredRun {self.tag}: {len(self.topics)} topics, {', '.join(self.columns)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The measures as printed."""
        return tuple(measure.name for measure in self.measures)

    @property
    def columns(self) -> tuple[str, ...]:
        """The measures as requested."""
        return self.spellings or self.names

    @property
    def means(self) -> dict[str, float | None]:
        """``overall`` by measure, in the order and the spelling of the request."""
        return dict(zip(self.columns, self.overall, strict=True))

    def mean(self, name: str) -> float | None:
        """The mean of the measure ``name`` (in any spelling); ``ValueError`` if it was not
        scored."""
        return self.overall[self._place(name)]

    def to_frame(self) -> Frame:
        """Topics × measures, as requested, as a pandas frame; NaN where undefined."""
        return make_frame(self.values, index=list(self.topics), columns=list(self.columns))

    def chart(self, measure: str = "") -> Chart:
        """A bar per topic, by ``measure`` (default: the first)."""
        from poolbench.evaluation.charts.scores import build_run_bars

        return build_run_bars(self, measure)

    def by_topic(self, name: str) -> dict[str, float | None]:
        """Value by topic of the measure ``name``, as in ``mean``; None where undefined."""
        column = self.values[:, self._place(name)]
        return dict(zip(self.topics, map(nan_to_none, column.tolist()), strict=True))

    def find_measure(self, name: str) -> Measure:
        """The scored measure ``name``, in any spelling."""
        return self.measures[self._place(name)]

    def _place(self, name: str) -> int:
        if name in self.names:
            return self.names.index(name)
        meant = parse_measure(name)
        if len(meant) > 1:
            listed = ", ".join(measure.name for measure in meant)
            raise ValueError(f"{name} denotes several measures: {listed}. Choose one.")
        matches = [at for at, one in enumerate(self.measures) if is_denoted_by(one, meant[0])]
        if len(matches) > 1:
            listed = ", ".join(self.names[at] for at in matches)
            raise ValueError(f"{name} denotes several of the scores: {listed}. Choose one.")
        if not matches:
            raise ValueError(f"{name} was not scored. Scored measures: {', '.join(self.columns)}.")
        return matches[0]


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    measures: Measures = DEFAULT_NAMES,
    options: ScoringOptions | None = None,
    *,
    remove: QrelsSource | None = None,
    **settings: Any,
) -> ScoredRun:
    """Score a run against qrels.

    Parameters
    ----------
    run, qrels : path, bytes, dict, DataFrame or table
        See ``read_run`` and ``read_qrels``; ``read_qrels`` once for many runs is quicker.
    measures : str or iterable of str
        Names of trec_eval or ir_measures, or of a set such as ``"official"``.
    options : ScoringOptions, optional
        How to score; or pass its fields as ``settings``: ``level=2``, ``judged_only=True``,
        ``max_per_topic=100``, ``topics="common"``, ``profile="trec_eval-9"``, …
    remove : path, bytes, dict, DataFrame or table, optional
        Qrels of earlier rounds, for residual evaluation: what they have judged leaves the run and
        ``qrels``; ``conditions`` counts it.

    Returns
    -------
    ScoredRun
        ``means``, ``mean(name)``, ``by_topic(name)``, ``to_frame()`` (topics × measures),
        ``conditions``. Measures that read the highest grade of the scale state it in their printed
        names (``err_20(max_rel=3)``); ``conditions["remarks"]`` says where it is only assumed.

    Raises
    ------
    UnknownMeasureError, InvalidFile, NoCommonTopicError, ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> scores = pb.evaluate({"1": {"b": 3.0, "a": 2.0}}, qrels, ["P@2", "AP"])
    >>> scores.means
    {'P@2': 0.5, 'AP': 0.25}
    >>> scores.mean("map")
    0.25
    """
    (table,), judged = read_sources([run], qrels)
    scoring = choose_options(options, settings)
    if remove is None:
        return score_run_table(table, judged, measures, scoring)
    before = read_qrels_table(remove)
    return score_residual_run(table, judged, before, measures, scoring)


def score_residual_run(
    table: RunTable,
    judged: JudgmentTable,
    before: QrelsTable,
    measures: Measures,
    options: ScoringOptions,
) -> ScoredRun:
    """``score_run_table`` of what ``before`` has not judged."""
    left, residual = remove_judged(table, before), remove_judgments(judged, before)
    scored = score_run_table(left, residual, measures, options)
    removed = {
        "removed_qrels_sha256": hash_qrels(before),
        "documents_removed": len(table) - len(left),
        "judgments_removed": len(judged.grades) - len(residual.grades),
    }
    return replace(scored, conditions=scored.conditions | removed)


def choose_options(options: ScoringOptions | None, settings: dict[str, Any]) -> ScoringOptions:
    """The options, given whole or as ``settings``."""
    if options is not None and settings:
        raise TypeError("pass either options or single settings, not both")
    return options or ScoringOptions(**settings)


def score_run_table(
    table: RunTable, judged: JudgmentTable, measures: Measures, options: ScoringOptions
) -> ScoredRun:
    """One run that has been read; as ``evaluate``."""
    check_common_topic(table, judged)
    return score_match(match_tables([table], judged, options), judged, measures, options)


def score_match(
    match: MatchedRun, judged: JudgmentTable, measures: Measures, options: ScoringOptions
) -> ScoredRun:
    """One run that has been matched with ``judged``; as ``evaluate``."""
    selected = select_measures(measures, options)
    requested = tuple(selected)
    stated = state_highest_grade(requested, options, judged.grades)
    scored = score_batch(batch_from_match(judged, match, options), stated, match.tag)
    remarks = list_scale_remarks(requested, options, judged.grades)
    if match.is_reordered:
        remarks.append(TIED)
    used, source = find_used_grade(requested, options, judged.grades)
    own = {
        "highest_grade": used,
        "highest_grade_from": source,
        "topics_not_judged": len(set(match.topics).difference(judged.topics)),
        "remarks": remarks,
    }
    spelled = zip(selected.values(), stated, strict=True)
    spellings = tuple(spelling or measure.name for spelling, measure in spelled)
    return replace(scored, conditions={**scored.conditions, **own}, spellings=spellings)


def select_measures(
    measures: Measures, options: ScoringOptions | None = None
) -> dict[Measure, str]:
    """The measures given by name or as ``Measure``, one or many, without duplicates, in the order
    of the request, and the spelling of each: empty for a ``Measure``, and where a name denotes
    several, which are in print order.
    """
    listed = [measures] if isinstance(measures, str | Measure) else list(measures)
    for item in listed:
        if not isinstance(item, str | Measure):
            raise TypeError(f"measures must be names, such as 'map' or 'P_10', not {item!r}")
    profile = (options or ScoringOptions()).profile
    known = set(parse_measures((item for item in listed if isinstance(item, str)), profile))
    selected: dict[Measure, str] = {}
    for item in listed:
        if isinstance(item, Measure):
            selected.setdefault(item, "")
            continue
        # A profile may let a named measure replace that of a set.
        own = [measure for measure in parse_measures([item], profile) if measure in known]
        for measure in own:
            is_one = len(own) == 1 and item.strip() not in SETS
            selected.setdefault(measure, item.strip() if is_one else "")
    return selected


def score_batch(batch: ScoringBatch, measures: Sequence[Measure], tag: str) -> ScoredRun:
    columns = [measure(batch) for measure in measures]
    pairs = list(zip(measures, columns, strict=True))
    return ScoredRun(
        tag=tag,
        topics=tuple(map(batch.judged.topics.__getitem__, batch.topic_index.tolist())),
        measures=tuple(measures),
        values=np.stack(columns, axis=1) if columns else np.empty((len(batch), 0)),
        overall=tuple(aggregate_over_all_topics(*pair, batch) for pair in pairs),
        reasons={m.name: why for m, values in pairs if (why := undefined_reason(m, values))},
        conditions=score_provenance(batch),
        answered=batch.answered,
        texts={m.name: m.texts(batch) for m in measures if m.family.text},
    )


def aggregate_over_all_topics(
    measure: Measure, column: Floats, batch: ScoringBatch
) -> float | None:
    """The value over all topics: the family's own if it has one, else
    ``aggregate_defined_values``."""
    if measure.family.overall is not None:
        own = measure.family.overall(measure.modified(batch), **measure.own_params())
        if own is not None:
            return own
    return aggregate_defined_values(measure, column)


def aggregate_defined_values(measure: Measure, column: Floats) -> float | None:
    """The mean (or sum) of the defined values of ``column``; None if there are none.

    The sum over no topics is 0.
    """
    defined = column[~np.isnan(column)]
    is_sum = measure.family.aggregate == "sum"
    if not len(defined) and (len(column) or not is_sum):
        return None
    if is_sum:
        return sum_over_topics(defined)
    if measure.family.aggregate == "geometric":
        return geometric_mean(defined)
    return MEANS.get(str(dict(measure.params).get("mean")), arithmetic_mean)(defined)


def undefined_reason(measure: Measure, column: Floats) -> str:
    """Why topics are left out of the mean, or that there are no topics; '' otherwise."""
    if measure.family.text:
        return measure.family.undefined
    if left_out := int(np.count_nonzero(np.isnan(column))):
        reason = measure.family.undefined
        return f"{left_out} of {len(column)} topics are undefined: {reason}"
    return "" if len(column) or measure.family.aggregate == "sum" else NO_TOPIC


def score_provenance(batch: ScoringBatch) -> dict[str, Any]:
    """Everything besides run and measures that the scores depend on, as plain values."""
    share = judged_share(batch, k=TRUST_DEPTH)
    defined = share[~np.isnan(share)]
    highest, source = find_highest_grade(batch.options, batch.judged.grades)
    return {
        "product": product_version(),
        **batch.options.as_dict(),
        "highest_grade": highest,
        "highest_grade_from": source,
        "qrels_sha256": batch.judged.digest,
        "topics_judged": len(batch.judged.topics),
        "topics_averaged": len(batch),
        "topics_without_relevant": int(np.count_nonzero(batch.relevant == 0)),
        "topics_without_nonrelevant": int(np.count_nonzero(batch.nonrelevant == 0)),
        "topics_not_retrieved": int(np.count_nonzero(~batch.answered)),
        f"judged_{TRUST_DEPTH}": round(arithmetic_mean(defined), 4) if len(defined) else None,
    }


def product_version() -> str:
    """Name and version of the program that computed the scores."""
    return f"Poolbench {__version__}"
