from __future__ import annotations

from poolbench.evaluation.leader_verdict import format_short_p
from poolbench.number_formats import format_decimals, format_percent


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
