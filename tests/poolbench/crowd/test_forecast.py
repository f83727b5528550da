"""The size and cost of a study, and the gold it needs, by hand."""

from dataclasses import replace
from decimal import Decimal

import pytest

from poolbench.crowd.forecast import compute_gold_needs, find_dominant_grade, forecast_study
from poolbench.crowd.hourly_pay import estimate_unit_seconds
from poolbench.crowd.options import StudyOptions

OPTIONS = StudyOptions(
    title="",
    provider="",
    unit_size=20,
    gold_per_unit=4,
    repeats_per_unit=1,
    units_per_worker=5,
    pay_per_unit=Decimal("1.50"),
)
SECONDS = estimate_unit_seconds([24.0], 25, "judgments")  # 600 s a unit


def test_a_study_of_two_topics():
    forecast = forecast_study([30, 25], 3, OPTIONS, SECONDS)
    assert (forecast.pairs, forecast.judgments) == (55, 165)
    assert forecast.units == 9  # 165 / 20 = 8.25
    assert (forecast.gold, forecast.repeats) == (36, 9)
    assert forecast.workers == 3  # a pair is judged by three; 9 / 5 would be two
    assert (forecast.cost, forecast.most_cost) == (Decimal("13.50"), Decimal("13.50"))
    assert forecast.hours == pytest.approx(1.5)


@pytest.mark.parametrize(("pairs", "change", "expected"), [
    ([30, 25], {"one_topic": True}, {"units": 9}),  # 90 / 20 = 4.5 and 75 / 20 = 3.75: 5 + 4
    # 21 / 20 would be two units, but a pair needs three workers.
    ([7, 7, 7], {"one_topic": True}, {"units": 9}),
    ([30, 25], {"max_units": 6},
     {"units": 6, "units_wanted": 9, "is_limited": True, "cost": Decimal("9.00")}),
    ([30, 25], {"extra_budget": 50},  # + 3 units
     {"cost": Decimal("13.50"), "most_cost": Decimal("18.00")}),
    ([], {}, {"units": 0, "workers": 0, "cost": 0}),
])  # fmt: skip
def test_options_of_a_study(pairs, change, expected):
    forecast = forecast_study(pairs, 3, replace(OPTIONS, **change), SECONDS)
    assert {name: getattr(forecast, name) for name in expected} == expected


def test_gold_needs_are_balanced_over_grades():
    needs = compute_gold_needs({0: 9, 1: 2}, [2, 1, 0, -2], gold_per_unit=4, units_per_worker=5)
    # 20 gold documents for one worker, 3 grades: 7 each; none of "spam".
    assert [(n.grade, n.available, n.needed, n.missing) for n in needs] == [
        (-2, 0, 0, 0), (0, 9, 7, 0), (1, 2, 7, 5), (2, 0, 7, 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("available", "dominant"),
    [
        ({0: 6, 1: 2, 2: 2}, (0, 0.6)),  # always 0 is right on 60 %: never below .6
        ({0: 5, 1: 3, 2: 2}, None),
        ({1: 4}, (1, 1.0)),
        ({}, None),
    ],
)
def test_a_constant_answer_must_fail(available, dominant):
    assert find_dominant_grade(available, 0.6) == dominant


def test_no_rule_stops_nobody():
    assert find_dominant_grade({0: 1, 1: 1}, 0.0) == (0, 0.5)
