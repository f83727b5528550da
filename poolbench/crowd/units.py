"""What a work unit of the crowd is made of, in which order, and the time that it takes."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import TypeVar

import numpy as np

from poolbench.judging.repeats import SOONEST

T = TypeVar("T")


def choose_balanced(
    by_grade: Mapping[int, Sequence[T]], seen: Mapping[int, int], count: int, seed: int
) -> list[T]:
    """At most ``count`` gold pairs, one at a time of the grade that the worker has seen least.

    ``by_grade`` has the pairs in the order of preference, ``seen`` the number of gold pairs that
    the worker has seen, by grade. Ties between grades are broken at random by ``seed``.
    """
    generator = np.random.default_rng(seed)
    waiting = {grade: list(pairs) for grade, pairs in sorted(by_grade.items()) if pairs}
    times = Counter({grade: seen.get(grade, 0) for grade in waiting})
    chosen: list[T] = []
    while waiting and len(chosen) < count:
        fewest = min(times[grade] for grade in waiting)
        rarest = [grade for grade in waiting if times[grade] == fewest]
        grade = rarest[int(generator.integers(len(rarest)))]
        chosen.append(waiting[grade].pop(0))
        times[grade] += 1
        if not waiting[grade]:
            del waiting[grade]
    return chosen


def arrange_unit(documents: int, repeats: Sequence[int | None], seed: int) -> list[int | None]:
    """The position, from 1, of each of ``documents``, then of each repeat; seeded.

    ``repeats`` has the index of the document that is repeated, None for one of an earlier unit. A
    document of the same unit comes back at least ``SOONEST`` positions later; where that cannot
    be, its position is None.
    """
    generator = np.random.default_rng(seed)
    remaining = list(range(len(repeats)))
    while True:
        total = documents + len(remaining)
        placed = place_repeats(total, [repeats[at] for at in remaining], generator)
        if placed is not None:
            break
        remaining.remove(max(at for at in remaining if repeats[at] is not None))
    first_at, again_at = placed
    free = [at for at in range(1, total + 1) if at not in {*first_at.values(), *again_at.values()}]
    generator.shuffle(free)
    positions: list[int | None] = [
        first_at[at] if at in first_at else free.pop() for at in range(documents)
    ]
    by_repeat = {at: again_at[n] if n in again_at else free.pop() for n, at in enumerate(remaining)}
    return positions + [by_repeat.get(at) for at in range(len(repeats))]


def group_topics(
    positions: Sequence[int | None], topics: Sequence[int], fixed: Collection[int], seed: int
) -> list[int | None]:
    """``positions`` exchanged so that the documents of a topic follow one another; topics in random
    order, by ``seed``. Documents with an index in ``fixed`` stay where they are.
    """
    names = sorted(set(topics))
    order = dict(zip(names, np.random.default_rng([seed, 1]).permutation(len(names)), strict=True))
    movable = sorted((at, n) for n, at in enumerate(positions) if at and n not in fixed)
    grouped = list(positions)
    by_topic = sorted(movable, key=lambda each: (order[topics[each[1]]], each[0]))
    for (at, _), (_, n) in zip(movable, by_topic, strict=True):
        grouped[n] = at
    return grouped


def place_repeats(
    total: int, repeats: Sequence[int | None], generator: np.random.Generator
) -> tuple[dict[int, int], dict[int, int]] | None:
    """The positions of documents that come twice, and of their repeats; None if impossible."""
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    free = set(range(1, total + 1))
    for at, document in enumerate(repeats):
        if document is None:
            continue
        late = sorted(p for p in free if any(q <= p - SOONEST for q in free))
        if not late:
            return None
        second[at] = late[int(generator.integers(len(late)))]
        early = sorted(p for p in free if p <= second[at] - SOONEST)
        first[document] = early[int(generator.integers(len(early)))]
        free -= {first[document], second[at]}
    return first, second


PAUSE_SECONDS = 300.0
"""A document counts for at most this long: what is longer is a pause."""
LEAST_ANSWERS = 3
"""Answers that an estimate of the remaining time needs."""
AnswerTime = tuple[datetime | None, datetime]
"""When a document was shown, if known, and when it was answered."""


def list_working_seconds(started: datetime, answers: Sequence[AnswerTime]) -> list[float]:
    """Seconds of each answer, in the order of ``answers``, which is that of time.

    An answer takes from the moment its document was shown, or from the answer before (or
    ``started``) if that was later, to the answer: no second counts twice, and none more than
    ``PAUSE_SECONDS`` for one document.
    """
    seconds, last = [], started
    for shown_at, answered_at in answers:
        begin = last if shown_at is None else max(shown_at, last)
        seconds.append(min(max((answered_at - begin).total_seconds(), 0.0), PAUSE_SECONDS))
        last = max(last, answered_at)
    return seconds


def sum_working_seconds(started: datetime, answers: Sequence[AnswerTime]) -> float:
    """Seconds of a unit that was started at ``started``; 0 without answers."""
    return float(sum(list_working_seconds(started, answers)))


def estimate_minutes_left(
    started: datetime, answers: Sequence[AnswerTime], remaining: int
) -> int | None:
    """Whole minutes for ``remaining`` documents at the median pace so far, at least 1.

    None with fewer than ``LEAST_ANSWERS`` answers, or if nothing remains.
    """
    if len(answers) < LEAST_ANSWERS or remaining < 1:
        return None
    return max(1, round(median(list_working_seconds(started, answers)) * remaining / 60))
