"""Van Rijsbergen's E measure of the retrieved set."""

from __future__ import annotations

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample


def set_e(batch: ScoringBatch, *, b: float = 1.0) -> Floats:
    # b²/r + 1/P, numerator and denominator times the relevant documents retrieved.
    relevant = batch.count(batch.is_relevant).astype(np.float64)
    weighed = b * b * batch.relevant.astype(np.float64) + batch.lengths
    return 1.0 - safe_ratio((1 + b * b) * relevant, weighed)


_worked = partial(WorkedExample, (1, 0, 1, 0, 0, 0), (1, 1, 1, 0, 0, 0, 0))

SET_E = MeasureFamily(
    name="set_E",
    title="E measure of the retrieved set",
    formula="1 − (1 + b²) / (b²/r + 1/P), r recall and P precision of all that was retrieved",
    reading="Error of the retrieved set, with recall and precision weighted by b: 0 is perfect.",
    source="van Rijsbergen, Information Retrieval, 1979; Modern Information Retrieval, chapter 4.",
    parameters=(
        Parameter(
            "b",
            "b > 1 gives recall more weight, b < 1 precision, as follows from the "
            "formula (the slides of the textbook say the reverse).",
            "1",
            kind="positive",
        ),
    ),
    edge_cases=(
        "Lower is better.",
        "b = 1: the value is 1 − F; in general it is 1 − set_F with the parameter b².",
        "No relevant document retrieved: the value is 1.",
    ),
    compute=set_e,
    examples=(
        _worked(5 / 9, "P = 2/6, r = 2/3: 1 − 2 / (3/2 + 3)"),
        _worked(4 / 9, "1 − 5 / (4 · 3/2 + 3)", "set_E(b=2)"),
    ),
    group="sets",
    better="lower",
)
