"""Bounds against all completions of small rankings, for every family."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.bounding.extremes import CompletionSide, compute_extremes
from poolbench.evaluation.bounds import LOOSE, compute_bounds, compute_run_bounds, parse_card_range
from poolbench.evaluation.bounds import NO_OVERALL as OWN
from poolbench.evaluation.completions import CompletionRankings
from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import PROFILES, Profile
from poolbench.runs.tables import RunTable
from tests.examples import ALL, examples
from tests.poolbench.evaluation.everything import everything, with_modifiers
from tests.poolbench.evaluation.made import Topic, made, random_topics

MEASURES = [
    m for m in dict.fromkeys((*everything(), *with_modifiers())) if m.family.group != "sampled"
]
NUMBERS = [m for m in MEASURES if m.family.text is None]
LOOSE_FAMILIES = {"q_measure", "nerr", "G", "ndcg_rel", "Rndcg", "cwl", "cwl_total", "cwl_items"}
"""Families of which some bounds may be wider than need be."""
GRADES = st.sampled_from([None, None, -1, 0, 0, 1, 1, 2, 3])
RANKED = st.lists(GRADES, max_size=7).filter(lambda r: sum(is_open(g) for g in r) <= 4)
TOPICS = st.tuples(RANKED, st.lists(st.sampled_from([-1, 0, 0, 1, 2, 3]), max_size=4))
TABLES = st.sampled_from([None, None, {1: 1.0, 2: 3.0, 3: 7.0}, {1: 3.0, 2: 1.0}, {0: 0.5, 1: 2.0}])
OPTIONS = st.builds(ScoringOptions, level=st.sampled_from([1, 1, 2]), gains=TABLES)


def is_open(grade: int | None) -> bool:
    return grade is None or grade < 0


def completions(topic: Topic, top: int) -> Iterator[Topic]:
    ranked, missed = topic
    places = [rank for rank, grade in enumerate(ranked) if is_open(grade)]
    for grades in product(range(top + 1), repeat=len(places)):
        filled = [grade if grade is not None else 0 for grade in ranked]
        for place, grade in zip(places, grades, strict=True):
            filled[place] = grade
        yield filled, [*filled, *missed]


def as_topic(ranked: list[int | None], missed: list[int]) -> Topic:
    # The last document keeps the scale as it is, and is judged so that the topic is there.
    return ranked, [g for g in ranked if g is not None] + [*missed, 0]


def top_of(topic: Topic, options: ScoringOptions) -> int:
    """The highest grade, as the product says that the scale has it."""
    return max(options.gains) if options.gains else max(options.level, 1, *topic[1])


def all_values(topic: Topic, options: ScoringOptions) -> ScoredRun:
    """The scores of each completion, each as a topic of its own."""
    each = completions(without(topic), top_of(topic, options))
    return evaluate(*made({f"c{i:05}": t for i, t in enumerate(each)}), NUMBERS, options)


def assert_bounds(topic: Topic, options: ScoringOptions) -> None:
    """Bounds enclose all completions, and exact ones are reached."""
    values = all_values(topic, options).values
    for place, found in enumerate(compute_run_bounds(*made({"1": topic}), NUMBERS, options)):
        if ("rel", 2) in found.measure.params and top_of(topic, options) < 2:
            continue  # to ask for it is to say that the scale has this grade
        column = values[:, place][~np.isnan(values[:, place])]
        if not len(column):
            assert np.isnan(found.low).all(), found.measure.name
            continue
        assert found.low[0] <= column.min() + 1e-12, found.measure.name
        assert found.high[0] >= column.max() - 1e-12, found.measure.name
        if found.exact:
            wanted = pytest.approx([column.min(), column.max()], abs=1e-12)
            assert [found.low[0], found.high[0]] == wanted, found.measure.name
        else:
            assert found.measure.family.name in LOOSE_FAMILIES


@examples(50)
@given(TOPICS, OPTIONS)
def test_bounds_enclose_all_completions_and_exact_ones_are_reached(drawn, options):
    assert_bounds(as_topic(*drawn), options)


SIGNS = st.sampled_from([None, None, None, 0, 1])
LONG = st.lists(SIGNS, max_size=14).filter(lambda r: sum(is_open(g) for g in r) <= 8)


@examples(20)
@given(LONG, st.lists(st.sampled_from([0, 1]), max_size=6))
def test_bounds_of_longer_rankings_with_one_relevant_grade(ranked, missed):
    assert_bounds(as_topic(ranked, missed), ScoringOptions())


OF_ALL = [
    *("map", "gm_map", "map(mean=harmonic)", "map(mean=median)", "bpref", "ndcg", "num_rel_ret"),
    *("ndcg(mean=ratio_of_means)", "ncg_3(mean=ratio_of_means, ideal=retrieved)", "search_length"),
    *("search_length(mean=median)", "cwl_items(user=rr)", "judged_3", "P_3", "utility"),
]


@examples(60)
@given(st.lists(TOPICS, min_size=1, max_size=3))
def test_bounds_of_means_are_reached(drawn: list[tuple[list[int | None], list[int]]]) -> None:
    topics = {
        str(place): as_topic(ranked[:5], missed) for place, (ranked, missed) in enumerate(drawn)
    }
    binary = {
        name: ([g and min(g, 1) for g in ranked], [min(g, 1) for g in judged])
        for name, (ranked, judged) in topics.items()
    }
    values = [
        evaluate(*made(dict(zip(binary, combined, strict=True))), OF_ALL).overall
        for combined in product(*(list(completions(without(t), 1)) for t in binary.values()))
    ]
    for place, found in enumerate(compute_run_bounds(*made(binary), OF_ALL)):
        means = [row[place] for row in values if row[place] is not None]
        if not means:
            assert (found.mean_low, found.mean_high) == (None, None)
            continue
        wanted = pytest.approx([min(means), max(means)], abs=1e-12)  # type: ignore[type-var]
        assert [found.mean_low, found.mean_high] == wanted, found.measure.name


def without(topic: Topic) -> Topic:
    """The ranking, and the judged documents that it has not."""
    missed = list(topic[1])
    for grade in topic[0]:
        if grade is not None:
            missed.remove(grade)
    return topic[0], missed


SOLVED = [
    *("map", "map_cut_5", "recall_5", "Rprec", "bpref", "bpref(form=2004)", "gm_bpref"),
    *("bpref-10", "bpref-10(form=textbook)"),
]


@pytest.mark.parametrize("level", [1, 2])
def test_what_is_computed_is_what_all_exchanges_give(level: int) -> None:
    topics = random_topics(40, seed=5)
    batch = batch_from_table(*tables(topics), ScoringOptions(level=level))
    measures = parse_measures(SOLVED)
    tried = compute_extremes(
        CompletionRankings.from_batch(batch),
        (CompletionSide("top", 3), CompletionSide("bottom", 3)),
        measures,
    )
    for found, wanted in zip(compute_bounds(batch, measures), tried, strict=True):
        assert found.exact
        assert found.low == pytest.approx(wanted.low, abs=1e-12), found.measure.name
        assert found.high == pytest.approx(wanted.high, abs=1e-12), found.measure.name


def tables(topics: dict[str, Topic]) -> tuple[RunTable, JudgmentTable]:
    run, qrels = made(topics)
    return run, JudgmentTable.from_table(qrels)


def test_long_rankings_are_tried_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = random_topics(20, seed=9)
    names = ["11pt_avg", "bpref", "Rprec", "nerr", "q_measure(beta=0)"]
    whole = compute_run_bounds(*made(topics), names)
    monkeypatch.setattr("poolbench.evaluation.bounding.extremes.ROWS", 50)
    monkeypatch.setattr("poolbench.evaluation.bounding.counts.AT_ONCE", 50)
    for found, wanted in zip(compute_run_bounds(*made(topics), names), whole, strict=True):
        assert np.array_equal(found.low, wanted.low)
        assert np.array_equal(found.high, wanted.high)


def test_q_measure_of_many_open_documents_is_bounded_in_stretches() -> None:
    ranked = [None if rank % 5 else rank % 4 for rank in range(150)]
    topic = made({"1": (ranked, [g for g in ranked if g is not None] + [3, 2])})
    average, blended = compute_run_bounds(*topic, ["map", "q_measure"])
    rng = np.random.default_rng(0)
    for _ in range(200 if ALL else 40):
        drawn = rng.integers(1, 4, len(ranked)) * (rng.random(len(ranked)) < rng.random())
        filled = [int(drawn[at]) if grade is None else grade for at, grade in enumerate(ranked)]
        scores = evaluate(*made({"1": (filled, [*filled, 3, 2])}), ["map", "q_measure"])
        assert average.low[0] <= scores.values[0, 0] <= average.high[0]
        assert blended.low[0] <= scores.values[0, 1] <= blended.high[0]
    assert (average.exact, blended.exact) == (True, False)


def test_the_residual_of_rbp_is_its_bound_but_for_what_is_not_retrieved() -> None:
    topics = random_topics(30, seed=2)
    scores = evaluate(*made(topics), ["num_ret", "rbp", "rbp_resid"])
    (found,) = compute_run_bounds(*made(topics), ["rbp"])
    retrieved, rbp, residual = scores.values.T
    assert found.low == pytest.approx(rbp)
    assert found.high == pytest.approx(rbp + residual - 0.8**retrieved)


def test_judged_documents_only_change_no_bound() -> None:
    topics = random_topics(10, seed=4)
    only = compute_run_bounds(*made(topics), ["map", "ndcg"], ScoringOptions(judged_only=True))
    for found, wanted in zip(only, compute_run_bounds(*made(topics), ["map", "ndcg"]), strict=True):
        assert np.array_equal(found.low, wanted.low)
        assert np.array_equal(found.high, wanted.high)


@pytest.mark.parametrize("profile", list(PROFILES.values()))
def test_an_unanswered_topic_has_nothing_open(profile: Profile) -> None:
    run, qrels = made({"1": ([None], [1]), "2": ([], [1, 0])})
    options = ScoringOptions(profile=profile, topics="judged")
    for found in compute_run_bounds(run, qrels, ["map", "P_5", "ndcg", "num_rel_ret"], options):
        assert (found.low[1], found.high[1]) == (0.0, 0.0)
        assert (found.low[0], found.high[0] > 0) == (0.0, True)


def test_bounds_stay_within_the_depth() -> None:
    run, qrels = made({"1": ([None, None, 1], [1])})
    (found,) = compute_run_bounds(run, qrels, ["num_rel_ret"], ScoringOptions(max_per_topic=2))
    assert (found.mean_low, found.mean_high) == (0.0, 2.0)


def test_the_highest_grade_is_that_of_the_gain_table_or_the_qrels() -> None:
    run, qrels = made({"1": ([None, 1], [1]), "2": ([0], [0, 2])})
    (found,) = compute_run_bounds(run, qrels, ["cg"])
    assert (found.top, found.high.tolist()) == (2, [3.0, 0.0])
    (found,) = compute_run_bounds(run, qrels, ["cg"], ScoringOptions(gains={1: 1, 5: 10}))
    assert (found.top, found.high.tolist()) == (5, [11.0, 0.0])
    (found,) = compute_run_bounds(run, qrels, ["num_rel_ret"], ScoringOptions(level=3))
    assert (found.top, found.high.tolist()) == (3, [1.0, 0.0])


def test_where_nothing_is_known_the_range_is_told() -> None:
    run, qrels = made({"1": ([None] * 30, [2, 1]), "2": ([2], [2, 1])})
    found = {b.measure.name: b for b in compute_run_bounds(run, qrels, ["G", "cwl_total(user=ap)"])}
    assert (found["G"].low[0], found["G"].high[0], found["G"].exact) == (0, 1, False)
    assert (found["G"].reason, found["G"].mean_low) == (LOOSE, found["G"].low[1] / 2)
    assert found["cwl_total(user=ap)"].high[0] == np.inf
    assert found["cwl_total(user=ap)"].mean_high is None


def test_estimates_and_texts_have_no_bounds() -> None:
    for found in compute_run_bounds(*made({"1": ([1], [1])}), ["statAP", "relstring"]):
        assert (found.mean_low, found.mean_high, found.exact) == (None, None, False)
        assert found.reason


def test_a_figure_of_its_own_over_all_topics_has_no_bounds() -> None:
    options = ScoringOptions(level=2, profile=PROFILES["trec_eval-9"], topics="judged")
    (found,) = compute_run_bounds(*made({"1": ([1, None], [1])}), ["num_rel"], options)
    assert (found.low[0], found.high[0], found.mean_low, found.reason) == (0, 1, None, OWN)


def test_no_topic_has_no_bounds() -> None:
    run, qrels = made({"1": ([], [1])})
    for found in compute_run_bounds(
        run, qrels, ["map", "ndcg", "P_5", "G"], ScoringOptions(topics="common")
    ):
        assert (len(found.low), found.mean_low, found.mean_high) == (0, None, None)


@pytest.mark.parametrize(("told", "wanted"), [
    ("0 to 1", (0, 1)), ("0 or 1", (0, 1)), ("0 and up", (0, np.inf)), ("1 and up", (1, np.inf)),
    ("0 to num_rel", (0, np.inf)), ("any number", (-np.inf, np.inf)), ("text", (-np.inf, np.inf)),
])  # fmt: skip
def test_ranges_of_cards_are_read(told: str, wanted: tuple[float, float]) -> None:
    assert parse_card_range(told) == wanted
