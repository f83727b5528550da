"""``poolbench evaluate --bounds`` and ``--intervals``: bounds for the unjudged documents of a
run, and estimates from a sample with confidence intervals."""

from collections.abc import Iterator, Sequence

from poolbench.commands.command import CliError
from poolbench.commands.files import FileResult
from poolbench.commands.notes import read_scored_run
from poolbench.evaluation.bounds import compute_run_bounds
from poolbench.evaluation.bounds_formats import RunBounds, RunIntervals
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.sampling_error import (
    VARIANCES,
    NoSamplingError,
    estimate_sampling_error,
    get_variance_method,
)
from poolbench.runs.tables import RunTable


def read_run_bounds(
    path: str, judged: JudgmentTable | None, measures: Sequence[Measure], options: ScoringOptions
) -> FileResult[RunBounds]:

    def bound(run: RunTable, judged: JudgmentTable) -> RunBounds:
        scores = evaluate(run, judged, measures, options)
        return RunBounds(scores, compute_run_bounds(run, judged, scores.measures, options))

    return read_scored_run(path, judged, bound)


def iter_bounds_notes(run: RunBounds) -> Iterator[str]:
    """Remarks, the grades assumed for unjudged documents, and bounds that are missing or loose."""
    grades = sorted({bounds.top for bounds in run.bounds})
    yield from run.scores.conditions["remarks"]
    yield f"bounds: unjudged documents assumed to have grades 0 to {' or '.join(map(str, grades))}."
    for bounds in run.bounds:
        if bounds.reason:
            yield f"{bounds.measure.name}: bounds: {bounds.reason.rstrip('.')}."


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

    def estimate(run: RunTable, judged: JudgmentTable) -> RunIntervals:
        batch = batch_from_table(run, judged, options)
        return RunIntervals(run.tag, [estimate_sampling_error(batch, each) for each in measures])

    return read_scored_run(path, judged, estimate)


def iter_interval_notes(run: RunIntervals) -> Iterator[str]:
    """The method of each interval, and the reason if one is missing."""
    for error in run.measures:
        line = f"{error.measure.name}: {error.confidence:.0%} intervals, {error.method}"
        line += f"; no interval over all topics: {error.overall.why}" if error.overall.why else ""
        yield f"{line.rstrip('.')}."
