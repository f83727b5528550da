"""Cumulated gain and its forms: against plain Python, pytrec_eval and trec_eval's outputs."""

from collections.abc import Callable
from math import log, log2

import pytest

from poolbench.evaluation.bounds import compute_run_bounds
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.options import ScoringOptions
from tests.poolbench.evaluation.made import Topic, made, random_topics

TOPICS = random_topics(40, seed=7, grades=5)
BURGES = "ndcg_1=1,2=3,3=7,4=15"


def by_topic(measure: str, options: ScoringOptions | None = None) -> dict[str, float | None]:
    scores = evaluate(*made(TOPICS), [measure], options)
    return scores.by_topic(scores.measures[0].name)


def plain(
    topic: Topic,
    k: int,
    divisor: Callable[[int], float],
    gain: Callable[[int], float] = float,
    ideal: str = "judged",
) -> tuple[float, float]:
    """``(DCG, ideal DCG)`` word by word."""
    ranked, judged = topic
    gains = [gain(max(grade or 0, 0)) for grade in ranked]
    pool = gains if ideal == "retrieved" else [gain(max(grade, 0)) for grade in judged]
    best = sorted(pool, reverse=True)
    dcg = sum(g / divisor(rank) for rank, g in enumerate(gains[:k], 1))
    return dcg, sum(g / divisor(rank) for rank, g in enumerate(best[:k], 1))


def trec_eval(rank: int) -> float:
    return log2(1 + rank)


def jarvelin(base: float) -> Callable[[int], float]:
    return lambda rank: max(1.0, log(rank) / log(base))


def flat(_: int) -> float:
    return 1.0


WAYS = [
    ("{}", {"divisor": trec_eval}),
    ("{}(ideal=retrieved)", {"divisor": trec_eval, "ideal": "retrieved"}),
    ("{}(dcg=jarvelin)", {"divisor": jarvelin(2)}),
    ("{}(dcg=jarvelin, b=10)", {"divisor": jarvelin(10)}),
    ("{}(b=3.5, dcg=jarvelin, ideal=retrieved)", {"divisor": jarvelin(3.5), "ideal": "retrieved"}),
    ("{}(dcg=exponential)", {"divisor": trec_eval, "gain": lambda grade: 2.0**grade - 1}),
    ("{}(dcg='exp-log2')", {"divisor": trec_eval, "gain": lambda grade: 2.0**grade - 1}),
    ("{}(gains=1=5,3=0.5)", {"divisor": trec_eval, "gain": lambda g: {1: 5, 3: 0.5}.get(g, g)}),
    ("{}(level=applied, rel=3)", {"divisor": trec_eval, "gain": lambda g: g if g >= 3 else 0}),
]


@pytest.mark.parametrize(("name", "way"), WAYS)
@pytest.mark.parametrize(("base", "k"), [("ndcg", 10**6), ("ndcg_cut_7", 7)])
def test_ndcg_is_its_definition(name: str, way: dict, base: str, k: int) -> None:
    found = by_topic(name.format(base))
    for topic, given in TOPICS.items():
        dcg, ideal = plain(given, k, **way)
        assert found[topic] == pytest.approx(dcg / ideal if ideal else 0.0, abs=1e-12), topic


@pytest.mark.parametrize(("name", "way"), [pair for pair in WAYS if "ideal" not in pair[0]])
def test_dcg_is_its_definition(name: str, way: dict) -> None:
    whole, cut = by_topic(name.format("dcg")), by_topic(name.format("dcg_3"))
    for topic, given in TOPICS.items():
        assert whole[topic] == pytest.approx(plain(given, 10**6, **way)[0], abs=1e-12)
        assert cut[topic] == pytest.approx(plain(given, 3, **way)[0], abs=1e-12)


@pytest.mark.parametrize("ideal", ["judged", "retrieved"])
def test_cg_and_ncg_do_not_discount(ideal: str) -> None:
    gathered, share = by_topic("cg@4"), by_topic(f"NCG(ideal={ideal})@4")
    for topic, given in TOPICS.items():
        gain, best = plain(given, 4, flat, ideal=ideal)
        assert gathered[topic] == gain
        assert share[topic] == (gain / best if best else 0.0)


@pytest.mark.parametrize("measure", ["ndcg", "ndcg_cut_5", "ncg_5", "ndcg(dcg=jarvelin, b=10)"])
def test_the_ratio_of_means_is_the_mean_gain_over_the_mean_ideal(measure: str) -> None:
    base, bracket, params = measure.partition("(")
    name = f"{base}(mean=ratio_of_means, {params}" if bracket else f"{base}(mean=ratio_of_means)"
    scores = evaluate(*made(TOPICS), [name, measure])
    k = 5 if "5" in measure else 10**6
    divisor = jarvelin(10) if bracket else trec_eval if "ndcg" in measure else flat
    pairs = [plain(topic, k, divisor) for topic in TOPICS.values()]
    wanted = sum(dcg for dcg, _ in pairs) / sum(ideal for _, ideal in pairs)
    printed = next(m.name for m in scores.measures if "ratio_of_means" in m.name)
    assert scores.mean(printed) == pytest.approx(wanted, abs=1e-12)
    assert list(scores.by_topic(printed).values()) == list(scores.values[:, 0])


def test_the_ratio_of_means_is_0_without_any_gain_and_null_without_a_topic() -> None:
    name = "ndcg(mean=ratio_of_means)"
    assert evaluate(*made({"1": ([0, None], [0])}), [name]).mean(name) == 0.0
    run, qrels = made({"1": ([], [1])})
    scores = evaluate(run, qrels, [name], ScoringOptions(topics="common"))
    assert scores.mean(name) is None
    assert scores.reasons == {name: "no topics to average over"}


def test_the_level_counts_only_where_it_is_asked_for() -> None:
    strict = ScoringOptions(level=3)
    assert by_topic("ndcg", strict) == by_topic("ndcg")
    assert by_topic("ndcg(level=applied)", strict) == by_topic("ndcg(level=applied, rel=3)")
    assert by_topic("ndcg(level=applied)") == by_topic("ndcg")


def test_gains_of_the_measure_stand_before_those_of_the_options() -> None:
    table = ScoringOptions(gains={1: 5.0, 3: 0.5})
    assert by_topic("ndcg", table) == by_topic("ndcg_1=5,3=0.5")
    assert by_topic("ndcg_1=2", table) == by_topic("ndcg_1=2")
    assert by_topic("ndcg(dcg=exponential)", table) == by_topic(BURGES)


def test_exponential_gains_beyond_64_bits_are_undefined() -> None:
    names = ["ndcg(dcg=exponential)", "dcg(dcg=exponential)", "ndcg_cut_1(dcg=exponential)"]
    names += ["ndcg(dcg=exponential, mean=ratio_of_means)"]
    topics = {"1": ([2000, 1], [3000, 2000, 1]), "2": ([1000, 1], [1000, 1])}
    scores = evaluate(*made(topics), names)
    for name in names:
        assert scores.by_topic(name)["1"] is None
        assert scores.reasons[name].startswith("1 of 2 topics are undefined: dcg=exponential")
    assert scores.overall[0] == pytest.approx(1.0)
    assert scores.by_topic("dcg(dcg=exponential)")["2"] == pytest.approx(2.0**1000)
    assert scores.mean(names[3]) == pytest.approx(1.0)
    (found,) = compute_run_bounds(*made(topics), names[:1])
    assert (found.mean_low, found.mean_high, found.reason[:15]) == (None, None, "dcg=exponential")
