"""Answers of crowd workers: how they agree with their own on repeats, and with those of others."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from poolbench.cards import Card
from poolbench.crowd.quality.gold import compute_wilson_interval
from poolbench.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class CrowdAnswer:
    """The latest answer of a worker to a document, in the place of the first one.

    ``purpose`` is judge, gold or repeat; ``grade`` is None for a skip; ``gold_grade`` is the known
    grade of a gold document. ``seconds`` passed by the server's clock since the worker's answer
    before, None if unknown; ``characters`` is the length of the document.
    """

    worker: str
    topic: str
    docno: str
    purpose: str
    grade: int | None
    gold_grade: int | None = None
    seconds: float | None = None
    characters: int = 0

    @property
    def pair(self) -> tuple[str, str]:
        return self.topic, self.docno


def group_by_worker(answers: Iterable[CrowdAnswer]) -> dict[str, list[CrowdAnswer]]:
    """The answers of each worker, in their order."""
    workers: dict[str, list[CrowdAnswer]] = {}
    for answer in answers:
        workers.setdefault(answer.worker, []).append(answer)
    return workers


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


FEWEST_SHARED = 20
TELLING_CHANCE = 0.7

OTHERS = Card(
    name="agreement-with-others",
    title="Agreement with the others",
    formula="a = documents with the grade of the majority of the others / documents compared; "
    "by chance e = Σ over grades of (share in own answers · share in majorities); "
    "(a − e) / (1 − e)",
    reading="How often a worker gives the grade that most of the others gave, chance removed.",
    source=(
        "Leave-one-out majority; chance as in J. Cohen, A coefficient of agreement for nominal "
        "scales, Educational and Psychological Measurement 20(1), 1960, 37–46."
    ),
    range="a: 0 to 1; chance-corrected: at most 1, below 0 for less than by chance",
    edge_cases=(
        "The worker is never one of the others.",
        "A document whose others are tied, or that no other worker judged, is left out.",
        "Gold and repeats are left out, and all work that was set aside.",
        (
            f"Alarm: at least {FEWEST_SHARED} documents, agreement by chance at most "
            f"{TELLING_CHANCE:g}, and the lower Wilson bound of a not above chance."
        ),
    ),
    undefined="no document to compare; chance-corrected also if agreement by chance is 1.",
    example="Own 0 0 1 1, majorities 0 1 1 1: a = 3/4, e = .5 · .25 + .5 · .75 = .5, so .5.",
)


@dataclass(frozen=True)
class AgreementWithOthers:
    """``share`` with its interval, ``chance`` and the chance-corrected ``kappa``."""

    share: Estimate
    chance: float | None
    kappa: float | None

    @property
    def is_alarming(self) -> bool:
        return (
            self.share.n >= FEWEST_SHARED
            and self.chance is not None
            and self.chance <= TELLING_CHANCE
            and (self.share.low or 0.0) <= self.chance
        )


def compare_with_others(answers: Iterable[CrowdAnswer]) -> dict[str, AgreementWithOthers]:
    """Each worker's agreement; a worker without a document to compare has n = 0."""
    pairs: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    own: dict[str, list[tuple[int, int]]] = {}
    for answer in answers:
        own.setdefault(answer.worker, [])
        if answer.purpose == "judge" and answer.grade is not None:
            pairs[answer.pair][answer.worker] = answer.grade
    for grades in pairs.values():
        counts = Counter(grades.values())
        for worker, grade in grades.items():
            majority = find_majority_of_others(counts, grade)
            if majority is not None:
                own[worker].append((grade, majority))
    return {worker: summarize_agreement(pairs) for worker, pairs in own.items()}


def find_majority_of_others(counts: Counter[int], own: int) -> int | None:
    """The most frequent grade without one answer ``own``; None if there is no single one."""
    others = [(count - (grade == own), grade) for grade, count in counts.items()]
    best = max(count for count, _ in others)
    winners = [grade for count, grade in others if count == best]
    return winners[0] if best and len(winners) == 1 else None


def summarize_agreement(pairs: list[tuple[int, int]]) -> AgreementWithOthers:
    """From ``(own grade, majority of the others)`` of each document."""
    share = compute_wilson_interval(sum(a == b for a, b in pairs), len(pairs))
    if not pairs:
        return AgreementWithOthers(share, None, None)
    own, majorities = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(own[grade] * majorities[grade] for grade in own) / len(pairs) ** 2
    agreed = share.value or 0.0
    kappa = (agreed - chance) / (1 - chance) if chance < 1 else None
    return AgreementWithOthers(share, chance, kappa)
