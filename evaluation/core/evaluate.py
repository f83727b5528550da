"""Score one run against qrels: values by topic, means, and the conditions they hold under."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from campaigns.core.tables import QrelsTable, RunTable
from evaluation.core.batch import Batch, Floats, Judged, batch_from_tables
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.options import PROFILE, Options

NO_TOPIC = "no topic to average over"


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """The scores of one run. ``values`` is topics × measures, NaN where undefined.

    ``means`` has the mean over topics, or the sum for counts; None where undefined, and
    then ``reasons`` says why. ``reasons`` also tells of topics left out of a mean.
    """

    tag: str
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    means: tuple[float | None, ...]
    reasons: dict[str, str]
    conditions: dict[str, Any]

    def mean(self, name: str) -> float | None:
        """The mean of the measure printed as ``name``."""
        return self.means[[measure.name for measure in self.measures].index(name)]

    def by_topic(self, name: str) -> dict[str, float | None]:
        """Value by topic of the measure printed as ``name``, None where undefined."""
        column = [measure.name for measure in self.measures].index(name)
        return dict(zip(self.topics, map(or_none, self.values[:, column].tolist()), strict=True))


def evaluate(
    run: RunTable,
    qrels: QrelsTable | Judged,
    measures: Iterable[str | Measure] = DEFAULT_NAMES,
    options: Options | None = None,
) -> ScoredRun:
    """Score ``run``; pass a ``Judged`` to score many runs against the same qrels quickly.

    Raises ``UnknownMeasureError`` for names that are no measure.
    """
    batch = batch_from_tables(run, qrels, options or Options())
    return score_batch(batch, chosen(measures), run.tag)


def chosen(measures: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Measures given by name or as such; names in the order of printing, all once."""
    listed = list(measures)
    named = parse_measures(measure for measure in listed if isinstance(measure, str))
    return tuple(dict.fromkeys([*named, *(m for m in listed if isinstance(m, Measure))]))


def score_batch(batch: Batch, measures: Sequence[Measure], tag: str) -> ScoredRun:
    """Score one run laid out as a batch."""
    columns = [measure(batch) for measure in measures]
    means, reasons = [], {}
    for measure, column in zip(measures, columns, strict=True):
        mean, reason = aggregate(measure, column)
        means.append(mean)
        if reason:
            reasons[measure.name] = reason
    return ScoredRun(
        tag=tag,
        topics=tuple(batch.judged.topics[index] for index in batch.topic_of),
        measures=tuple(measures),
        values=np.stack(columns, axis=1) if columns else np.empty((len(batch), 0)),
        means=tuple(means),
        reasons=reasons,
        conditions=conditions(batch),
    )


def aggregate(measure: Measure, column: Floats) -> tuple[float | None, str]:
    """The mean (or sum) of the defined values, and what there is to tell about it."""
    defined = column[~np.isnan(column)]
    # Added up topic by topic, as trec_eval does, so that the last digit is the same too.
    total = float(np.add.accumulate(defined)[-1]) if len(defined) else 0.0
    if measure.family.aggregate == "sum":
        return total, ""
    left_out = len(column) - len(defined)
    why = f"{left_out} of {len(column)} topics are undefined: {measure.family.card.undefined}"
    if not len(defined):
        return None, why if left_out else NO_TOPIC
    return total / len(defined), why if left_out else ""


def conditions(batch: Batch) -> dict[str, Any]:
    """Everything beside run and measures that the numbers depend on, as plain values."""
    return {
        "profile": PROFILE,
        "order": "score descending (64-bit), then docno descending by code point",
        **batch.options.as_dict(),
        "qrels_sha256": batch.judged.digest,
        "topics_judged": len(batch.judged.topics),
        "topics_averaged": len(batch),
        "topics_without_relevant": int(np.count_nonzero(batch.relevant == 0)),
        "topics_not_retrieved": int(np.count_nonzero(~batch.answered)),
    }


def or_none(value: float) -> float | None:
    """``value``, or None for NaN."""
    return None if value != value else value
