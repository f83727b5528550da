"""Numbers out of text are the ones that ``float`` reads, or are left to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading.reader import DocnoArray, parse_decimals
from tests.examples import examples
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


@examples(100)
@given(st.lists(PLAIN | ANY, min_size=1))
def test_anything_else_is_left_to_float_or_read_as_float_does(texts):
    for text, value in zip(texts, read(texts), strict=True):
        assert value is None or value == slow.parse_decimal(text)


@given(st.floats(-1e6, 1e6), st.integers(0, 8))
def test_scores_as_programs_print_them_are_not_odd(score, places):
    text = f"{score:.{places}f}"
    assert read([text]) == [slow.parse_decimal(text)]


NOT_PLAIN = [
    *(
        "",
        ".",
        "-",
        "-.",
        "1.2.3",
        "1e5",
        "+1",
        "--1",
        "1-",
        "1_0",
        "nan",
        "inf",
        "0x1",
        "١",
        "1,5",
    ),
    # More digits than a double holds.
    *("9007199254740993", "9.007199254740993", "-0.000000000000001", "0.1234567890123456"),
]


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_what_is_no_plain_decimal_is_left_to_float(text):
    assert read([text, "1"]) == [None, (1.0).hex()]


@pytest.mark.parametrize("text", ["9007199254740992", "123456789.123456", "-0.0", "0.0", "-0"])
def test_as_many_digits_as_a_double_holds_are_read_and_zero_keeps_its_sign(text):
    assert read([text]) == [slow.parse_decimal(text)]


def test_a_point_is_told():
    assert parse_decimals(
        DocnoArray.from_ids(["5", "5.", ".5", "1234567.12345678"])
    ).has_point.tolist() == [False, True, True, True]


def test_no_numbers_at_all():
    assert read([]) == []
