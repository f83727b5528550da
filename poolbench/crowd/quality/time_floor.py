"""The time floor: judgments that came faster than the document can be looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from poolbench.cards import Card

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
    def share(self) -> float | None:
        return self.hasty / self.timed if self.timed else None

    @property
    def is_alarming(self) -> bool:
        return self.timed >= FEWEST_TIMED and self.hasty >= HASTY_SHARE * self.timed


def summarize_crowd_pace(answers: Iterable[tuple[float, int]], floor: TimeFloor) -> PaceSummary:
    """From ``(seconds, characters)`` of each timed answer."""
    timed = list(answers)
    hasty = sum(floor.is_hasty(seconds, characters) for seconds, characters in timed)
    return PaceSummary(len(timed), hasty, median(s for s, _ in timed) if timed else None)
