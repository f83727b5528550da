import math

import pytest

from poolbench.evaluation.leader_verdict import format_short_p
from poolbench.number_formats import format_decimals, format_percent, is_reached


def test_decimals_have_a_true_minus_and_commas():
    values = (0.5, -0.51, 12345.678, None)
    assert [format_decimals(value, 2) for value in values] == ["0.50", "−0.51", "12,345.68", "–"]
    assert format_decimals(0.0981, 3, signed=True) == "+0.098"
    assert format_decimals(-0.0029, 3, signed=True) == "−0.003"


def test_percents_stay_on_one_line():
    assert [format_percent(share) for share in (0.276, None)] == ["28\u00a0%", "–"]
    assert format_percent(0.0104, 1) == "1.0\u00a0%"


def test_a_small_p_is_never_zero():
    assert [format_short_p(p) for p in (0.0004, 0.0214, None)] == ["< 0.001", "0.021", "–"]


@pytest.mark.parametrize(
    ("share", "limit", "text"),
    [
        (0.8996, 0.9, "89.96\u00a0%"),
        (0.899, 0.9, "89.9\u00a0%"),
        (0.9, 0.9, "90\u00a0%"),
        (0.904, 0.9, "90\u00a0%"),
        (0.3332, 0.333, "33\u00a0%"),
        (0.42, 0.9, "42\u00a0%"),
        (None, 0.9, "–"),
    ],
)
def test_a_share_is_never_printed_on_the_other_side_of_its_limit(share, limit, text):
    assert format_percent(share, limit=limit) == text


def test_a_number_just_below_its_limit_is_not_printed_as_the_limit():
    assert format_decimals(0.9696, 2, limit=0.97) == "0.9696"
    assert format_decimals(0.97, 2, limit=0.97) == "0.97"


def test_a_mean_that_misses_its_limit_by_noise_alone_reaches_it():
    mean = math.nextafter(0.9, 0)
    assert is_reached(0.9, mean)
    assert format_percent(mean, limit=0.9) == "90\u00a0%"
    assert not is_reached(0.9, 0.89999)
