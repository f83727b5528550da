"""Topics that end before their drawn pairs are judged: samples of their own size, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from poolbench.estimation.design import count_complete, count_ended, count_part
from poolbench.estimation.errors import group_strata
from poolbench.estimation.refusals import explain_no_interval
from poolbench.estimation.sample import build_sample
from tests.poolbench.estimation.frames import make_frame
from tests.poolbench.estimation.test_refusals import AP

PAIRS = {"1": list("abcd"), "2": list("abcd"), "3": list("abcd")}
FRAME = make_frame({"x": PAIRS}, PAIRS)
SIZES = np.ones(12)
ORDER = np.array([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11])
"""a of each topic, then b of each, and so on."""


def test_an_ended_topic_is_a_stratum_of_what_came_before_its_gap():
    done = np.ones(12, bool)
    done[[1, 2]] = False  # of topic 1 only a, and d, which is behind the gap
    assert count_complete(ORDER, done) == 3
    ended = count_ended(FRAME, ORDER[:9], done, ["1", "2", "nowhere"])
    assert ended == {"1": 1}  # nothing is left to do in topic 2
    part = count_part(FRAME, SIZES, ORDER, 9, ended)
    assert part.pairs.tolist() == [0, 4, 8, 5, 9, 6, 10]
    assert part.ended == ("1",)
    assert part.pi.tolist() == pytest.approx([0.25] * 4 + [0.75] * 8)
    assert part.strata.tolist() == [1] * 4 + [0] * 8


def test_a_gap_behind_the_counted_part_changes_nothing():
    part = count_part(FRAME, SIZES, ORDER, 3, {"1": 1})
    assert (part.pairs.tolist(), part.strata, part.ended) == ([0, 4, 8], None, ())
    assert part.pi.tolist() == pytest.approx([0.25] * 12)


def test_a_pair_without_a_grade_raises_the_weights_of_its_stratum():
    part = count_part(FRAME, SIZES, ORDER, 9, {"1": 2})
    grades = np.ones(12, np.int64)
    grades[1] = -1
    sample = build_sample(FRAME, grades, part.pairs, part.pi, 1, part.strata)
    assert sample.skipped == 1
    assert sample.pi.tolist() == pytest.approx([0.25] * 4 + [0.75] * 8)
    # One pair of a stratum tells no spread: it is joined with the others.
    assert group_strata(sample).tolist() == [0] * 7


def test_a_rule_that_reads_grades_takes_intervals_away():
    part = count_part(FRAME, SIZES, ORDER, 12, {"1": 3})
    sample = build_sample(FRAME, np.ones(12, np.int64), part.pairs, part.pi, 1, part.strata)
    wide = replace(FRAME, topics=tuple(map(str, range(1, 4))))
    sample = replace(sample, frame=wide)
    assert "rule" not in (explain_no_interval(sample, AP) or "")
    why = "topics ended by a rule that reads grades: 1 of 3, more than 5%"
    assert explain_no_interval(replace(sample, ended_by_grades=1), AP) == why
