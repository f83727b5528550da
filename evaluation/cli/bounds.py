"""``manage.py evaluate --bounds``: scores with bounds for the unjudged documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from campaigns.cli.files import FileResult, read_file
from campaigns.core.runs import read_run
from evaluation.core.bounds import compute_run_bounds
from evaluation.core.bounds_formats import RunBounds
from evaluation.core.evaluate import evaluate
from evaluation.core.judgments import JudgmentTable
from evaluation.core.matching import describe_no_common_topic
from evaluation.core.measures.family import Measure
from evaluation.core.options import ScoringOptions


def read_run_bounds(
    path: str, judged: JudgmentTable | None, measures: Sequence[Measure], options: ScoringOptions
) -> FileResult[RunBounds]:
    """Read one run and bound its scores; without judgments only check the file."""
    read = read_file(path, read_run, lenient=True)
    if read.table is None or judged is None:
        return FileResult(None, read.messages, read.rejected)
    if fault := describe_no_common_topic(read.table, judged.topics):
        return FileResult(None, [*read.messages, f"{path}: {fault}."], rejected=True)
    scores = evaluate(read.table, judged, measures, options)
    return FileResult(
        RunBounds(scores, compute_run_bounds(read.table, judged, scores.measures, options)),
        read.messages,
    )


def iter_bounds_notes(run: RunBounds) -> Iterator[str]:
    """Remarks, the grades assumed for unjudged documents, and bounds that are missing or loose."""
    grades = sorted({bounds.top for bounds in run.bounds})
    yield from run.scores.conditions["remarks"]
    yield f"bounds: unjudged documents assumed to have grades 0 to {' or '.join(map(str, grades))}."
    for bounds in run.bounds:
        if bounds.reason:
            yield f"{bounds.measure.name}: bounds: {bounds.reason.rstrip('.')}."
