"""Careless answers: too fast for the document, or the same grade too often in a row."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log2
from statistics import median

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.crowd.quality.answers import CrowdAnswer

FEWEST_TIMED = 5
HASTY_SHARE = 0.2

TIME_FLOOR = Card(
    name="time-floor",
    title="Time floor",
    formula="hasty: seconds < floor + floor per 1,000 characters · characters / 1000",
    reading="The share of a worker's answers that came faster than the study's floor allows.",
    source=(
        "Server time from answer to answer within a unit, so that no browser can report it. "
        "The floor is the study's; it is an alarm, never a reason for a stop."
    ),
    edge_cases=(
        "A later revision of an answer is not timed.",
        "A document in a file that is not text has 0 characters: only the floor itself counts.",
        f"Alarm: at least {FEWEST_TIMED} timed answers and a share of at least {HASTY_SHARE:g}.",
    ),
    undefined="no timed answer.",
    example="Floor 2 seconds and 1 for each 1,000 characters. 3,000 characters in 4.9 seconds: "
    "hasty, 4.9 < 2 + 3. 500 characters in 2.5 seconds: 2.5 = 2 + .5 is not below, not hasty.",
)


@dataclass(frozen=True)
class TimeFloor:
    """Seconds for any document, and for each 1,000 characters on top."""

    seconds: float
    per_1000: float

    def is_hasty(self, seconds: float, characters: int) -> bool:
        return seconds < self.seconds + self.per_1000 * characters / 1000


@dataclass(frozen=True)
class PaceSummary:
    """``hasty`` of ``timed`` answers; ``median`` seconds, None without one."""

    timed: int
    hasty: int
    median: float | None

    @property
    def is_alarming(self) -> bool:
        return self.timed >= FEWEST_TIMED and self.hasty >= HASTY_SHARE * self.timed


def summarize_crowd_pace(answers: Iterable[tuple[float, int]], floor: TimeFloor) -> PaceSummary:
    """From ``(seconds, characters)`` of each timed answer."""
    timed = list(answers)
    hasty = sum(floor.is_hasty(seconds, characters) for seconds, characters in timed)
    return PaceSummary(len(timed), hasty, median(s for s, _ in timed) if timed else None)


Floats = NDArray[np.float64]
FEWEST_IN_LINE = 8
UNLIKELY = 0.001
PRIOR = 4.0
"""Answers of the whole study that are added to those of a topic."""

STRAIGHT_LINING = Card(
    name="straight-lining",
    title="Straight-lining",
    formula="L = longest run of equal grades; P(longest run ≥ L) if each answer were drawn from "
    "the grades that the others gave on its topic; entropy H = −Σ share · log₂ share",
    reading=(
        "The probability of so long a run of equal grades if the worker judged as the others did "
        "on the same topics, and how varied the answers are."
    ),
    source="Exact, by dynamic programming over (grade, length of the run), answer by answer.",
    range="probability 0 to 1; entropy 0 to log₂ of the number of grades",
    edge_cases=(
        (
            "Expected grades of a topic: those of the other workers there, with "
            f"{PRIOR:g} answers added in the proportions of all others. A run of zeros on a topic "
            "without relevant documents is expected."
        ),
        "Skips are left out; gold and repeats count like other answers.",
        f"Alarm: a run of at least {FEWEST_IN_LINE} with a probability below {UNLIKELY:g}.",
        "A pattern such as 0 1 0 1 has short runs: gold and agreement with others find it.",
    ),
    undefined="no answers, or no answers of others to expect from.",
    example="10 answers all 1 where the others gave 0 and 1 equally often: "
    "2 · (1/2)^10 = .00195, no alarm; 12 in 12: 2 · (1/2)^12 = .00049, alarm.",
)


@dataclass(frozen=True)
class LineCheck:
    """The ``longest`` run among the answers and its ``probability``; ``entropy`` in bits."""

    longest: int
    probability: float | None
    entropy: float | None

    @property
    def is_alarming(self) -> bool:
        return (
            self.longest >= FEWEST_IN_LINE
            and self.probability is not None
            and self.probability < UNLIKELY
        )


def longest_run_length(values: Sequence[Hashable]) -> int:
    return max((sum(1 for _ in run) for _, run in groupby(values)), default=0)


def entropy_value(counts: Sequence[float]) -> float:
    """In bits; 0 for nothing."""
    total = sum(counts)
    return -sum(c / total * log2(c / total) for c in counts if c) + 0.0 if total else 0.0


def long_run_probabilities(expected: Sequence[Floats], longest: Sequence[int]) -> Floats:
    """The probability of a run of at least ``longest[i]`` in the i-th series of draws.

    ``expected[i]`` has shape (draws, grades): the probabilities of each draw. Exact, all series
    at once; 1 for a run of at most 1 among at least one draw, 0 for more than the draws.
    """
    if not len(expected):
        return np.zeros(0)
    grades, most = expected[0].shape[1], max(*longest, 1)
    lengths = np.array([len(rows) for rows in expected])
    limits = np.maximum(np.array(longest), 1)
    padded = np.zeros((len(expected), max(int(lengths.max()), 1), grades))
    for at, rows in enumerate(expected):
        padded[at, : len(rows)] = rows
    # chances[i, g, r - 1]: no run of limits[i] so far, the last r answers are g.
    chances = np.zeros((len(expected), grades, most))
    absorbed = np.zeros(len(expected))
    series = np.arange(len(expected))
    for draw in range(padded.shape[1]):
        live = draw < lengths
        ending = chances.sum(axis=2)
        others = ending.sum(axis=1, keepdims=True) - ending if draw else np.ones_like(ending)
        following = np.zeros_like(chances)
        following[:, :, 1:] = chances[:, :, :-1]
        following[:, :, 0] = others
        following *= padded[:, draw, :, None]
        absorbed += np.where(live, following[series, :, limits - 1].sum(axis=1), 0.0)
        following[series, :, limits - 1] = 0.0
        chances = np.where(live[:, None, None], following, chances)
    return np.clip(absorbed, 0.0, 1.0)


def check_straight_lining(
    workers: dict[str, list[CrowdAnswer]], scale: Sequence[int]
) -> dict[str, LineCheck]:
    """Each worker's longest run against what the others gave on the same topics."""
    position = {grade: at for at, grade in enumerate(scale)}
    graded = {
        name: [(a.topic, position[a.grade]) for a in answers if a.grade in position]
        for name, answers in workers.items()
    }
    topics = {
        topic: at for at, topic in enumerate(sorted({t for g in graded.values() for t, _ in g}))
    }
    counts = {name: _count_grades(own, topics, len(scale)) for name, own in graded.items()}
    total = sum(counts.values(), start=np.zeros((len(topics), len(scale))))
    checked, expected = [], []
    for name, own in graded.items():
        others = total - counts[name]
        if own and others.sum():
            checked.append(name)
            shares = _expect_grades(others)
            expected.append(shares[[topics[topic] for topic, _ in own]])
    longest = {name: longest_run_length([g for _, g in own]) for name, own in graded.items()}
    chances = long_run_probabilities(expected, [longest[name] for name in checked])
    likely = dict(zip(checked, chances.tolist(), strict=True))
    return {
        name: LineCheck(
            longest[name],
            likely.get(name),
            entropy_value(list(Counter(g for _, g in own).values())) if own else None,
        )
        for name, own in graded.items()
    }


def _count_grades(own: list[tuple[str, int]], topics: dict[str, int], grades: int) -> Floats:
    counts = np.zeros((len(topics), grades))
    for topic, grade in own:
        counts[topics[topic], grade] += 1
    return counts


def _expect_grades(others: Floats) -> Floats:
    """Shares of grades by topic, with ``PRIOR`` answers of the whole study added to each."""
    whole = others.sum(axis=0) / others.sum()
    counts = others + PRIOR * whole
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares
