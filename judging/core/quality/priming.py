"""Threshold priming: whether the documents just judged shift the threshold for the next one.

Within a sequence (one assessor, one topic, documents in random order) let y be the grades minus
their mean and m the mean of the up to five y before each. The statistic is T = Σ y·m. A plain
regression of y on m is not a valid test: grades of a sequence are drawn without replacement, so
high grades are followed by lower ones, and the slope is below 0 without any priming. Under
random order every permutation of a sequence is equally likely; the mean and the variance of T
over all permutations are known exactly, and sums over sequences are approximately normal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import erfc, sqrt

import numpy as np

from campaigns.core.cards import Card
from common.statistics.estimate import is_hint
from common.statistics.least_topics import LEAST_TOPICS, TOO_FEW_TOPICS, has_enough_topics
from judging.core.agreement.counts import Floats, Ints
from judging.core.quality.ordered_grades import OrderedGrades

WINDOW = 5
SHORTEST = WINDOW + 1
MIN_JUDGMENTS = 30
NOT_SHUFFLED = "no documents were shown in random order"
SHORT = "no assessor has {} judgments of one topic in random order"
FLAT = "all grades within each sequence are the same"
TOO_FEW = "fewer than {} judgments in sequences with different grades"


@dataclass(frozen=True)
class Priming:
    """``slope``: change of a grade, in grades, if the mean of the preceding ones is one grade
    higher; below 0 is threshold priming. ``p`` is two-sided. ``no_interval`` says why a slope
    over ``topics`` lacks bounds.
    """

    slope: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    sequences: int = 0
    reason: str | None = None
    topics: int = 0
    no_interval: str | None = None

    @property
    def is_hint(self) -> bool:
        return is_hint(self.topics, self.low)

    @property
    def lacks_topics(self) -> bool:
        return self.no_interval == TOO_FEW_TOPICS


@dataclass(frozen=True)
class SequenceMoments:
    """T of a sequence of ``n`` grades, with its mean and variance over all permutations.
    ``spread`` is Σ m². ``topic`` is its code.
    """

    n: int
    value: float
    mean: float
    variance: float
    spread: float
    topic: int = 0


def priming_by_assessor(record: OrderedGrades) -> tuple[Priming, dict[str, Priming]]:
    """Over all assessors, and by assessor."""
    by_assessor: dict[str, list[SequenceMoments]] = {name: [] for name in record.assessors}
    lengths: dict[str, list[int]] = {name: [] for name in record.assessors}
    for assessor, topic, grades in iter_grade_sequences(record):
        lengths[record.assessors[assessor]].append(len(grades))
        if len(grades) >= SHORTEST and np.ptp(grades) > 0:
            by_assessor[record.assessors[assessor]].append(
                replace(sequence_moments(grades), topic=topic)
            )
    everyone = [sequence for of_assessor in by_assessor.values() for sequence in of_assessor]
    overall = _test(everyone, _nothing([n for own in lengths.values() for n in own]))
    return overall, {name: _test(own, _nothing(lengths[name])) for name, own in by_assessor.items()}


def iter_grade_sequences(record: OrderedGrades) -> Iterator[tuple[int, int, Floats]]:
    """``(assessor, topic, grades)`` for each assessor's documents of a topic in random order."""
    rows = np.flatnonzero(record.shuffled & record.ordered)
    key = record.assessor[rows] * len(record.topics) + record.topic[rows]
    rows = rows[np.argsort(key, kind="stable")]
    for part in np.split(rows, _starts(np.sort(key))):
        if len(part):
            first = part[0]
            assessor, topic = int(record.assessor[first]), int(record.topic[first])
            yield assessor, topic, record.grade[part].astype(np.float64)


def _starts(key: Ints) -> Ints:
    return np.flatnonzero(np.diff(key)) + 1


def sequence_moments(grades: Floats) -> SequenceMoments:
    """The moments of a sequence of at least four grades, not all the same."""
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
    """The mean of the up to five preceding values; 0 for the first."""
    sums = np.concatenate([[0.0], np.cumsum(y)])
    at = np.arange(len(y))
    first = np.maximum(at - WINDOW, 0)
    total: Floats = (sums[at] - sums[first]) / np.maximum(at - first, 1)
    return total


@lru_cache(maxsize=4096)
def _geometry(n: int) -> tuple[float, float, float]:
    """With T = Σ b·y·y over pairs of positions: Σ b² of a pair with itself, Σ b·b' of two pairs
    that share one position, and of two that share none.
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
    reason = why or (
        FLAT if not sequences else TOO_FEW.format(MIN_JUDGMENTS) if n < MIN_JUDGMENTS else None
    )
    if reason:
        return Priming(None, n=n, sequences=len(sequences), reason=reason)
    spread = sum(sequence.spread for sequence in sequences)
    value = sum(sequence.value - sequence.mean for sequence in sequences)
    sd = sqrt(sum(sequence.variance for sequence in sequences))
    half = 1.959963984540054 * sd / spread
    slope = value / spread
    topics = len({sequence.topic for sequence in sequences})
    priming = Priming(
        slope, p=erfc(abs(value) / sd / sqrt(2)), n=n, sequences=len(sequences), topics=topics
    )
    if not has_enough_topics(topics):
        return replace(priming, no_interval=TOO_FEW_TOPICS)
    return replace(priming, low=slope - half, high=slope + half)


def _nothing(lengths: list[int]) -> str | None:
    if not lengths:
        return NOT_SHUFFLED
    return SHORT.format(SHORTEST) if max(lengths) < SHORTEST else None


PRIMING = Card(
    name="priming",
    title="Threshold priming",
    formula="T = Σ y·m over the documents of a sequence (one assessor, one topic): y the grade "
    f"minus the sequence's mean, m the mean y of the up to {WINDOW} preceding documents. "
    "z = Σ (T − E T) / √Σ Var T over sequences, E and Var over all permutations of each sequence; "
    "p two-sided from the normal distribution; slope = Σ (T − E T) / Σ m², its interval "
    "± 1.96·√Σ Var T / Σ m²",
    reading="Below 0, documents get lower grades after highly graded ones: the threshold has "
    "risen. Above 0, consecutive grades resemble each other.",
    source="Effect: Scholer, Kelly, Wu, Lee and Webber, SIGIR 2013. Test: serial correlation "
    "under permutation, Wald and Wolfowitz 1943, with a window instead of lag 1.",
    range="slope unbounded, 0 is no priming; p 0 to 1",
    edge_cases=(
        "Only documents shown in random order count.",
        f"Sequences of fewer than {SHORTEST} judgments, or with a single grade, are excluded.",
        "Drift within a topic makes neighboring grades similar and hides priming.",
        "A judgment has the position of its first revision and its current grade.",
        "Blind repeats are excluded.",
    ),
    undefined=f"fewer than {MIN_JUDGMENTS} judgments remain, or no order was random; the interval: "
    f"fewer than {LEAST_TOPICS} topics.",
    example="2, 0, 2, 0, 1, 1: y = 1, -1, 1, -1, 0, 0; T = -1.3333, E T = -0.6667, "
    "Var T = 0.1722 over the 720 permutations.",
)
