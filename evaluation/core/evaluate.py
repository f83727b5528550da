"""Score a run against qrels: values by topic, means and provenance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.core.batch import ScoringBatch
from evaluation.core.inputs import QrelsLike, RunLike, as_judged, as_run
from evaluation.core.judgments import Floats, Mask
from evaluation.core.matching import batch_from_table, check_common_topic, is_reordered_by_32_bits
from evaluation.core.means import MEANS, arithmetic_mean, geometric_mean, sum_over_topics
from evaluation.core.measures.family import Measure
from evaluation.core.measures.judged_at_k import judged_at_k as judged_share
from evaluation.core.measures.names import parse_measure, parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.options import ScoringOptions
from evaluation.core.scale import find_highest_grade
from evaluation.core.stated_scale import (
    is_denoted_by,
    list_scale_remarks,
    state_highest_grade,
)

if TYPE_CHECKING:
    from pandas import DataFrame

NO_TOPIC = "no topics to average over"
TRUST_DEPTH = 10
"""The k of the judged@k that is part of every provenance."""
TIED = "scores tie as 32-bit numbers; published figures of trec_eval 9 need --profile trec_eval-9."


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRun:
    """The scores of one run. ``values`` is topics × measures, NaN where undefined.

    ``means`` has the mean over topics, or the sum for counts; None where undefined, with the
    reason in ``reasons``, which also lists topics left out of a mean. ``conditions`` is the
    provenance. ``answered`` marks the topics for which the run retrieved documents. ``texts``
    has the values by topic of measures of text, by name.
    """

    tag: str
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    means: tuple[float | None, ...]
    reasons: dict[str, str]
    conditions: dict[str, Any]
    answered: Mask
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<ScoredRun {self.tag}: {len(self.topics)} topics, {', '.join(self.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The measures as printed."""
        return tuple(measure.name for measure in self.measures)

    def mean(self, name: str) -> float | None:
        """The mean of the measure ``name`` (in any spelling); ``ValueError`` if it was not
        scored."""
        return self.means[self._place(name)]

    def to_frame(self) -> DataFrame:
        """Topics × measures as a pandas frame, NaN where undefined."""
        from pandas import DataFrame

        return DataFrame(self.values, index=list(self.topics), columns=list(self.names))

    def by_topic(self, name: str) -> dict[str, float | None]:
        """Value by topic of the measure ``name``, as in ``mean``; None where undefined."""
        column = self.values[:, self._place(name)]
        return dict(zip(self.topics, map(value_or_none, column.tolist()), strict=True))

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
            raise ValueError(f"{name} was not scored. Scored measures: {', '.join(self.names)}.")
        return matches[0]


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_NAMES,
    options: ScoringOptions | None = None,
) -> ScoredRun:
    """Score ``run`` against ``qrels``, each a path, bytes, dict, pandas frame or table.

    Pass ``as_judged(qrels)`` to score many runs against the same qrels quickly. Raises
    ``UnknownMeasureError`` for unknown measures, ``InvalidFile`` or ``ValueError`` for an
    invalid run or qrels (see ``inputs.as_run``), ``NoCommonTopicError`` if they share no topic.

    Measures that read the highest grade of the scale state it in their names
    (``err_20(max_rel=3)``); ``conditions["remarks"]`` says where it is only assumed.
    """
    options = options or ScoringOptions()
    table, judged = as_run(run), as_judged(qrels)
    check_common_topic(table, judged)
    requested = select_measures(measures, options)
    stated = state_highest_grade(requested, options, judged.grades)
    scored = score_batch(batch_from_table(table, judged, options), stated, table.tag)
    remarks = list_scale_remarks(requested, options, judged.grades)
    if not options.profile.single_precision and is_reordered_by_32_bits(table, judged.topics):
        remarks.append(TIED)
    own = {
        "topics_not_judged": len(set(table.topics).difference(judged.topics)),
        "remarks": remarks,
    }
    return replace(scored, conditions={**scored.conditions, **own})


def select_measures(
    measures: str | Measure | Iterable[str | Measure], options: ScoringOptions | None = None
) -> tuple[Measure, ...]:
    """The measures given by name or as ``Measure``, one or many; names in print order, without
    duplicates."""
    listed = [measures] if isinstance(measures, str | Measure) else list(measures)
    for item in listed:
        if not isinstance(item, str | Measure):
            raise TypeError(f"measures must be names, such as 'map' or 'P_10', not {item!r}")
    profile = (options or ScoringOptions()).profile
    named = parse_measures((measure for measure in listed if isinstance(measure, str)), profile)
    return tuple(dict.fromkeys([*named, *(m for m in listed if isinstance(m, Measure))]))


def score_batch(batch: ScoringBatch, measures: Sequence[Measure], tag: str) -> ScoredRun:
    """Score one run given as a batch."""
    columns = [measure(batch) for measure in measures]
    means, reasons = [], {}
    for measure, column in zip(measures, columns, strict=True):
        means.append(aggregate_over_all_topics(measure, column, batch))
        if reason := undefined_reason(measure, column):
            reasons[measure.name] = reason
    return ScoredRun(
        tag=tag,
        topics=tuple(batch.judged.topics[index] for index in batch.topic_index),
        measures=tuple(measures),
        values=np.stack(columns, axis=1) if columns else np.empty((len(batch), 0)),
        means=tuple(means),
        reasons=reasons,
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
        return measure.family.card.undefined
    if left_out := int(np.count_nonzero(np.isnan(column))):
        reason = measure.family.card.undefined
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


@cache
def product_version() -> str:
    """Name and version of the program that computed the scores."""
    return f"Poolbench {version('poolbench')}"


def value_or_none(value: float) -> float | None:
    """``value``, or None for NaN."""
    return None if value != value else value
