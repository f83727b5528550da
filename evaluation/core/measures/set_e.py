"""van Rijsbergen's E of the set that was retrieved."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch, safe_ratio
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import MeasureFamily, WorkedExample


def set_e(batch: ScoringBatch, *, b: float = 1.0) -> Floats:
    # b²/r + 1/P, both sides times the relevant documents retrieved.
    found = batch.count(batch.is_relevant).astype(np.float64)
    weighed = b * b * batch.relevant.astype(np.float64) + batch.lengths
    return 1.0 - safe_ratio((1 + b * b) * found, weighed)


_RANKED, _JUDGED = (1, 0, 1, 0, 0, 0), (1, 1, 1, 0, 0, 0, 0)

SET_E = MeasureFamily(
    Card(
        name="set_E",
        title="E measure of the retrieved set",
        formula="1 − (1 + b²) / (b²/r + 1/P), r recall and P precision of all that was retrieved",
        reading="How bad the retrieved set is, recall and precision weighed by b: 0 is perfect.",
        source="van Rijsbergen, Information Retrieval, 1979; Modern Information Retrieval, "
        "chapter 4.",
        parameters=(
            Parameter(
                "b",
                "Above 1 recall weighs more, below 1 precision, as the formula has it (the "
                "slides to the textbook say the reverse).",
                "1",
                kind="positive",
            ),
        ),
        edge_cases=(
            "Lower is better.",
            "With b = 1 it is 1 − F; in general 1 − set_F with the parameter b².",
            "Nothing relevant retrieved counts as 1.",
        ),
    ),
    set_e,
    (
        WorkedExample(_RANKED, _JUDGED, 5 / 9, "P = 2/6, r = 2/3: 1 − 2 / (3/2 + 3)"),
        WorkedExample(_RANKED, _JUDGED, 4 / 9, "1 − 5 / (4 · 3/2 + 3)", "set_E(b=2)"),
    ),
    group="sets",
    better="lower",
)
