"""The time of a unit: from document to document by our clock, pauses cut off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import median

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
