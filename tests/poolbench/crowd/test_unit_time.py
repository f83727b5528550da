"""The time of a unit, from moments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from poolbench.crowd.units import (
    PAUSE_SECONDS,
    estimate_minutes_left,
    list_working_seconds,
    sum_working_seconds,
)

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("answers", "seconds"),
    [
        ([], []),
        ([(at(5), at(25))], [20]),
        ([(None, at(25))], [25]),
        # Shown before the last answer (two windows): no second counts twice.
        ([(at(0), at(20)), (at(1), at(30))], [20, 10]),
        # A break before the second was shown, and one with it on the screen.
        ([(at(0), at(20)), (at(920), at(930)), (at(930), at(4000))], [20, 10, PAUSE_SECONDS]),
        # A clock that went back.
        ([(at(10), at(5))], [0]),
    ],
)
def test_seconds_run_from_the_text_shown_to_the_answer(answers, seconds):
    assert list_working_seconds(START, answers) == seconds
    assert sum_working_seconds(START, answers) == sum(seconds)


def test_minutes_left_are_those_of_the_median_pace():
    answers = [(None, at(30)), (None, at(60)), (None, at(360))]
    assert estimate_minutes_left(START, answers, 10) == 5
    assert estimate_minutes_left(START, answers, 1) == 1
    assert estimate_minutes_left(START, answers, 0) is None
    assert estimate_minutes_left(START, answers[:2], 10) is None
