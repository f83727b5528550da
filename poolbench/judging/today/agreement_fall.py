"""Alarm: the assessors of a topic have stopped meaning the same."""

from dataclasses import dataclass

import numpy as np

from poolbench.judging.agreement.coefficient import AgreementCounts
from poolbench.judging.agreement.krippendorff import krippendorff_alpha, ordinal_distance
from poolbench.judging.today.alarm import LEVEL, Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import (
    Floats,
    Ints,
    Situation,
    WorkLog,
    add_working_days,
    count_days,
)
from poolbench.verdicts import Act, VerdictState

NAME = "agreement-fell"
WINDOW, BEFORE, RECENT, FEWEST = 60, 30, 5, 20
DRAWS, SEED = 1_999, 4_201
LARGEST_FALL = make_alarm_threshold(
    "agreement-fall", 0.25, "fall of alpha over the last 60 shared documents of a topic"
)
LOWEST_ALPHA = make_alarm_threshold(
    "agreement-floor", 0.5, "alpha over the last 60 shared documents of a topic"
)


@dataclass(frozen=True, eq=False)
class SharedDocuments:
    """The documents of a topic with two planned judgments or more, in the order in which they
    became shared: coincidences of grades by document (n, q, q), as Krippendorff counts them.
    """

    topic: str
    scale: tuple[int, ...]
    coincident: Floats

    def compute_alpha(self, weights: Floats) -> Floats:
        """Ordinal alpha for each row of ``weights`` (draws, n); NaN where undefined."""
        q, draws = len(self.scale), len(weights)
        summed = (weights @ self.coincident.reshape(len(self.coincident), -1)).reshape(-1, q, q)
        none = np.zeros(draws)
        counts = AgreementCounts(
            self.scale, 0, none, summed, summed, summed.sum(-1), np.zeros((draws, 3))
        )
        return krippendorff_alpha(counts, distance=ordinal_distance)


def check_agreement(situation: Situation) -> AlarmCheck:
    """Topics at work whose alpha over the last ``WINDOW`` shared documents is below the floor with
    its upper bound, or fell from that of the documents before (at least ``BEFORE``) by more than
    chance explains: a permutation test over the order of the documents.

    Both at ``LEVEL`` divided by the number of topics that were examined.
    """
    recent = list_recent_topics(situation)
    shared = list_shared_documents(situation.log, situation.scale)
    shared = [topic for topic in shared if topic.topic in recent]
    enough = [topic for topic in shared if len(topic.coincident) >= WINDOW]
    level = LEVEL / max(len(enough), 1)
    alarms = [check_topic_agreement(topic, level, situation) for topic in enough]
    short = len(recent) - len(enough)
    missing = f"{short} topics have fewer than {WINDOW} documents with two assessors"
    return AlarmCheck(
        tuple(alarm for alarm in alarms if alarm is not None),
        len(enough),
        missing if short > 0 else "",
    )


def list_recent_topics(situation: Situation) -> set[str]:
    """The topics with a judgment on one of the last ``RECENT`` working days."""
    since = count_days(add_working_days(situation.today, -RECENT))
    log = situation.log
    return {log.topics[at] for at in np.unique(log.topic[log.day >= since]).tolist()}


def compute_recent_alphas(situation: Situation) -> dict[str, float]:
    """By topic, alpha over the last ``WINDOW`` shared documents, of at least ``FEWEST``."""
    alphas = {}
    for topic in list_shared_documents(situation.log, situation.scale):
        n = len(topic.coincident)
        if n >= FEWEST:
            last = np.arange(n) >= n - WINDOW
            alphas[topic.topic] = float(topic.compute_alpha(last[None].astype(np.float64))[0])
    return {number: alpha for number, alpha in alphas.items() if not np.isnan(alpha)}


def check_topic_agreement(
    shared: SharedDocuments, level: float, situation: Situation
) -> Alarm | None:
    n = len(shared.coincident)
    recent = np.zeros(n)
    recent[-WINDOW:] = 1.0
    now = float(shared.compute_alpha(recent[None])[0])
    if np.isnan(now):
        return None
    before = float(shared.compute_alpha(1.0 - recent[None])[0]) if n > WINDOW else np.nan
    fall = LARGEST_FALL.value
    has_fallen = (
        n - WINDOW >= BEFORE
        and before - now >= fall
        and permute_documents(shared, before - now) <= level
    )
    floor = LOWEST_ALPHA.value
    is_low = now < floor and bound_alpha(shared, level) < floor
    if not (has_fallen or is_low):
        return None
    return describe_agreement_fall(
        shared, now, before if n - WINDOW >= BEFORE else None, floor, situation
    )


