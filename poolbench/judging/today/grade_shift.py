"""Alarm: an assessor gives the lowest grade much more, or much less, than the topics explain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolbench.judging.today.alarm import LEVEL, Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import Flags, Situation, WorkLog
from poolbench.number_formats import format_percent
from poolbench.verdicts import Act, VerdictState

NAME = "grades-shifted"
WINDOW, LEAST_OTHERS = 100, 10
LARGEST_SHIFT = make_alarm_threshold(
    "lowest-shift",
    0.2,
    "difference of the share of the lowest grade from what the topics let expect",
)


@dataclass(frozen=True)
class LowestShare:
    """``share`` among the last ``n`` documents, ``expected`` by the other judgments of the same
    topics, and how many standard ``errors`` lie between them.
    """

    share: float
    expected: float
    errors: float
    n: int


def check_lowest_grade(situation: Situation) -> AlarmCheck:
    """By assessor: the last ``WINDOW`` documents that came in random order, topic by topic beside
    all other judgments of the topic in random order (at least ``LEAST_OTHERS``).
    """
    from scipy.special import ndtri

    log, limit = situation.log, LARGEST_SHIFT.value
    people = range(len(log.assessors))
    shares = {at: measure_lowest_share(log, at) for at in people}
    compared = {at: share for at, share in shares.items() if share is not None}
    errors = float(ndtri(1 - LEVEL / max(len(compared), 1) / 2))
    alarms = tuple(
        describe_shift(log.assessors[at], share, situation)
        for at, share in compared.items()
        if abs(share.share - share.expected) >= limit and abs(share.errors) >= errors
    )
    short = len(log.assessors) - len(compared)
    missing = (
        f"{short} assessors have fewer than {WINDOW} documents in random order, of topics with "
        f"{LEAST_OTHERS} other judgments"
    )
    return AlarmCheck(alarms, len(compared), missing if short else "")


def measure_lowest_share(log: WorkLog, assessor: int) -> LowestShare | None:
    """None where fewer than ``WINDOW`` of the documents can be compared."""
    usable = log.shuffled & ~log.third
    own = np.flatnonzero((log.assessor == assessor) & usable)[-WINDOW:]
    if len(own) < WINDOW:
        return None
    rest: Flags = usable.copy()
    rest[own] = False
    topics = len(log.topics)
    lowest = log.grade == 0
    others = np.bincount(log.topic[rest], minlength=topics)
    others_low = np.bincount(log.topic[rest & lowest], minlength=topics)
    mine = np.bincount(log.topic[own], minlength=topics) * (others >= LEAST_OTHERS)
    mine_low = np.bincount(log.topic[own], lowest[own], topics) * (others >= LEAST_OTHERS)
    n = int(mine.sum())
    if n < WINDOW * 0.8:
        return None
    # One more of each grade: a topic without any of one still leaves room for chance.
    share = (others_low + 0.5) / (others + 1.0)
    expected = float((mine * share).sum() / n)
    spread = share * (1 - share)
    variance = float((mine * spread + mine**2 * spread / (others + 1.0)).sum())
    own_share = float(mine_low.sum() / n)
    return LowestShare(own_share, expected, (own_share - expected) * n / math.sqrt(variance), n)


def describe_shift(name: str, share: LowestShare, situation: Situation) -> Alarm:
    lowest = situation.scale[0]
    return Alarm(
        NAME,
        name,
        VerdictState.AMBER,
        abs(share.share - share.expected),
        f"{name} gave grade {lowest} to {format_percent(share.share)} of the last {share.n} "
        f"documents; on the same topics {format_percent(share.expected)} of the other judgments "
        f"are {lowest}.",
        f"That is {abs(share.errors):.1f} standard errors apart. A changed guideline, or a topic "
        "read in another way, is likelier than carelessness.",
        (
            Act(f"Send {name} some of these documents to look at again", "review-new", (name,)),
            Act("Bias and drift of all assessors", "assessor-quality"),
        ),
    )


GRADE_SHIFT = AlarmRule(
    NAME,
    "Share of the lowest grade",
    f"Among an assessor's last {WINDOW} documents in random order, the share of the lowest grade "
    "differs from that of all other judgments of the same topics.",
    (LARGEST_SHIFT,),
    worse=0.1,
    check=check_lowest_grade,
)
