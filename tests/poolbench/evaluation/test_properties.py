"""What holds of every measure, on random campaigns with ties, negative grades and gaps."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from poolbench.evaluation.bounds import parse_card_range
from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from tests.examples import examples
from tests.poolbench.evaluation.everything import everything, with_modifiers

MEASURES = tuple(dict.fromkeys((*everything(), *with_modifiers())))
TOPICS = ("1", "01", "x", "é")
DOCNOS = st.sampled_from([f"d{number}" for number in range(14)] + ["Z", "日"])
PAIRS = st.tuples(st.sampled_from(TOPICS), DOCNOS)
RUNS = st.dictionaries(PAIRS, st.integers(0, 6), min_size=1, max_size=40)
QRELS = st.dictionaries(PAIRS, st.integers(-2, 3), min_size=1, max_size=40)
OPTIONS = st.builds(
    ScoringOptions,
    level=st.sampled_from([1, 2]),
    topics=st.sampled_from(["judged", "common"]),
    gains=st.sampled_from([None, {1: 1.0, 2: 3.0, 3: 7.0}, {1: 3.0, 2: 0.5}]),
    max_per_topic=st.sampled_from([None, 5]),
    leave_out_empty=st.booleans(),
)
Run = dict[tuple[str, str], int]
Qrels = dict[tuple[str, str], int]


def scored(
    run: Run,
    qrels: Qrels,
    options: ScoringOptions | None = None,
    measures: Sequence[Measure] = MEASURES,
) -> ScoredRun:
    rows = [(topic, docno, float(score)) for (topic, docno), score in run.items()]
    judged = [(topic, docno, grade) for (topic, docno), grade in qrels.items()]
    # Runs and qrels without a topic in common are refused.
    assume(not (run and qrels) or {pair[0] for pair in run} & {pair[0] for pair in qrels})
    return evaluate(run_from_rows("r", rows), qrels_from_rows(judged), measures, options)


def assert_same(found: ScoredRun, wanted: ScoredRun) -> None:
    assert found.topics == wanted.topics
    for place, measure in enumerate(MEASURES):
        ours, theirs = found.values[:, place], wanted.values[:, place]
        assert np.array_equal(ours, theirs, equal_nan=True), measure.name
        assert found.overall[place] == wanted.overall[place], measure.name
    assert found.texts == wanted.texts
    assert found.reasons == wanted.reasons


def test_every_family_is_here() -> None:
    assert {m.family.name for m in everything(FAMILIES.values())} == set(FAMILIES)


@examples(40)
@given(RUNS, QRELS, OPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(run, qrels, options, chance):
    lines, judged = list(run.items()), list(qrels.items())
    chance.shuffle(lines)
    chance.shuffle(judged)
    found, wanted = scored(dict(lines), dict(judged), options), scored(run, qrels, options)
    assert_same(found, wanted)
    assert found.conditions == wanted.conditions


@examples(40)
@given(RUNS, QRELS, OPTIONS, st.sampled_from([lambda s: 3 * s - 7, lambda s: s**3 / 9, np.exp]))
def test_scores_that_keep_their_order_change_nothing(run, qrels, options, change):
    changed = {pair: change(score) for pair, score in run.items()}
    assert_same(scored(changed, qrels, options), scored(run, qrels, options))  # type: ignore[arg-type]


@examples(40)
@given(RUNS, QRELS, OPTIONS, st.sets(st.sampled_from(TOPICS)))
def test_topics_do_not_touch_each_other(run, qrels, options, chosen):
    # Without a table the scale is that of the qrels, topics taken together.
    options = replace(options, gains=options.gains or {1: 1.0, 2: 2.0, 3: 3.0})
    together = scored(run, qrels, options)
    parts = [
        scored(kept, judged, options)
        for kept, judged in (
            (only(run, chosen), only(qrels, chosen)),
            (only(run, set(TOPICS) - chosen), only(qrels, set(TOPICS) - chosen)),
        )
        if judged
    ]
    alone = {t: row for part in parts for t, row in zip(part.topics, part.values, strict=True)}
    assert set(alone) == set(together.topics)
    for topic, row in zip(together.topics, together.values, strict=True):
        for place, measure in enumerate(MEASURES):
            same = pytest.approx(alone[topic][place], abs=1e-12, nan_ok=True)
            assert row[place] == same, measure.name


def only(pairs: dict[tuple[str, str], int], topics: set[str]) -> dict[tuple[str, str], int]:
    return {pair: value for pair, value in pairs.items() if pair[0] in topics}


@examples(40)
@given(RUNS, QRELS, OPTIONS, st.dictionaries(DOCNOS, st.integers(0, 6), min_size=1))
def test_topics_without_judgments_change_nothing(run, qrels, options, more):
    added = {("unjudged", docno): score for docno, score in more.items()}
    assert_same(scored({**added, **run}, qrels, options), scored(run, qrels, options))


@examples(60)
@given(RUNS, QRELS, OPTIONS)
def test_values_are_within_the_range_of_the_card(run, qrels, options):
    found = scored(run, qrels, options)
    for place, measure in enumerate(MEASURES):
        low, high = parse_card_range(measure.family.card.range)
        told = [*found.values[:, place].tolist(), found.overall[place]]
        for value in told if measure.family.aggregate != "sum" else told[:-1]:
            if value is not None and not isnan(value):
                assert low <= value <= high + 1e-12, measure.name
                assert abs(value) != np.inf, measure.name


@examples(60)
@given(RUNS, QRELS, OPTIONS)
def test_what_is_undefined_is_told(run: Run, qrels: Qrels, options: ScoringOptions) -> None:
    found = scored(run, qrels, options)
    for place, measure in enumerate(MEASURES):
        column = found.values[:, place]
        if np.isnan(column).any():
            assert measure.family.card.undefined, measure.name
            assert found.overall[place] is None or not np.isnan(column).all(), measure.name
        if found.overall[place] is None and measure.family.text is None:
            assert found.reasons[found.names[place]]


@examples(20)
@given(RUNS, QRELS, OPTIONS, st.sampled_from(MEASURES))
def test_a_measure_alone_is_the_same_as_among_all(run, qrels, options, measure):
    place = MEASURES.index(measure)
    together, alone = scored(run, qrels, options), scored(run, qrels, options, [measure])
    assert np.array_equal(alone.values[:, 0], together.values[:, place], equal_nan=True)
    assert alone.overall[0] == together.overall[place]


@examples(40)
@given(RUNS, QRELS, st.sampled_from([1, 2]))
def test_documents_below_the_depth_change_nothing(run: Run, qrels: Qrels, level: int) -> None:
    options = ScoringOptions(level=level, max_per_topic=4)
    ranked = sorted(run, key=lambda pair: (run[pair], pair[1]), reverse=True)
    kept = {t: [pair for pair in ranked if pair[0] == t][:4] for t in TOPICS}
    cut = {pair: run[pair] for pairs in kept.values() for pair in pairs}
    assert_same(scored(run, qrels, options), scored(cut, qrels, ScoringOptions(level=level)))