def permute_documents(shared: SharedDocuments, fall: float) -> float:
    """How probable a fall at least this large is if the order of the documents means nothing."""
    n = len(shared.coincident)
    keys = np.random.default_rng(SEED).random((DRAWS, n))
    late = np.zeros((DRAWS, n))
    np.put_along_axis(late, np.argpartition(keys, WINDOW, axis=1)[:, :WINDOW], 1.0, axis=1)
    falls = shared.compute_alpha(1.0 - late) - shared.compute_alpha(late)
    # An undefined fall is no evidence against chance, so it counts as one as large.
    as_large = int(np.count_nonzero(np.isnan(falls) | (falls >= fall - 1e-12)))
    return (1 + as_large) / (1 + DRAWS)


def bound_alpha(shared: SharedDocuments, level: float) -> float:
    """The upper bound of alpha over the last documents: one-sided, by their jackknife."""
    from scipy.special import ndtri

    last = SharedDocuments(shared.topic, shared.scale, shared.coincident[-WINDOW:])
    without = last.compute_alpha(1.0 - np.eye(WINDOW))
    if np.isnan(without).any():
        return np.inf
    error = np.sqrt((WINDOW - 1) / WINDOW * np.square(without - without.mean()).sum())
    now = float(last.compute_alpha(np.ones((1, WINDOW)))[0])
    return now + float(ndtri(1 - level)) * float(error)


def list_shared_documents(log: WorkLog, scale: tuple[int, ...]) -> list[SharedDocuments]:
    """By topic, in the order of the topics; third judgments are left out."""
    planned = np.flatnonzero(~log.third)
    if not len(planned):
        return []
    q = len(scale)
    _, pair = np.unique(log.pair[planned], return_inverse=True)
    by_grade = np.bincount(pair * q + log.grade[planned], minlength=(pair.max() + 1) * q)
    by_grade = by_grade.reshape(-1, q).astype(np.float64)
    judgments = by_grade.sum(axis=1)
    second = find_second_rows(pair)
    several = np.flatnonzero(judgments >= 2)
    topic = np.zeros(len(judgments), np.int64)
    topic[pair] = log.topic[planned]
    several = several[np.lexsort((second[several], topic[several]))]
    grades = by_grade[several]
    cells = grades[:, :, None] * (grades[:, None, :] - np.eye(q))
    cells /= (judgments[several] - 1)[:, None, None]
    starts = np.searchsorted(topic[several], np.arange(len(log.topics) + 1))
    return [
        SharedDocuments(number, scale, cells[starts[at] : starts[at + 1]])
        for at, number in enumerate(log.topics)
        if starts[at + 1] > starts[at]
    ]


def find_second_rows(pair: Ints) -> Ints:
    """For each pair, the row of its second judgment; beyond the last row where there is none."""
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[first, len(pair)])
    second = np.full(len(first), len(pair), np.int64)
    second[sizes >= 2] = order[first[sizes >= 2] + 1]
    return second


def describe_agreement_fall(
    shared: SharedDocuments, now: float, before: float | None, floor: float, situation: Situation
) -> Alarm:
    late = shared.coincident[-WINDOW:]
    apart = np.triu(late.sum(axis=0), 1)
    # By document, the coincidences of different grades.
    differ = late.sum(axis=(1, 2)) - np.trace(late, axis1=1, axis2=2)
    disagreements = int(np.count_nonzero(differ))
    low, high = np.unravel_index(int(apart.argmax()), apart.shape)
    low_grade, high_grade = shared.scale[low], shared.scale[high]
    fell = f"fell from {before:.2f} to {now:.2f}" if before is not None else f"is {now:.2f}"
    evidence = (
        f"{disagreements} of these {WINDOW} documents have different grades, most often "
        f"{low_grade} and {high_grade}."
    )
    if situation.guidelines is not None:
        changed = situation.guidelines
        evidence += f" The guidelines are version {changed.version}, of {changed.day:%-d %B}."
    return Alarm(
        NAME,
        shared.topic,
        VerdictState.BAD,
        max((before or floor) - now, floor - now),
        f"On topic {shared.topic} the assessors disagree: alpha {fell} over the last {WINDOW} "
        "shared documents.",
        evidence,
        (
            Act(
                f"Read the {disagreements} disagreements of topic {shared.topic}",
                "consensus",
                query={"of": shared.topic},
                documents=disagreements,
            ),
            Act("Clarify the guidelines", "campaign-settings"),
        ),
    )


AGREEMENT_FALL = AlarmRule(
    NAME,
    "Agreement of a topic",
    f"Krippendorff's ordinal alpha over the last {WINDOW} documents of a topic with two assessors "
    "is below the floor, also at its upper bound; or it fell against the documents before, by "
    "more than a permutation test lets chance explain.",
    (LARGEST_FALL, LOWEST_ALPHA),
    worse=0.1,
    check=check_agreement,
)
