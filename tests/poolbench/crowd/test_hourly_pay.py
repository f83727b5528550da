"""Pay per hour and the smallest pay, by hand."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd.hourly_pay import (
    PAY,
    PayAssessment,
    assume_unit_seconds,
    compute_hourly_pay,
    compute_unit_seconds,
    estimate_unit_seconds,
    measure_reading_seconds,
)
from poolbench.crowd.pay import PayTerms, compute_smallest_pay


def test_the_worked_example_of_the_card():
    seconds = estimate_unit_seconds([25.0], 24, "judgments")
    assert seconds.median == 600
    assert compute_hourly_pay(Decimal("2.00"), 600) == pytest.approx(12.0)
    assert compute_smallest_pay(Decimal("12.50"), 600) == Decimal("2.09")  # 2.08333…
    assert "2.09" in PAY.example


@pytest.mark.parametrize(
    ("minimum", "seconds", "smallest"),
    [
        ("12.00", 600, "2.00"),  # exactly
        ("12.00", 600.001, "2.01"),  # a millisecond more costs a cent
        ("12.00", 600.0004, "2.00"),  # less than a millisecond does not count
        ("13.90", 421.5, "1.63"),  # 1.62745…
        ("0.00", 600, "0"),
        ("12.00", 0, "0"),
        ("36.00", 1, "0.01"),
        ("36.00", 1.001, "0.02"),
    ],
)
def test_the_smallest_pay_is_rounded_up_to_the_cent(minimum, seconds, smallest):
    assert compute_smallest_pay(Decimal(minimum), seconds) == Decimal(smallest)


@given(
    st.integers(0, 10_000).map(lambda cents: Decimal(cents) / 100),
    st.integers(1, 20_000_000).map(lambda ms: ms / 1000),
)
def test_the_smallest_pay_is_enough_and_a_cent_less_is_not(minimum, seconds):
    smallest = compute_smallest_pay(minimum, seconds)
    exact = minimum * Decimal(str(seconds)) / 3600
    assert smallest >= exact - Decimal("1e-20")
    assert smallest - Decimal("0.01") < exact or smallest == 0


def test_no_time_has_no_hourly_pay():
    assert compute_hourly_pay(Decimal("1.00"), 0) is None


def test_percentiles_of_whole_units():
    # Sorted 300, 360, 420, 600, 1200: the median is 420, the 75th percentile 600.
    seconds = compute_unit_seconds([600, 300, 1200, 420, 360], 24, "units")
    assert (seconds.median, seconds.slow, seconds.n) == (420, 600, 5)
    assert seconds.per_document == 17.5
    # Between two observations the percentile is interpolated: .75 · 3 = 2.25.
    assert compute_unit_seconds([1, 2, 3, 5], 1, "units").slow == 3.5


def test_seconds_of_documents_are_scaled_to_a_unit():
    seconds = estimate_unit_seconds([10, 20, 30], 24, "judgments")
    assert (seconds.median, seconds.slow, seconds.per_document) == (480, 600, 20)


def test_an_assumption_says_that_nothing_was_measured():
    seconds = assume_unit_seconds(24)
    assert (seconds.median, seconds.slow, seconds.n, seconds.source) == (720, 1080, 0, "assumed")


def test_without_observations_there_is_no_median():
    with pytest.raises(ValueError, match="no observations"):
        compute_unit_seconds([], 24, "units")


def test_reading_is_counted_in_words():
    assert measure_reading_seconds("one two three four", "five") == 1.5  # 200 words a minute
    assert measure_reading_seconds("", "") == 0


def assess(practice: str = "0.50", *, has_practice: bool = True) -> PayAssessment:
    terms = PayTerms(Decimal("2.00"), Decimal(practice), Decimal("12.00"))
    seconds = estimate_unit_seconds([20, 25, 35], 24, "judgments")
    return PayAssessment(terms, seconds, 60 + 5 * seconds.per_document, has_practice)


def test_a_unit_is_assessed_at_the_median_and_at_the_slow_end():
    pay = assess()
    median, slow, _, _ = pay.cases
    assert pay.hourly == median.hourly == pytest.approx(12.0)  # 24 · 25 s = 600 s
    assert slow.hourly == pytest.approx(10.0)  # 24 · 30 s = 720 s
    assert (median.smallest, slow.smallest) == (Decimal("2.00"), Decimal("2.40"))
    assert median.is_enough


def test_a_first_unit_is_assessed_by_what_is_paid_for_it():
    first = assess().first
    assert first.seconds == 785  # 600 + 60 + 5 · 25
    assert (first.amount, first.smallest) == (Decimal("2.50"), Decimal("2.62"))  # 2.61666…
    assert first.hourly == pytest.approx(2.5 * 3600 / 785)
    assert not first.is_enough
    # Practice is paid by its 185 seconds, .61666…, however much more it could be.
    assert assess("0.62").first.amount == assess("9.00").first.amount == Decimal("2.62")
    assert assess("0.62").first.is_enough


def test_practice_is_paid_for_its_time():
    pay = assess()
    assert pay.first_seconds == 185
    assert pay.smallest_practice == Decimal("0.62")  # 12 · 185 / 3600 = .61666…
    assert [case.who for case in pay.cases][-1] == "Practice alone"
    assert not pay.cases[-1].is_enough


def test_without_practice_the_unit_pays_for_reading():
    pay = assess(has_practice=False)
    assert (pay.smallest_practice, pay.practice_pay) == (0, 0)
    assert len(pay.cases) == 3
    assert pay.cases[1].minutes == 12
    assert not pay.first.is_enough
    assert pay.smallest_first == Decimal("2.62")
