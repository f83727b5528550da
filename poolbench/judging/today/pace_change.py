"""Alarm: an assessor works twice as fast, or half as fast, as before."""

from __future__ import annotations

import numpy as np

from poolbench.judging.today.alarm import LEVEL, Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import Floats, Ints, Situation, WorkLog
from poolbench.verdicts import Act, VerdictState

NAME = "pace-changed"
WINDOW, BEFORE, LONGEST_BEFORE, LEAST_IN_TOPIC = 50, 100, 300, 20
PACE_RATIO = make_alarm_threshold(
    "pace-ratio",
    2.0,
    "median seconds of the last 50 documents of an assessor against those before, either way",
)


def check_pace(situation: Situation) -> AlarmCheck:
    """By assessor: the median active seconds of the last ``WINDOW`` judgments against that of the
    ``LONGEST_BEFORE`` before them (at least ``BEFORE``), as a ratio of at least the threshold; and
    the difference of the mean logarithms is more than chance and the topics explain.
    """
    log, ratio = situation.log, PACE_RATIO.value
    people = range(len(log.assessors))
    timed = [np.flatnonzero((log.assessor == at) & (log.seconds > 0)) for at in people]
    enough = [at for at in people if len(timed[at]) >= WINDOW + BEFORE]
    level, spread = LEVEL / max(len(enough), 1), measure_topic_variance(log)
    alarms = []
    for at in enough:
        late, early = timed[at][-WINDOW:], timed[at][-WINDOW - LONGEST_BEFORE : -WINDOW]
        now, before = log.seconds[late], log.seconds[early]
        change = float(np.median(now) / np.median(before))
        if max(change, 1 / change) < ratio:
            continue
        topics = spread * (
            sum_squared_shares(log.topic[late]) + sum_squared_shares(log.topic[early])
        )
        if compare_paces(now, before, topics) <= level:
            alarms.append(describe_pace(log.assessors[at], now, before, change))
    short = len(log.assessors) - len(enough)
    missing = f"{short} assessors have fewer than {WINDOW + BEFORE} judgments with active seconds"
    return AlarmCheck(tuple(alarms), len(enough), missing if short else "")


def compare_paces(now: Floats, before: Floats, topics: float) -> float:
    """Two-sided p of the difference of the mean logarithms, normally distributed with the variance
    s₁²/n₁ + s₂²/n₂ + ``topics``, which some topics being easier adds.
    """
    from scipy.special import ndtr

    late, early = np.log(now), np.log(before)
    error = late.var(ddof=1) / len(late) + early.var(ddof=1) / len(early) + topics
    return 2 * float(ndtr(-abs(late.mean() - early.mean()) / np.sqrt(error)))


def measure_topic_variance(log: WorkLog) -> float:
    """By how much the mean logarithms of the seconds differ between the topics of an assessor: the
    variance between these means less what the judgments within a topic explain, pooled over
    assessors. Topics with fewer than ``LEAST_IN_TOPIC`` timed judgments are left out; 0 without
    two topics.
    """
    timed = np.flatnonzero(log.seconds > 0)
    if not len(timed):
        return 0.0
    seconds = np.log(log.seconds[timed])
    cell, row = np.unique(
        log.assessor[timed] * len(log.topics) + log.topic[timed], return_inverse=True
    )
    n = np.bincount(row)
    means = np.bincount(row, seconds) / n
    within = np.bincount(row, np.square(seconds - means[row])) / np.maximum(n - 1, 1) / n
    squares, freedom = 0.0, 0
    for at in range(len(log.assessors)):
        own = (cell // len(log.topics) == at) & (n >= LEAST_IN_TOPIC)
        if np.count_nonzero(own) >= 2:
            squares += float(np.square(means[own] - means[own].mean()).sum())
            squares -= float(within[own].mean()) * (np.count_nonzero(own) - 1)
            freedom += int(np.count_nonzero(own)) - 1
    return max(0.0, squares / freedom) if freedom else 0.0


def sum_squared_shares(topics: Ints) -> float:
    """1 if all judgments are of one topic, 1/k if they are evenly of k."""
    shares = np.bincount(topics) / len(topics)
    return float(np.square(shares).sum())


def describe_pace(name: str, now: Floats, before: Floats, change: float) -> Alarm:
    word = "faster" if change < 1 else "slower"
    factor = max(change, 1 / change)
    return Alarm(
        NAME,
        name,
        VerdictState.AMBER,
        factor,
        f"{name} judges {factor:.1f} times {word} than before: a median of "
        f"{np.median(now):.1f} seconds a document, {np.median(before):.1f} before.",
        f"The last {WINDOW} documents against the {len(before)} before them. Easier topics, "
        "shorter documents or practice explain it as well as haste does.",
        (
            Act(f"Send {name} some of these documents to look at again", "review-new", (name,)),
            Act(f"Work of {name}", "judging-assessor", (name,)),
        ),
    )


PACE_CHANGE = AlarmRule(
    NAME,
    "Pace of an assessor",
    f"The median active seconds of an assessor's last {WINDOW} documents are at most half, or at "
    f"least twice, those of up to {LONGEST_BEFORE} before them.",
    (PACE_RATIO,),
    worse=0.5,
    check=check_pace,
)
