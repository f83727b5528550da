"""What is owed for a unit, by hand."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd.pay import (
    PayTerms,
    UnitOutcome,
    compute_payment,
    compute_smallest_pay,
    round_to_cent,
)

TERMS = PayTerms(Decimal("1.50"), Decimal("0.20"), Decimal("12.00"))
STATES = ("complete", "abandoned", "screened", "refused")


@pytest.mark.parametrize(
    ("outcome", "amount"),
    [
        (UnitOutcome("complete", True, 24, 24, 300), "1.50"),
        (UnitOutcome("complete", True, 5, 24, 300), "1.50"),
        (UnitOutcome("abandoned", True, 7, 24, 300), "0.44"),  # 0.4375
        (UnitOutcome("abandoned", True, 0, 24, 300), None),
        (UnitOutcome("refused", True, 12, 24), "0.75"),
        (UnitOutcome("refused", False, 0, 0), None),
        (UnitOutcome("screened", False, 0, 0, practice=2, practice_seconds=60), "0.20"),
        (UnitOutcome("screened", False, 0, 0, practice=2, practice_seconds=12), "0.04"),
        (UnitOutcome("screened", False, 0, 0, practice=2, practice_seconds=12.001), "0.05"),
        (UnitOutcome("screened", False, 0, 0), None),  # set aside before anything
        (UnitOutcome("refused", False, 0, 0, practice=2, practice_seconds=99), "0.20"),
        (UnitOutcome("abandoned", False, 0, 0, practice=1, practice_seconds=30), "0.10"),
        (UnitOutcome("abandoned", True, 0, 24, practice=2, practice_seconds=30), "0.10"),
        (UnitOutcome("abandoned", True, 1, 24, practice=2, practice_seconds=30), "0.16"),
        (UnitOutcome("abandoned", True, 7, 24, practice=2, practice_seconds=99), "0.64"),
        (UnitOutcome("complete", True, 24, 24, practice=2, practice_seconds=99), "1.70"),
        (UnitOutcome("screened", True, 7, 24, 240, practice=2, practice_seconds=30), "0.90"),
        (UnitOutcome("complete", True, 24, 24, skipped=12), "1.50"),  # half is not more than half
        (UnitOutcome("complete", True, 24, 24, skipped=13), "0.69"),  # 0.6875
        (UnitOutcome("complete", True, 24, 24, skipped=24), "0.01"),
        (UnitOutcome("abandoned", True, 7, 24, skipped=7), "0.44"),
        (UnitOutcome("screened", True, 7, 24, 0), "0.44"),
        (UnitOutcome("screened", True, 7, 24, 240), "0.80"),  # for the time
        (UnitOutcome("screened", True, 7, 24, 36000), "1.50"),  # at most the unit
        (UnitOutcome("screened", True, 2, 16, 0), "0.19"),  # 0.1875
        (UnitOutcome("abandoned", True, 1, 400, 0), "0.01"),  # 0.00375
    ],
)
def test_amounts_by_hand(outcome, amount):
    decision = compute_payment(outcome, TERMS)
    assert (decision.amount if decision else None) == (Decimal(amount) if amount else None)


def test_the_reason_says_why_practice_is_paid():
    ends = [(state, False) for state in STATES[1:]] + [("abandoned", True)]
    outcomes = [UnitOutcome(*end, 0, 0, practice=2, practice_seconds=30) for end in ends]
    assert [compute_payment(outcome, TERMS).reason for outcome in outcomes] == [
        "practice done, then stopped: 0.10 for practice",
        "practice not passed: 0.10 for practice",
        "practice done, then no documents: 0.10 for practice",
        "practice done, then stopped: 0.10 for practice",
    ]
    complete = UnitOutcome("complete", True, 24, 24, practice=2, practice_seconds=99)
    words = "complete: pay for a unit; 0.20 for practice"
    assert compute_payment(complete, TERMS).reason == words


def test_practice_without_a_promise_is_paid_in_full():
    outcome = UnitOutcome("screened", False, 0, 0, practice=2, practice_seconds=1)
    terms = replace(TERMS, hourly=Decimal(0))
    assert compute_payment(outcome, terms).amount == Decimal("0.20")


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(1, 5_000), st.integers(1, 5_000))
def test_whoever_works_as_fast_as_the_pay_assumes_gets_the_promise(work, practice, cents, hourly):
    """A first unit whose pay keeps the promise for documents and for practice keeps it as whole."""
    promise = Decimal(hourly) / 100
    unit = compute_smallest_pay(promise, work)
    most = compute_smallest_pay(promise, practice) + Decimal(cents) / 100
    outcome = UnitOutcome("complete", True, 5, 5, work, practice=2, practice_seconds=practice)
    amount = compute_payment(outcome, PayTerms(unit, most, promise)).amount
    exact = promise * (work + practice) / 3600
    assert exact <= amount < exact + Decimal("0.02")


def test_half_a_cent_is_rounded_up():
    assert round_to_cent(Decimal("0.125")) == Decimal("0.13")
    assert round_to_cent(Decimal("0.1249")) == Decimal("0.12")


@given(
    st.sampled_from(STATES),
    st.integers(0, 200),
    st.integers(0, 200),
    st.floats(0, 1e6),
    st.decimals(0, 100, places=2),
)
def test_work_is_paid_between_a_cent_and_the_unit(state, judged, size, seconds, pay):
    terms = PayTerms(pay, Decimal(0), Decimal("9.50"))
    decision = compute_payment(UnitOutcome(state, True, judged, size, seconds), terms)
    if not judged and state != "complete":
        assert decision is None
    elif pay:
        assert Decimal("0.01") <= decision.amount <= pay
    else:
        assert decision.amount == 0


def test_reasons_are_words_for_the_sheet():
    reasons = [
        compute_payment(UnitOutcome(state, True, 3, 24, 1000), TERMS).reason for state in STATES
    ]
    assert reasons == [
        "complete: pay for a unit", "abandoned: 3 of 24 documents judged",
        "screened out: 1000 seconds at the hourly minimum", "refused: 3 of 24 documents judged",
    ]  # fmt: skip
