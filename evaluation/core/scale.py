"""The grade scale: its highest grade, and gains relative to the highest gain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from campaigns.core.cards import Parameter
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats
from evaluation.core.options import MAX_LEVEL, gains_for_grades

MAX_REL = Parameter(
    "max_rel",
    "Highest grade of the scale; higher grades count as this one. Default: the highest "
    "grade of the gain table, or without a table the highest in the qrels. Set it to compare "
    "scores across qrels.",
    kind="grade",
)
MANY = 100
"""Up to this many grades of a scale are examined one by one."""
GAIN = Parameter(
    "gain",
    "`binary`: 1 at or above the relevance level; `graded`: the gain of the grade relative "
    "to the gain of the highest grade, whatever the relevance level.",
    "binary",
    ("binary", "graded"),
)


def top_grade(batch: ScoringBatch, max_rel: int | None = None) -> int:
    """The highest grade of the scale: as stated, else as described in ``MAX_REL``; at least 1."""
    if max_rel is not None:
        return max_rel
    if batch.options.gains:
        return max(1, *batch.options.gains)
    return int(batch.judged.grades.max(initial=max(1, batch.options.level)))


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
