"""Format estimates with their confidence intervals: table, CSV, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from campaigns.core.csv_files import write_csv
from common.statistics.estimate import nan_to_none
from evaluation.core.formats import ALL, UNDEFINED
from evaluation.core.sampling_error import SamplingError


class RunIntervals(NamedTuple):
    """The intervals of one run, one per measure."""

    tag: str
    measures: Sequence[SamplingError]


Row = tuple[str, str, str, tuple[float | None, ...]]
"""Run, measure, topic; value, low, high."""
COLUMNS = ("run", "measure", "topic", "estimate", "low", "high")


def intervals_to_table(runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool) -> str:
    """Tab-separated columns with a header, four decimals, null where undefined."""
    lines = ["\t".join(COLUMNS)]
    for *named, ends in interval_rows(runs, by_topic=by_topic, summary=summary):
        cells = [UNDEFINED if end is None else f"{end:.4f}" for end in ends]
        lines.append("\t".join([*map(str, named), *cells]))
    return "\n".join([*lines, ""])


def intervals_to_csv(runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool) -> str:
    """The same in full precision; an undefined value is empty."""
    rows = interval_rows(runs, by_topic=by_topic, summary=summary)
    cells = ((*named, *ends) for *named, ends in rows)
    return write_csv("intervals", COLUMNS, cells, {"confidence": 0.95})


def intervals_to_json(runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool) -> str:
    """The same as a list of objects; undefined is null."""
    rows = interval_rows(runs, by_topic=by_topic, summary=summary)
    content = [dict(zip(COLUMNS, [*named, *ends], strict=True)) for *named, ends in rows]
    return json.dumps({"intervals": content}, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def interval_rows(runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool) -> Iterator[Row]:
    """By run and measure, its topics first and all topics last."""
    for tag, measures in runs:
        for error in measures:
            name = error.measure.name
            ends = (error.values.tolist(), error.low.tolist(), error.high.tolist())
            rows = zip(error.topics, *ends, strict=True) if by_topic else ()
            for topic, *interval in rows:
                yield tag, name, topic, tuple(map(nan_to_none, interval))
            if summary:
                overall = error.overall
                yield tag, name, ALL, (overall.value, overall.low, overall.high)


INTERVAL_FORMATS: dict[str, Callable[..., str]] = {
    "trec_eval": intervals_to_table,
    "csv": intervals_to_csv,
    "json": intervals_to_json,
}
"""By the names of the score formats."""
