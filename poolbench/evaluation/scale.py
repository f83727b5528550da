"""The grade scale: its highest grade, and gains relative to the highest gain."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.options import MAX_LEVEL, ScoringOptions, gains_for_grades

MAX_REL = Parameter(
    "max_rel",
    "Highest grade of the scale; higher grades count as this one, with a note. Default: that of "
    "the campaign's scale, or for files that of `--max-rel`; without either the highest in the "
    "qrels is assumed, with a note. For files the printed name has it.",
    kind="grade",
)
STATED, TABLE = "as stated", "the gain table"
ASSUMED = "assumed: the highest in the qrels"
"""Where the highest grade is from, in the conditions of scores."""
MANY = 100
"""Up to this many grades of a scale are examined one by one."""
GAIN = Parameter(
    "gain",
    "`binary`: 1 at or above the relevance level; `graded`: the gain of the grade relative "
    "to the gain of the highest grade, whatever the relevance level.",
    "binary",
    ("binary", "graded"),
)


def find_highest_grade(options: ScoringOptions, grades: NDArray[np.int32]) -> tuple[int, str]:
    """The highest grade of the scale, at least 1, and one of ``STATED``, ``TABLE``, ``ASSUMED``."""
    if options.max_rel is not None:
        return options.max_rel, STATED
    if options.gains:
        return max(1, *options.gains), TABLE
    return int(grades.max(initial=max(1, options.level))), ASSUMED


def top_grade(batch: ScoringBatch, max_rel: int | None = None) -> int:
    """``max_rel``, or if it is None the highest grade of the scale."""
    return max_rel or find_highest_grade(batch.options, batch.judged.grades)[0]


def list_scale_grades(
    batch: ScoringBatch, table: Mapping[int, float] | None, lowest: int = 0
) -> list[int]:
    """The grades of the scale from ``lowest`` up; for a long scale only the relevant ones: those
    where the gain ``table`` changes slope, and those in the judgments."""
    top = top_grade(batch)
    if top <= MANY:
        between = set(range(lowest, top))
    else:
        present = np.unique(batch.judged.grades).tolist()
        between = {*present, *(table or {}), *(grade - 1 for grade in table or {})}
    return sorted({lowest, top, *(grade for grade in between if lowest <= grade <= top)})


def gain_shares(batch: ScoringBatch, gain: str, max_rel: int | None = None) -> Floats:
    """The gain of each row between 0 and 1, by ``GAIN``."""
    if gain == "binary":
        return batch.is_relevant.astype(np.float64)
    top = top_grade(batch, max_rel)
    scale = np.array([*range(min(top, MAX_LEVEL)), top], np.int32)
    most = gains_for_grades(scale, batch.options.gains).max()
    reached = np.minimum(batch.gains, most)
    return reached / most if most > 0 else np.zeros(len(reached))
