"""Numbers out of text are the ones that ``float`` reads, or are left to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading.reader import DocnoArray, parse_decimals
from tests.poolbench.reading import slow


def read(texts):
    numbers = parse_decimals(DocnoArray.from_ids(texts))
    return [
        None if odd else value.hex()
        for value, odd in zip(numbers.values.tolist(), numbers.is_odd.tolist(), strict=True)
    ]


PLAIN = st.from_regex(r"\A-?([0-9]{1,15}|[0-9]{0,7}\.[0-9]{1,7}|[0-9]{1,7}\.)\Z")
ANY = st.text("0123456789.-+eE_x \u0661\u00b2", min_size=1, max_size=25)


@given(st.lists(PLAIN, min_size=1))
def test_plain_decimals_are_read_exactly(texts):
    assert read(texts) == [slow.parse_decimal(text) for text in texts]


@given(st.lists(PLAIN | ANY, min_size=1))
def test_anything_else_is_left_to_float_or_read_as_float_does(texts):
    for text, value in zip(texts, read(texts), strict=True):
        assert value is None or value == slow.parse_decimal(text)


@given(st.floats(-1e6, 1e6), st.integers(0, 8))
def test_scores_as_programs_print_them_are_not_odd(score, places):
    text = f"{score:.{places}f}"
    assert read([text]) == [slow.parse_decimal(text)]


@pytest.mark.parametrize(
    "text",
    ["", ".", "-", "-.", "1.2.3", "1e5", "+1", "--1", "1-", "1_0", "nan", "inf", "0x1", "١", "1,5"],
)
def test_what_is_no_plain_decimal_is_odd(text):
    assert read([text, "1"]) == [None, (1.0).hex()]


@pytest.mark.parametrize(("text", "taken"), [
    ("9007199254740992", True), ("9007199254740993", False), ("9.007199254740993", False),
    ("123456789.123456", True), ("-0.000000000000001", False), ("0.1234567890123456", False),
])  # fmt: skip
def test_numbers_of_more_digits_than_a_double_holds_are_left_to_float(text, taken):
    assert read([text]) == [slow.parse_decimal(text) if taken else None]


def test_zero_keeps_its_sign():
    assert read(["-0.0", "0.0", "-0"]) == ["-0x0.0p+0", "0x0.0p+0", "-0x0.0p+0"]


def test_a_point_is_told():
    assert parse_decimals(
        DocnoArray.from_ids(["5", "5.", ".5", "1234567.12345678"])
    ).has_point.tolist() == [False, True, True, True]


def test_no_numbers_at_all():
    assert read([]) == []
