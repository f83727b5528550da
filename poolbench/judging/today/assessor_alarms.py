"""Alarms about an assessor: another share of the lowest grade, another pace, contradictions."""

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from poolbench.judging.today.alarm import LEVEL, Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import Flags, Floats, Ints, Situation, WorkLog
from poolbench.number_formats import format_percent
from poolbench.verdicts import Act, VerdictState

SHUFFLED, LEAST_OTHERS = 100, 10
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
    """By assessor: the last ``SHUFFLED`` documents that came in random order, topic by topic beside
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
        f"{short} assessors have fewer than {SHUFFLED} documents in random order, of topics with "
        f"{LEAST_OTHERS} other judgments"
    )
    return AlarmCheck(alarms, len(compared), missing if short else "")


def measure_lowest_share(log: WorkLog, assessor: int) -> LowestShare | None:
    """None where fewer than ``SHUFFLED`` of the documents can be compared."""
    usable = log.shuffled & ~log.third
    own = np.flatnonzero((log.assessor == assessor) & usable)[-SHUFFLED:]
    if len(own) < SHUFFLED:
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
    if n < SHUFFLED * 0.8:
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
        "grades-shifted",
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
    "grades-shifted",
    "Share of the lowest grade",
    f"Among an assessor's last {SHUFFLED} documents in random order, the share of the lowest grade "
    "differs from that of all other judgments of the same topics.",
    (LARGEST_SHIFT,),
    worse=0.1,
    check=check_lowest_grade,
)


TIMED, BEFORE, LONGEST_BEFORE, LEAST_IN_TOPIC = 50, 100, 300, 20
PACE_RATIO = make_alarm_threshold(
    "pace-ratio",
    2.0,
    "median seconds of the last 50 documents of an assessor against those before, either way",
)


def check_pace(situation: Situation) -> AlarmCheck:
    """By assessor: the median active seconds of the last ``TIMED`` judgments against that of the
    ``LONGEST_BEFORE`` before them (at least ``BEFORE``), as a ratio of at least the threshold; and
    the difference of the mean logarithms is more than chance and the topics explain.
    """
    log, ratio = situation.log, PACE_RATIO.value
    people = range(len(log.assessors))
    timed = [np.flatnonzero((log.assessor == at) & (log.seconds > 0)) for at in people]
    enough = [at for at in people if len(timed[at]) >= TIMED + BEFORE]
    level, spread = LEVEL / max(len(enough), 1), measure_topic_variance(log)
    alarms = []
    for at in enough:
        late, early = timed[at][-TIMED:], timed[at][-TIMED - LONGEST_BEFORE : -TIMED]
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
    missing = f"{short} assessors have fewer than {TIMED + BEFORE} judgments with active seconds"
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
        "pace-changed",
        name,
        VerdictState.AMBER,
        factor,
        f"{name} judges {factor:.1f} times {word} than before: a median of "
        f"{np.median(now):.1f} seconds a document, {np.median(before):.1f} before.",
        f"The last {TIMED} documents against the {len(before)} before them. Easier topics, "
        "shorter documents or practice explain it as well as haste does.",
        (
            Act(f"Send {name} some of these documents to look at again", "review-new", (name,)),
            Act(f"Work of {name}", "judging-assessor", (name,)),
        ),
    )


PACE_CHANGE = AlarmRule(
    "pace-changed",
    "Pace of an assessor",
    f"The median active seconds of an assessor's last {TIMED} documents are at most half, or at "
    f"least twice, those of up to {LONGEST_BEFORE} before them.",
    (PACE_RATIO,),
    worse=0.5,
    check=check_pace,
)


REPEATS = 12
MOST_APART = make_alarm_threshold(
    "repeats",
    3,
    "of an assessor's last 12 blind repeats disagree on whether the document is relevant",
)
USUAL_APART = make_alarm_threshold(
    "repeats-usual", 0.08, "share of repeats that disagree where nothing is wrong"
)


def check_repeats(situation: Situation) -> AlarmCheck:
    """By assessor: so many of the last ``REPEATS`` repeats disagree, and more than the binomial
    distribution lets expect, with the usual share or that of all other repeats of the campaign,
    whichever is larger.
    """
    from scipy.special import bdtrc

    least = MOST_APART.value
    by_assessor: dict[str, list[bool]] = defaultdict(list)
    for name, agrees in situation.repeats:
        by_assessor[name].append(agrees)
    enough = {name: rows[-REPEATS:] for name, rows in by_assessor.items() if len(rows) >= REPEATS}
    level = LEVEL / max(len(enough), 1)
    apart = sum(not agrees for _, agrees in situation.repeats)
    alarms = []
    for name, rows in enough.items():
        own = rows.count(False)
        others = len(situation.repeats) - REPEATS
        usual = max(USUAL_APART.value, (apart - own) / others if others else 0.0)
        # bdtrc is the probability of more than its first argument.
        if own >= least and float(bdtrc(own - 1, REPEATS, usual)) <= level:
            alarms.append(describe_repeats(name, own, usual))
    people = {*situation.log.assessors, *by_assessor}
    short = len(people) - len(enough)
    missing = f"{short} assessors have fewer than {REPEATS} blind repeats"
    return AlarmCheck(tuple(alarms), len(enough), missing if short else "")


def describe_repeats(name: str, own: int, usual: float) -> Alarm:
    return Alarm(
        "repeats-disagree",
        name,
        VerdictState.AMBER,
        own,
        f"{own} of the last {REPEATS} blind repeats of {name} disagree on whether the document is "
        "relevant.",
        f"{format_percent(usual)} is usual. The document, the topic and the grade meanings come "
        "first: the repeats show which ones are hard to decide.",
        (
            Act("Self-consistency of all assessors", "assessor-quality"),
            Act("Clarify the guidelines", "campaign-settings"),
        ),
    )


REPEAT_DISAGREEMENT = AlarmRule(
    "repeats-disagree",
    "Blind repeats",
    f"Of an assessor's last {REPEATS} blind repeats, more disagree on relevance than is usual.",
    (MOST_APART, USUAL_APART),
    worse=1,
    check=check_repeats,
)
