"""Box plots against numpy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.statistics.box_plot import BoxPlot, summarize_as_box


def test_by_hand():
    assert summarize_as_box([1, 2, 3, 4, 10]) == BoxPlot(1, 2, 3, 4, 4, (10,), 5)
    assert summarize_as_box([0.5]) == BoxPlot(0.5, 0.5, 0.5, 0.5, 0.5, (), 1)
    assert summarize_as_box([2, 2, 2, 5]) == BoxPlot(2, 2, 2, 2.75, 2, (5,), 4)


def test_undefined_values_are_left_out():
    assert summarize_as_box([]) is None
    assert summarize_as_box([float("nan")]) is None
    assert summarize_as_box([float("nan"), 1, 2]) == summarize_as_box([1, 2])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_whiskers_end_at_values_and_nothing_is_lost(values):
    box = summarize_as_box(values)
    assert box is not None
    quartiles = box.first_quartile, box.median, box.third_quartile
    assert quartiles == pytest.approx(np.percentile(values, [25, 50, 75]))
    within = [value for value in values if box.low <= value <= box.high]
    assert len(within) + len(box.outside) == len(values) == box.n
    assert {box.low, box.high} <= set(values)
