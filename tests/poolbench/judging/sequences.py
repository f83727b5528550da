"""Judgments in order, for tests: by assessor the topics and grades as they came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolbench.judging.agreement.coefficient import Floats, Ints
from poolbench.judging.quality.ordered_grades import OrderedGrades


def said(
    given: dict[str, tuple[Ints, Floats]], *, seconds: Sequence[float] | None = None
) -> OrderedGrades:
    """The n-th judgment of each assessor is of the n-th pair; grades need not be whole."""
    lengths = [len(grades) for _, grades in given.values()]
    assessor = np.repeat(np.arange(len(given)), lengths)
    topic = np.concatenate([topics for topics, _ in given.values()])
    grade = np.concatenate([grades for _, grades in given.values()])
    n = len(grade)
    return OrderedGrades(
        tuple(given),
        tuple(str(at) for at in range(int(topic.max()) + 1)),
        tuple(sorted({int(one) for one in grade})),
        assessor,
        topic,
        np.concatenate([np.arange(length) for length in lengths]),
        grade,
        np.full(n, np.nan) if seconds is None else np.array(seconds, np.float64),
        np.ones(n, np.bool_),
    )
