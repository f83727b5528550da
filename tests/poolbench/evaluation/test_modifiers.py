"""Condensed lists, stand-ins for unjudged documents, and means: for every family that has them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, log
from statistics import fmean, harmonic_mean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.bounds import compute_run_bounds
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.means import LEAST
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measure
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.options import ScoringOptions
from tests.examples import examples
from tests.poolbench.evaluation.everything import everything
from tests.poolbench.evaluation.made import Topic, made, random_topics

TOPICS = random_topics(30, seed=3)
CONDENSABLE = tuple(m for m in everything() if "list" in m.family.modifiers)
TAKING = tuple(m for m in everything() if "unjudged" in m.family.modifiers)
CONDENSED = ("list", "condensed")
RANKED = st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), max_size=12)
DRAWN = st.dictionaries(
    st.sampled_from("abcd"), st.tuples(RANKED, st.lists(st.integers(-1, 3), max_size=4)), min_size=1
)


def with_param(measure: Measure, name: str, value: str | int) -> Measure:
    return replace(measure, params=tuple(sorted((*measure.params, (name, value)))))


def topics(drawn: Mapping[str, tuple[Sequence[int | None], Sequence[int]]]) -> dict[str, Topic]:
    """The drawn rankings; a judged document more in each topic, so that all are there."""
    return {
        name: (ranked, [*(g for g in ranked if g is not None), *missed, 1])
        for name, (ranked, missed) in drawn.items()
    }


@examples(40)
@given(DRAWN, st.sampled_from([1, 2]))
def test_condensed_is_what_judged_documents_only_give(drawn, level):
    run, qrels = made(topics(drawn))
    condensed = [with_param(measure, "list", "condensed") for measure in CONDENSABLE]
    by_list = evaluate(run, qrels, condensed, ScoringOptions(level=level))
    by_option = evaluate(run, qrels, CONDENSABLE, ScoringOptions(level=level, judged_only=True))
    assert np.array_equal(by_list.values, by_option.values, equal_nan=True)
    assert by_list.overall == by_option.overall


@examples(40)
@given(DRAWN)
def test_condensed_is_plain_where_all_retrieved_is_judged(drawn):
    full = {t: ([max(g or 0, 0) for g in ranked], rest) for t, (ranked, rest) in drawn.items()}
    run, qrels = made(topics(full))
    plain = evaluate(run, qrels, CONDENSABLE)
    condensed = [with_param(measure, "list", "condensed") for measure in CONDENSABLE]
    found = evaluate(run, qrels, condensed)
    assert np.array_equal(found.values, plain.values, equal_nan=True)
    assert found.overall == plain.overall


@examples(40)
@given(DRAWN, st.sampled_from([("nonrelevant", 0), ("relevant", 3), (2, 2)]))
def test_stand_ins_are_what_such_judgments_would_give(drawn, stand_in):
    name, grade = stand_in
    scale = {"z": ([3], [3])}
    run, qrels = made(topics(drawn) | scale)
    filled = {
        topic: ([grade if g is None or g < 0 else g for g in ranked], missed)
        for topic, (ranked, missed) in drawn.items()
    }
    taking = [m for m in TAKING if m.family.group != "sampled" and not m.params.count(CONDENSED)]
    standing = evaluate(run, qrels, [with_param(m, "unjudged", name) for m in taking])
    judged = evaluate(*made(topics(filled) | scale), taking)
    for place, measure in enumerate(judged.measures):
        found, wanted = standing.values[:, place], judged.values[:, place]
        assert np.array_equal(found, wanted, equal_nan=True), measure.name
    assert standing.overall == judged.overall


def test_nothing_is_open_where_unjudged_documents_are_taken_for_something() -> None:
    names = ["map(unjudged=relevant)", "ndcg(unjudged=nonrelevant)", "bpref(unjudged=2)"]
    for found in compute_run_bounds(*made(TOPICS), names):
        assert np.array_equal(found.low, found.high), found.measure.name
        assert found.mean_low == pytest.approx(found.mean_high)
    scores = evaluate(*made(TOPICS), names)
    told = [bound.low for bound in compute_run_bounds(*made(TOPICS), names)]
    assert np.allclose(np.stack(told, axis=1), scores.values, atol=1e-12)


def test_a_condensed_list_has_no_unjudged_documents_to_take_for_something() -> None:
    names = ["map(list=condensed)", "map(list=condensed, unjudged=relevant)"]
    scores = evaluate(*made(TOPICS), names)
    assert np.array_equal(scores.values[:, 0], scores.values[:, 1])


@pytest.mark.parametrize("typed", ["map(unjudged=maybe)", "map(unjudged=-1)", "map(unjudged=1.5)"])
def test_other_stand_ins_are_refused(typed: str) -> None:
    with pytest.raises(
        UnknownMeasureError, match="unjudged must be as_is, nonrelevant, relevant or"
    ):
        parse_measure(typed)


def geometric_mean(values: list[float]) -> float:
    return exp(fmean(log(max(value, LEAST)) for value in values))


def small_harmonic_mean(values: list[float]) -> float:
    return harmonic_mean([max(value, LEAST) for value in values])


@pytest.mark.parametrize(("mean", "wanted"), [
    ("arithmetic", fmean), ("geometric", geometric_mean), ("harmonic", small_harmonic_mean),
    ("median", median),
])  # fmt: skip
def test_means_are_those_of_the_values_by_topic(mean, wanted):
    averaged = [m for m in everything(FAMILIES.values()) if "mean" in m.family.all_parameters()]
    assert len({measure.family.name for measure in averaged}) > 30
    asked = [m for m in averaged if "mean" not in dict(m.params)]
    asked = [with_param(m, "mean", mean) if mean != "arithmetic" else m for m in asked]
    scores = evaluate(*made(TOPICS), asked)
    for place, measure in enumerate(asked):
        values = [value for value in scores.values[:, place].tolist() if value == value]
        expected = wanted(values) if values else None
        assert scores.overall[place] == (expected and pytest.approx(expected)), measure.name


def test_a_topic_of_value_0_does_not_make_a_mean_0() -> None:
    run, qrels = made({"1": ([1], [1]), "2": ([0], [0, 1])})
    names = ["map(mean=geometric)", "map(mean=harmonic)", "map(mean=median)", "gm_map"]
    assert evaluate(run, qrels, names).overall == pytest.approx(
        (LEAST**0.5, 2 / (1 + 1 / LEAST), 0.5, LEAST**0.5)
    )
