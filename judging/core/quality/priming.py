"""Threshold priming: do the documents just seen move the bar for the next one?

Within a sequence (one assessor, one topic, documents in random order) let y be the grades less
their mean and m the mean of the up to five y before each. The statistic is T = Σ y·m. A plain
regression of y on m is no test: grades of a sequence are drawn without replacement, so that
after high ones lower ones are left, and the slope is below 0 when nobody is primed. Under
random order every permutation of a sequence is equally likely; the mean and the variance of T
over all permutations are known exactly, and sums over sequences are normal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, sqrt

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.counts import Floats, Ints
from judging.core.quality.ordered_grades import OrderedGrades

WINDOW = 5
SHORTEST = WINDOW + 1
FEWEST = 30
NOT_SHUFFLED = "no documents were shown in random order, so there is nothing to test"
SHORT = "nowhere are there {} judgments of a topic by one assessor in random order"
FLAT = "within every sequence all grades are the same"
TOO_FEW = "fewer than {} judgments stand in sequences whose grades differ"


@dataclass(frozen=True)
class Priming:
    """``slope``: by how many grades a document is graded higher when the mean of those before
    it is one grade higher; below 0 is threshold priming. ``p`` is two-sided.
    """

    slope: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    sequences: int = 0
    reason: str | None = None


@dataclass(frozen=True)
class SequenceMoments:
    """T of one sequence of ``n`` grades, and its mean and variance over all permutations.
    ``spread`` is Σ m².
    """

    n: int
    value: float
    mean: float
    variance: float
    spread: float


def priming_by_assessor(record: OrderedGrades) -> tuple[Priming, dict[str, Priming]]:
    """Over all assessors, and by assessor."""
    by_assessor: dict[str, list[SequenceMoments]] = {name: [] for name in record.assessors}
    lengths: dict[str, list[int]] = {name: [] for name in record.assessors}
    for assessor, grades in iter_grade_sequences(record):
        lengths[record.assessors[assessor]].append(len(grades))
        if len(grades) >= SHORTEST and np.ptp(grades) > 0:
            by_assessor[record.assessors[assessor]].append(sequence_moments(grades))
    everyone = [sequence for of_assessor in by_assessor.values() for sequence in of_assessor]
    overall = _test(everyone, _nothing([n for own in lengths.values() for n in own]))
    return overall, {name: _test(own, _nothing(lengths[name])) for name, own in by_assessor.items()}


def iter_grade_sequences(record: OrderedGrades) -> Iterator[tuple[int, Floats]]:
    """``(assessor, grades)`` of each assessor's documents of a topic that came shuffled."""
    rows = np.flatnonzero(record.shuffled & record.ordered)
    key = record.assessor[rows] * len(record.topics) + record.topic[rows]
    rows = rows[np.argsort(key, kind="stable")]
    for part in np.split(rows, _starts(np.sort(key))):
        if len(part):
            yield int(record.assessor[part[0]]), record.grade[part].astype(np.float64)


def _starts(key: Ints) -> Ints:
    return np.flatnonzero(np.diff(key)) + 1


def sequence_moments(grades: Floats) -> SequenceMoments:
    """Of at least four grades, not all of them the same."""
    y = grades - grades.mean()
    before = _before(y)
    n, s2, s4 = len(y), float((y**2).sum()), float((y**4).sum())
    same, sharing, apart = _geometry(n)
    mean = -s2 * (n - 1) / (n * (n - 1))
    square = (
        same * (s2 * s2 - s4) / (n * (n - 1))
        + sharing * (2 * s4 - s2 * s2) / (n * (n - 1) * (n - 2))
        + apart * (3 * s2 * s2 - 6 * s4) / (n * (n - 1) * (n - 2) * (n - 3))
    )
    spread = float((before[1:] ** 2).sum())
    return SequenceMoments(n, float((y * before).sum()), mean, square - mean * mean, spread)


def _before(y: Floats) -> Floats:
    """The mean of the up to five values before each; 0 for the first."""
    sums = np.concatenate([[0.0], np.cumsum(y)])
    at = np.arange(len(y))
    first = np.maximum(at - WINDOW, 0)
    total: Floats = (sums[at] - sums[first]) / np.maximum(at - first, 1)
    return total


@lru_cache(maxsize=4096)
def _geometry(n: int) -> tuple[float, float, float]:
    """With T = Σ b·y·y over couples of places: Σ b² of a couple with itself, Σ b·b' of couples
    that share one place, and of couples that share none.
    """
    same, at_place = 0.0, np.zeros(n)
    for place in range(1, n):
        window = min(WINDOW, place)
        same += 1 / window
        at_place[place] += 1
        at_place[place - window : place] += 1 / window
    sharing = float((at_place**2).sum()) - 2 * same
    return same, sharing, (n - 1) ** 2 - same - sharing


def _test(sequences: list[SequenceMoments], why: str | None) -> Priming:
    n = sum(sequence.n for sequence in sequences)
    reason = why or (FLAT if not sequences else TOO_FEW.format(FEWEST) if n < FEWEST else None)
    if reason:
        return Priming(None, n=n, sequences=len(sequences), reason=reason)
    spread = sum(sequence.spread for sequence in sequences)
    value = sum(sequence.value - sequence.mean for sequence in sequences)
    sd = sqrt(sum(sequence.variance for sequence in sequences))
    half = 1.959963984540054 * sd / spread
    slope = value / spread
    return Priming(
        slope, slope - half, slope + half, erfc(abs(value) / sd / sqrt(2)), n, len(sequences)
    )


def _nothing(lengths: list[int]) -> str | None:
    if not lengths:
        return NOT_SHUFFLED
    return SHORT.format(SHORTEST) if max(lengths) < SHORTEST else None


PRIMING = Card(
    name="priming",
    title="Threshold priming",
    formula="T = Σ y·m over the documents of a sequence (one assessor, one topic): y the grade "
    f"less the sequence's mean, m the mean y of the up to {WINDOW} documents before. "
    "z = Σ (T − E T) / √Σ Var T over sequences, E and Var over all permutations of each sequence; "
    "p two-sided from the normal distribution; slope = Σ (T − E T) / Σ m², its interval "
    "± 1.96·√Σ Var T / Σ m²",
    reading="Below 0, an assessor grades a document lower after documents with high grades: the "
    "bar has risen. Above 0, grades follow each other up and down.",
    source="The question: Scholer, Kelly, Wu, Lee and Webber, SIGIR 2013. The test: serial "
    "correlation under permutation, Wald and Wolfowitz 1943, with a window in place of one step.",
    range="slope unbounded, 0 is none; p 0 to 1",
    edge_cases=(
        "Documents must have come in random order; those of other orders are left out.",
        f"Sequences of fewer than {SHORTEST} judgments, and those of one grade, are left out.",
        "Drift within a topic makes grades that stand close alike and hides priming.",
        "A judgment stands where it was first given, with the grade that is current.",
        "Blind repeats are left out.",
    ),
    undefined=f"fewer than {FEWEST} judgments are left, or no order was random.",
    example="2, 0, 2, 0, 1, 1: y = 1, -1, 1, -1, 0, 0; T = -1.3333, E T = -0.6667, "
    "Var T = 0.1722 over the 720 permutations.",
)
