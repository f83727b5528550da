"""The composition of work units: balance of gold, places of repeats; their time."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd.units import (
    PAUSE_SECONDS,
    arrange_unit,
    choose_balanced,
    estimate_minutes_left,
    group_topics,
    list_working_seconds,
    sum_working_seconds,
)
from poolbench.judging.repeats import SOONEST

TOPICS = [7, 7, 8, 9, 9, 9, 9, 9]


def test_gold_is_dealt_evenly_by_grade():
    pairs = {0: list("aaaa"), 1: list("bbbb"), 2: list("c")}
    assert Counter(choose_balanced(pairs, {}, 7, seed=1)) == {"a": 3, "b": 3, "c": 1}
    assert choose_balanced(pairs, {0: 2, 1: 2}, 1, seed=1) == ["c"]
    assert Counter(choose_balanced(pairs, {0: 5}, 5, seed=1)) == {"b": 4, "c": 1}
    assert choose_balanced({}, {}, 3, seed=1) == []


@pytest.mark.parametrize("count", range(6))
def test_first_choices_come_first(count):
    chosen = choose_balanced({1: ["near", "far", "farther"]}, {}, count, seed=count)
    assert chosen == ["near", "far", "farther"][:count]


@given(
    st.integers(1, 30),
    st.lists(
        st.one_of(st.none(), st.integers(0, 29)), max_size=5, unique_by=lambda x: x or object()
    ),
    st.integers(0, 2**32),
)
def test_positions_are_a_permutation_and_repeats_come_late(documents, repeats, seed):
    repeats = [at if at is None or at < documents else None for at in repeats]
    known = [at for at in repeats if at is not None]
    if len(known) != len(set(known)):
        return
    positions = arrange_unit(documents, repeats, seed)
    placed = [at for at in positions if at is not None]
    assert sorted(placed) == list(range(1, len(placed) + 1))
    assert None not in positions[:documents]
    for first, at in zip(repeats, positions[documents:], strict=True):
        if first is None:
            assert at is not None
        elif at is not None:
            assert at - positions[first] >= SOONEST
    assert positions == arrange_unit(documents, repeats, seed)


def test_a_repeat_is_dropped_where_it_cannot_come_late():
    assert arrange_unit(SOONEST - 1, [0], 3)[-1] is None
    assert arrange_unit(SOONEST, [0], 3)[0] == 1
    assert arrange_unit(SOONEST, [0], 3)[-1] == SOONEST + 1


def test_every_order_occurs():
    orders = Counter(tuple(arrange_unit(3, [], seed)) for seed in range(600))
    assert len(orders) == 6
    assert min(orders.values()) > 60


START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("answers", "seconds"),
    [
        ([], []),
        ([(at(5), at(25))], [20]),
        ([(None, at(25))], [25]),
        # Shown before the last answer (two windows): no second counts twice.
        ([(at(0), at(20)), (at(1), at(30))], [20, 10]),
        # A break before the second was shown, and one with it on the screen.
        ([(at(0), at(20)), (at(920), at(930)), (at(930), at(4000))], [20, 10, PAUSE_SECONDS]),
        # A clock that went back.
        ([(at(10), at(5))], [0]),
    ],
)
def test_seconds_run_from_the_text_shown_to_the_answer(answers, seconds):
    assert list_working_seconds(START, answers) == seconds
    assert sum_working_seconds(START, answers) == sum(seconds)


def test_minutes_left_are_those_of_the_median_pace():
    answers = [(None, at(30)), (None, at(60)), (None, at(360))]
    assert estimate_minutes_left(START, answers, 10) == 5
    assert estimate_minutes_left(START, answers, 1) == 1
    assert estimate_minutes_left(START, answers, 0) is None
    assert estimate_minutes_left(START, answers[:2], 10) is None


def test_documents_of_a_topic_follow_one_another():
    positions = arrange_unit(8, [None, 3], seed=4)
    topics = [*TOPICS, 8, 9]
    grouped = group_topics(positions, topics, {3, 9}, seed=4)
    assert sorted(map(int, filter(None, grouped))) == sorted(filter(None, positions))
    assert (grouped[3], grouped[9]) == (positions[3], positions[9])
    order = [topics[grouped.index(at)] for at in sorted(filter(None, grouped))
             if grouped.index(at) not in {3, 9}]  # fmt: skip
    assert len([1 for a, b in pairwise(order) if a != b]) == len(set(topics)) - 1


def test_no_place_tells_how_many_documents_a_topic_has():
    """A lone document, as gold of another topic would be, is anywhere."""
    lone = [
        group_topics(arrange_unit(8, [], seed), TOPICS, (), seed)[2] or 0 for seed in range(2_000)
    ]
    assert abs(sum(lone) / len(lone) - 4.5) < 0.25
    assert {1, 8} <= set(lone)
