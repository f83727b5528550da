"""``manage.py evaluate --intervals``: estimates from a sample with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from campaigns.cli.command import CliError
from campaigns.cli.files import FileResult, read_file
from campaigns.core.runs import read_run
from evaluation.core.judgments import JudgmentTable
from evaluation.core.matching import batch_from_table, describe_no_common_topic
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.options import ScoringOptions
from evaluation.core.sampling_error import (
    VARIANCES,
    NoSamplingError,
    estimate_sampling_error,
    get_variance_method,
)
from evaluation.core.sampling_formats import RunIntervals


def measures_with_intervals(
    names: Sequence[str] | None, options: ScoringOptions
) -> tuple[Measure, ...]:
    """The named measures; default: all measures with intervals.

    Raises ``CliError`` for a measure without intervals, ``UnknownMeasureError`` for an
    unknown one.
    """
    measures = parse_measures(names or VARIANCES, options.profile)
    for measure in measures:
        try:
            get_variance_method(measure)
        except NoSamplingError as error:
            raise CliError(str(error)) from error
    return measures


def read_run_intervals(
    path: str, judged: JudgmentTable | None, measures: Sequence[Measure], options: ScoringOptions
) -> FileResult[RunIntervals]:
    """Read one run and compute its intervals; without judgments only check the file."""
    read = read_file(path, read_run, lenient=True)
    if read.table is None or judged is None:
        return FileResult(None, read.messages, read.rejected)
    if fault := describe_no_common_topic(read.table, judged.topics):
        return FileResult(None, [*read.messages, f"{path}: {fault}."], rejected=True)
    batch = batch_from_table(read.table, judged, options)
    intervals = RunIntervals(
        read.table.tag, [estimate_sampling_error(batch, measure) for measure in measures]
    )
    return FileResult(intervals, read.messages)


def iter_interval_notes(run: RunIntervals) -> Iterator[str]:
    """The method of each interval, and the reason if one is missing."""
    for error in run.measures:
        line = f"{error.measure.name}: {error.confidence:.0%} intervals, {error.method}"
        line += f"; no interval over all topics: {error.reason}" if error.reason else ""
        yield f"{line.rstrip('.')}."
