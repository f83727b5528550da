"""Parameters far beyond the usual: the value is the formula's, or the parameter is refused."""

from __future__ import annotations

import numpy as np
import pytest

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measure
from poolbench.evaluation.options import ScoringOptions

RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
QRELS = {"1": {"a": 2, "c": 1, "d": 2}}


def value(name: str, options: ScoringOptions | None = None) -> float | None:
    with np.errstate(all="raise"):
        return evaluate(RUN, QRELS, [name], options).overall[0]


def test_precision_at_a_great_multiple_is_small_and_not_negative() -> None:
    assert value("Rprec_mult_1e30") == pytest.approx(2 / 3e30)
    assert value("Rprec_mult_1e100") == pytest.approx(2 / 3e100)


def test_g_of_great_gains_does_not_divide_by_zero() -> None:
    # Rank 3 is reached at the cost of three gains, one of which was missed.
    assert value("G_1=1e100,2=1e100") == pytest.approx((1 + 1 / np.log2(1e100)) / 3)
    best, same = {"1": {"a": 3.0, "b": 2.0}}, {"1": {"a": 1, "b": 1}}
    assert evaluate(best, same, ["G_1=1e16"]).overall == (1.0,)


@pytest.mark.parametrize("reader", ["insq", "inst"])
def test_a_reader_who_wants_very_much_reads_the_first_k_evenly(reader: str) -> None:
    gained = 1 + 1 / 2
    assert value(f"{reader}_10(T=1000000)") == pytest.approx(gained / 10, rel=1e-4)
    with pytest.raises(UnknownMeasureError, match="T must be at most 1,000,000"):
        parse_measure(f"{reader}_10(T=1e17)")


def test_taken_for_relevant_they_are_relevant_though_the_gain_table_ends_below_the_level() -> None:
    strict = ScoringOptions(level=3, gains={1: 1.0, 2: 2.0})
    found = evaluate(
        {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1}}, ["map(unjudged=relevant)"], strict
    )
    assert found.overall == (0.5,)
