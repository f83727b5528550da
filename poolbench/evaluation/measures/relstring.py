"""The grades of the first k documents as a string."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily

DIGITS = np.frombuffer(b"0123456789", np.uint8)
NOT_LISTED, NOT_JUDGED, BEYOND_9 = np.frombuffer(b"-.>", np.uint8)


def undefined_values(batch: ScoringBatch, *, k: int = 10) -> Floats:  # noqa: ARG001
    return np.full(len(batch), np.nan)


def grades_in_rank_order(batch: ScoringBatch, *, k: int = 10) -> list[str]:
    """A character for each of the first ``k`` documents of each segment, in quotes."""
    rows = batch.ranks <= k
    grades = batch.grades[rows]
    digits = DIGITS[np.clip(grades, 0, 9)]
    signs = np.select([grades > 9, grades < 0], [BEYOND_9, NOT_JUDGED], digits)
    seen = np.minimum(batch.lengths, k)
    starts = np.concatenate(([0], np.cumsum(seen)))
    line = np.full(starts[-1], NOT_LISTED, np.uint8)
    line[starts[batch.segment[rows]] + batch.ranks[rows] - 1] = signs
    text = line.tobytes().decode()
    bounds = starts.tolist()
    return [f"'{text[a:b]}'" for a, b in pairwise(bounds)]


RELSTRING = MeasureFamily(
    name="relstring",
    title="Grades of the first k documents",
    formula="one character per document: its grade; > above 9; . pooled, unjudged; - not pooled",
    reading="The top of the ranking at a glance; text, so it has no mean.",
    source="trec_eval relstring.",
    range="text",
    parameters=(Parameter("k", "Number of documents.", "10", kind="rank"),),
    edge_cases=(
        "Reported by topic only (-q).",
        "A ranking of fewer than k documents gives a shorter string.",
    ),
    undefined="it is text and cannot be averaged.",
    example="ranking `2 · 0`: relstring = '2-0'.",
    compute=undefined_values,
    examples=(),
    suffix="k",
    modifiers=("list",),
    group="counts",
    text=grades_in_rank_order,
    better="neither",
)
