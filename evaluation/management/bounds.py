"""``manage.py evaluate --bounds``: scores with the bounds that unjudged documents leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from campaigns.core.runs import read_run
from campaigns.management.files import FileResult, read_file
from evaluation.core.bounds import compute_run_bounds
from evaluation.core.bounds_formats import RunBounds
from evaluation.core.evaluate import evaluate
from evaluation.core.judgments import Judged
from evaluation.core.measures.family import Measure
from evaluation.core.options import ScoringOptions


def read_run_bounds(
    path: str, judged: Judged | None, measures: Sequence[Measure], options: ScoringOptions
) -> FileResult[RunBounds]:
    """Read one run and bound its scores; without judgments only look for faults."""
    read = read_file(path, read_run, lenient=True)
    if read.table is None or judged is None:
        return FileResult(None, read.messages, read.rejected)
    scores = evaluate(read.table, judged, measures, options)
    return FileResult(
        RunBounds(scores, compute_run_bounds(read.table, judged, measures, options)), read.messages
    )


def iter_bounds_notes(found: RunBounds) -> Iterator[str]:
    """Up to which grade unjudged documents were let go, and which bounds are missing or loose."""
    grades = sorted({bounds.top for bounds in found.bounds})
    yield f"bounds with unjudged documents of grades 0 to {' or '.join(map(str, grades))}."
    for bounds in found.bounds:
        if bounds.reason:
            yield f"{bounds.measure.name}: bounds: {bounds.reason.rstrip('.')}."
