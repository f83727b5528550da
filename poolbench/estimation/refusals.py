"""When an estimate has no interval, and why."""

import numpy as np

from poolbench.estimation.measures import FractionalMeasure
from poolbench.estimation.sample import JudgedSample

MOST_SKIPPED = 0.05
MOST_UNJUDGED = 0.05
MOST_ENDED = 0.05
"""Of the topics, by a rule that reads grades (docs/decisions/0107)."""
LEAST_PER_TOPIC = 5
LEAST_ALONE = 20
"""Judged pairs of a topic on its own."""
TOO_FEW_JUDGED = f"there are fewer than {LEAST_PER_TOPIC} judged pairs a topic"
"""Of ratios; linear measures keep theirs."""


def explain_no_interval(sample: JudgedSample, measure: FractionalMeasure) -> str | None:
    """Why there is no interval, as the end of the sentence "no interval, …"; None with one."""
    judged, topics = len(sample.judged), len(sample.frame.topics)
    if judged == len(sample.pi):
        return None
    return (
        _explain_skipped(sample)
        or _explain_ended(sample)
        or _explain_topics(sample)
        or _explain_strata(sample)
        or _explain_number(judged, topics, measure.is_linear)
    )


def _explain_skipped(sample: JudgedSample) -> str | None:
    drawn = len(sample.judged) + sample.skipped
    if sample.skipped <= MOST_SKIPPED * drawn:
        return None
    return (
        f"sampled pairs without a grade: {sample.skipped} of {drawn}, more than {MOST_SKIPPED:.0%}"
    )


def _explain_ended(sample: JudgedSample) -> str | None:
    """Of a topic that ends when nothing relevant came for long, what was judged has too little."""
    ended, topics = sample.ended_by_grades, len(sample.frame.topics)
    if ended <= MOST_ENDED * topics:
        return None
    return (
        f"topics ended by a rule that reads grades: {ended} of {topics}, more than {MOST_ENDED:.0%}"
    )


def _explain_topics(sample: JudgedSample) -> str | None:
    unjudged, topics = list_unjudged_topics(sample), len(sample.frame.topics)
    if len(unjudged) <= MOST_UNJUDGED * topics:
        return None
    return (
        f"topics without a judged pair: {len(unjudged)} of {topics}, more than {MOST_UNJUDGED:.0%}"
    )


def list_unjudged_topics(sample: JudgedSample) -> list[str]:
    """The topics without a judged pair: their scores are the chances alone."""
    frame = sample.frame
    judged = np.bincount(frame.topic_index[sample.judged], minlength=len(frame.topics))
    return [frame.topics[at] for at in np.flatnonzero((judged == 0) & (frame.sizes > 0)).tolist()]


def _explain_strata(sample: JudgedSample) -> str | None:
    if sample.strata is None:
        return None
    judged = np.bincount(sample.strata[sample.judged], minlength=int(sample.strata.max()) + 1)
    missed = np.flatnonzero(judged[sample.strata] == 0)
    if not len(missed):
        return None
    frame, stratum = sample.frame, sample.strata[missed[0]]
    topic = frame.topic_index[missed[0]]
    place = stratum - sample.strata[frame.topic_index == topic].min() + 1
    return f"stratum {place} of topic {frame.topics[topic]} has no judged pair"


def _explain_number(judged: int, topics: int, is_linear: bool) -> str | None:
    if topics == 1:
        return (
            f"fewer than {LEAST_ALONE} judged pairs of one topic" if judged < LEAST_ALONE else None
        )
    if judged < 2:
        return "fewer than two judged pairs"
    return None if is_linear or judged >= LEAST_PER_TOPIC * topics else TOO_FEW_JUDGED
