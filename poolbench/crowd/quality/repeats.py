"""Self-consistency: documents that a worker judged twice without notice."""

from __future__ import annotations

from collections.abc import Iterable

from poolbench.cards import Card
from poolbench.crowd.quality.answers import CrowdAnswer
from poolbench.crowd.quality.wilson import compute_wilson_interval
from poolbench.statistics.estimate import Estimate

FEWEST_REPEATS = 3
CONSISTENT = 0.7

SELF_CONSISTENCY = Card(
    name="self-consistency",
    title="Self-consistency on repeats",
    formula="documents with the same grade twice / documents graded twice, with Wilson interval",
    reading="How often a worker gave a document the same grade when it came again.",
    source="Blind repeats as for assessors; interval of Wilson (1927).",
    edge_cases=(
        "A repeat that was skipped, or whose first answer was, is left out.",
        f"Alarm: at least {FEWEST_REPEATS} repeats and an upper bound below {CONSISTENT:g}.",
        "Consistent is not right: always the same grade is perfectly consistent.",
    ),
    undefined="no document was graded twice.",
    example="First 2 0 1 0, again 2 0 0 0: 3 of 4, interval .3006 to .9544.",
)


def measure_crowd_repeats(answers: Iterable[CrowdAnswer]) -> Estimate:
    """Of one worker's answers."""
    own = list(answers)
    first = {a.pair: a.grade for a in own if a.purpose == "judge" and a.grade is not None}
    again = [a for a in own if a.purpose == "repeat" and a.grade is not None and a.pair in first]
    return compute_wilson_interval(sum(a.grade == first[a.pair] for a in again), len(again))


def is_inconsistent(repeats: Estimate) -> bool:
    return repeats.n >= FEWEST_REPEATS and (repeats.high or 0.0) < CONSISTENT
