"""What a study will ask for and cost before it starts; how much gold it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from poolbench.crowd.hourly_pay import UnitSeconds
from poolbench.crowd.options import StudyOptions
from poolbench.crowd.pay import HOUR


@dataclass(frozen=True)
class StudyForecast:
    """``judgments`` wanted for ``pairs``, in ``units``; ``units_wanted`` without the quota.

    ``workers`` is the smallest number of workers that can do it. ``cost`` is that of ``units``,
    ``most_cost`` with the whole extra budget; practice comes on top. Nothing but bonuses and fees
    of the provider comes on top of ``ceiling``, None without limits. ``hours`` is the working time
    at the median.
    """

    pairs: int
    judgments: int
    units: int
    units_wanted: int
    gold: int
    repeats: int
    workers: int
    cost: Decimal
    most_cost: Decimal
    ceiling: Decimal | None
    hours: float

    @property
    def is_limited(self) -> bool:
        """Whether the quota ends the study before all judgments are there."""
        return self.units < self.units_wanted


def forecast_study(
    pairs_by_topic: Sequence[int], redundancy: int, options: StudyOptions, seconds: UnitSeconds
) -> StudyForecast:
    """The forecast of a study of ``pairs_by_topic`` pairs, each with ``redundancy`` judgments.

    A unit never has a pair twice, so every pair needs as many workers as judgments. With units of
    one topic the last unit of a topic may be smaller, and is paid in full.
    """
    pairs = sum(pairs_by_topic)
    judgments = pairs * redundancy
    parts = pairs_by_topic if options.one_topic else [pairs]
    wanted = sum(count_units_for_pairs(n, redundancy, options.unit_size) for n in parts)
    units = wanted if options.max_units is None else min(wanted, options.max_units)
    extra = ceil(options.extra_budget / options.unit_size)
    most = wanted + extra if options.max_units is None else min(wanted + extra, options.max_units)
    by_quota = ceil(units / options.units_per_worker)
    return StudyForecast(
        pairs=pairs,
        judgments=judgments,
        units=units,
        units_wanted=wanted,
        gold=units * options.gold_per_unit,
        repeats=units * options.repeats_per_unit,
        workers=max(by_quota, redundancy) if units else 0,
        cost=units * options.pay_per_unit,
        most_cost=most * options.pay_per_unit,
        ceiling=compute_ceiling(options),
        hours=units * seconds.median / HOUR,
    )


def compute_ceiling(options: StudyOptions) -> Decimal | None:
    """The most that can be owed without bonuses: every unit of the limit complete and a first one,
    and as many paid for practice alone as may be. None if one of the limits is missing.
    """
    practice = options.screen_out_pay
    if options.max_units is None or (practice and options.max_screened is None):
        return None
    screened = options.max_screened or 0
    return options.max_units * options.pay_per_unit + (options.max_units + screened) * practice


def count_units_for_pairs(pairs: int, redundancy: int, size: int) -> int:
    """Units of ``size`` for ``pairs`` pairs, each of which is in ``redundancy`` different ones."""
    if not pairs:
        return 0
    return max(ceil(pairs * redundancy / size), redundancy)


@dataclass(frozen=True)
class GoldNeed:
    """The gold of ``grade`` that a study needs, beside what it has."""

    grade: int
    available: int
    needed: int

    @property
    def missing(self) -> int:
        return max(self.needed - self.available, 0)


def compute_gold_needs(
    available: Mapping[int, int], scale: Sequence[int], *, gold_per_unit: int, units_per_worker: int
) -> list[GoldNeed]:
    """By grade of ``scale``, ascending: the gold that one worker can meet, balanced over grades.

    A worker meets a gold pair once. Negative grades need none.
    """
    grades = sorted(scale)
    tested = [grade for grade in grades if grade >= 0]
    each = ceil(gold_per_unit * units_per_worker / len(tested)) if tested else 0
    return [GoldNeed(grade, available.get(grade, 0), each if grade >= 0 else 0) for grade in grades]


def find_dominant_grade(
    available: Mapping[int, int], stop_below: float
) -> tuple[int, float] | None:
    """The grade that a worker could always give and never be stopped, with its share of the gold.

    A constant answer is right as often as its grade occurs: from a share of ``stop_below`` on, the
    stop rule cannot tell such a worker from one who reads. The lowest one of several.
    """
    total = sum(available.values())
    if not total:
        return None
    grade = min(available, key=lambda each: (-available[each], each))
    share = available[grade] / total
    return (grade, share) if share >= stop_below else None
