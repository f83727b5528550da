"""Small situations for the tests of alarms."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from poolbench.judging.today.situation import Situation, WorkLog, count_days

MONDAY = date(2026, 11, 16)
TODAY_DATE = date(2026, 11, 24)  # a Tuesday
Row = tuple[int, int, int, int]
"""Assessor, topic, document, grade."""


def build_log(
    rows: Sequence[Row],
    *,
    day: date = TODAY_DATE - timedelta(1),
    seconds: Sequence[float] | None = None,
    shuffled: bool = True,
    third: Sequence[bool] | None = None,
) -> WorkLog:
    table = np.array(rows, np.int64).reshape(-1, 4)
    n = len(table)
    people, topics = int(table[:, 0].max(initial=-1)) + 1, int(table[:, 1].max(initial=-1)) + 1
    return WorkLog(
        tuple(f"a{at}" for at in range(people)),
        tuple(str(at + 1) for at in range(topics)),
        table[:, 0],
        table[:, 1],
        table[:, 1] * 100_000 + table[:, 2],
        table[:, 3],
        np.full(n, count_days(day)),
        np.full(n, np.nan) if seconds is None else np.array(seconds, np.float64),
        np.full(n, shuffled),
        np.zeros(n, np.bool_) if third is None else np.array(third),
    )


EMPTY = build_log([])


def build_situation(log: WorkLog = EMPTY, **more: object) -> Situation:
    facts = {"judged": len(log), "total": len(log) + 100, "left": 100, **more}
    return Situation(TODAY_DATE, (0, 1, 2), 1, log, **facts)  # type: ignore[arg-type]


def pace_case(before: float, now: float, n: int = 150) -> Situation:
    rows = [(0, at % 5, at, 0) for at in range(n)]
    spread = np.random.default_rng(1).lognormal(0, 0.5, n)
    seconds = np.where(np.arange(n) < n - 50, before, now) * spread
    return build_situation(build_log(rows, seconds=seconds.tolist()))


def shift_case(own_low: int, others_low: int, n: int = 100, **more: bool) -> Situation:
    """``own_low`` of the last ``n`` documents of a0, ``others_low`` of 100 of a1."""
    rows = [(1, 0, at, 0 if at < others_low else 1) for at in range(100)]
    rows += [(0, 0, 200 + at, 0 if at < own_low else 1) for at in range(n)]
    return build_situation(build_log(rows, **more))


def repeats(name: str, apart: int, n: int = 12) -> tuple[tuple[str, bool], ...]:
    return tuple((name, at >= apart) for at in range(n))
