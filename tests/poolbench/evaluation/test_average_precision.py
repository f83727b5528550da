"""Average precision in its three readings, word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.poolbench.evaluation.lectures import area_under_curve, batch_of, value
from tests.poolbench.evaluation.made import Topic

grades = st.lists(st.sampled_from([None, -1, 0, 1, 2]), max_size=30)


def topic_of(ranked: list[int | None], missed: int) -> Topic:
    return ranked, [grade for grade in ranked if grade is not None] + [1] * missed


def hits_of(ranked: list[int | None]) -> list[int]:
    return [rank for rank, grade in enumerate(ranked, 1) if grade is not None and grade >= 1]


@given(grades, st.integers(0, 3))
def test_readings_are_their_definitions(ranked: list[int | None], missed: int) -> None:
    topic, hits = topic_of(ranked, missed), hits_of(ranked)
    at_hits = sum(place / rank for place, rank in enumerate(hits, 1))
    last = hits[-1] if hits else 0
    at_ranks = sum(sum(hit <= rank for hit in hits) / rank for rank in range(1, last + 1))
    wanted = {
        "map": at_hits / (len(hits) + missed) if hits else 0.0,
        "map(over=seen)": at_hits / len(hits) if hits else 0.0,
        "map(over=ranks)": at_ranks / last if hits else 0.0,
    }
    # An empty topic has no line in the qrels.
    if topic[1]:
        assert {name: value(name, topic) for name in wanted} == pytest.approx(wanted, abs=1e-12)


@given(grades, st.integers(1, 3))
def test_average_precision_is_the_area_under_the_curve(
    ranked: list[int | None], missed: int
) -> None:
    topic = topic_of(ranked, missed)
    area = area_under_curve(batch_of(topic))[0]
    assert area == pytest.approx(value("map", topic), abs=1e-12)


def test_readings_differ_where_something_is_not_found() -> None:
    topic: Topic = ([1], [1, 1, 1, 1])
    names = ("map", "map(over=seen)", "map(over=ranks)")
    assert [value(name, topic) for name in names] == [1 / 4, 1.0, 1.0]
