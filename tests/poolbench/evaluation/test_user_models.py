"""rbp, err, Q-measure and the readers of C/W/L: word by word, and against other programs."""

from collections.abc import Callable, Sequence
from math import inf, isnan, log2

import numpy as np
import pytest
from scipy.special import polygamma

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.user_models import trigamma
from poolbench.evaluation.options import ScoringOptions
from tests.examples import ALL, take
from tests.poolbench.evaluation.made import Topic, made, random_topics

TOPICS = random_topics(40, seed=11, grades=5)
FIGURES = ("cwl", "cwl_total", "cwl_items")
TOP = 4
DEPTH = 1000
"""cwl_eval's readers come no further."""


def values(measure: str, options: ScoringOptions | None = None) -> dict[str, float | None]:
    scores = evaluate(*made(TOPICS), [measure], options)
    return scores.by_topic(scores.measures[0].name)


def share(grade: int | None, level: int | None = None) -> float:
    if level is not None:
        return float((grade or 0) >= level)
    return min(max(grade or 0, 0), TOP) / TOP


def walk(
    gains: list[float], go_on: Callable[[int, float, float], float], depth: int = DEPTH
) -> tuple[float, float, float]:
    """``(expected utility, total, documents)`` rank by rank; ``go_on(rank, gain, sum)``."""
    chance, so_far, total, items = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        so_far += gain
        total += chance * gain
        items += chance
        chance *= go_on(rank, gain, so_far)
    return total / items, total, items


def inst(wanted: float) -> Callable[[int, float, float], float]:
    return lambda i, _, so_far: ((i + 2 * wanted - so_far - 1) / (i + 2 * wanted - so_far)) ** 2


def insq(wanted: float) -> Callable[[int, float, float], float]:
    return lambda i, _gain, _sum: ((i + 2 * wanted - 1) / (i + 2 * wanted)) ** 2


READERS = [
    ("user=inst", DEPTH, inst(1)), ("user=inst, T=3", DEPTH, inst(3)),
    ("user=inst, T=0.5", 20, inst(0.5)), ("user=insq, T=2", DEPTH, insq(2)),
    ("user=rbp, p=0.6", DEPTH, lambda *_: 0.6), ("user=rbp, p=1", 10, lambda *_: 1.0),
    ("user=precision", 7, lambda *_: 1.0),
    ("user=sdcg", 15, lambda i, *_: log2(1 + i) / log2(2 + i)),
    ("user=rr", DEPTH, lambda _, gain, __: float(gain == 0)),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "depth", "go_on"), READERS)
def test_readers_walk_as_their_chances_say(reader, depth, go_on):
    names = [f"{name}_{depth}({reader}, max_rel={TOP})" for name in FIGURES]
    found = evaluate(*made(TOPICS), names)
    for row, (topic, (ranked, _)) in enumerate(TOPICS.items()):
        wanted = walk([share(grade) for grade in ranked], go_on, depth)
        assert found.values[found.topics.index(topic)].tolist() == pytest.approx(wanted), row


def test_without_a_last_rank_the_sums_are_those_of_very_deep_readers() -> None:
    for name in ("inst", "insq"):
        endless, deep = values(f"{name}(T=2)"), values(f"{name}_1000000(T=2)")
        assert endless == pytest.approx(deep, rel=1e-4)
        assert endless != pytest.approx(deep, rel=1e-8)
    assert values("cwl") == pytest.approx(values("rbp(gain=graded)"))


def test_the_reader_of_average_precision_divides_by_what_is_found() -> None:
    found = values("cwl(user=ap, gain=binary)")
    seen = {
        topic: sum(grade is not None and grade >= 1 for grade in ranked)
        for topic, (ranked, _) in TOPICS.items()
    }
    relevant = values("num_rel")
    for topic, value in values("map").items():
        scaled = (value or 0) * (relevant[topic] or 0)
        assert (found[topic] or 0) * seen[topic] == pytest.approx(scaled)


@pytest.mark.parametrize("user", ["ap", "rr", "precision", "inst"])
def test_cwl_eval_agrees_on_every_figure(user: str) -> None:
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
    makers = {
        "ap": ruler.APCWLMetric,
        "rr": ruler.RRCWLMetric,
        "precision": lambda: ruler.PrecisionCWLMetric(5),
        "inst": lambda: ruler.INSTCWLMetric(1.0),
    }
    cut = {"ap": "", "precision": "_5"}.get(user, f"_{DEPTH}")
    names = [f"{name}{cut}(gain=binary, user={user})" for name in FIGURES]
    ours = evaluate(*made(TOPICS), names)
    compared = 0
    for topic, (ranked, _) in take(TOPICS.items(), 5):
        gains = np.array([np.nan if g is None or g < 0 else share(g, 1) for g in ranked])
        theirs = makers[user]()
        theirs.measure(ruler.Ranking(topic, gains, np.full(len(gains), np.nan), max_n=DEPTH))
        found = ours.values[ours.topics.index(topic)].tolist()
        wanted = [
            theirs.expected_utility, theirs.expected_total_utility, theirs.expected_items,
        ]  # fmt: skip
        # Their reader of average precision sees one document where nothing is found, and
        # their total leaves out what readers have gained who come to the last rank.
        if not isnan(found[2]):
            compared += 1
            assert found == pytest.approx(wanted, rel=1e-4), topic
            assert found[::2] == pytest.approx(wanted[::2], rel=1e-12), topic
    assert compared > (30 if ALL else 4)


def expected_rr(grades: Sequence[int | None], k: float) -> float:
    going, value = 1.0, 0.0
    for rank, grade in enumerate(grades, 1):
        if rank <= k:
            stop = (2 ** min(max(grade or 0, 0), TOP) - 1) / 2**TOP
            value += going * stop / rank
            going *= 1 - stop
    return value


@pytest.mark.parametrize("k", [1, 3, inf])
def test_err_word_by_word(k: float) -> None:
    cut = "" if k == inf else f"_{k}"
    plain, normalised = values(f"err{cut}(max_rel={TOP})"), values(f"nerr{cut}(max_rel={TOP})")
    for topic, (ranked, judged) in TOPICS.items():
        value = expected_rr(ranked, k)
        best = expected_rr(sorted(judged, reverse=True), k)
        assert plain[topic] == pytest.approx(value)
        assert normalised[topic] == pytest.approx(value / best if best else 0.0)


def q(topic: Topic, beta: float, level: int, gain: Callable[[int], float]) -> float:
    ranked, judged = topic
    gains = sorted((gain(grade) for grade in judged if grade >= level), reverse=True)
    total, count, gained = 0.0, 0, 0.0
    for rank, grade in enumerate(ranked, 1):
        if grade is not None and grade >= level:
            count, gained = count + 1, gained + gain(grade)
            total += (count + beta * gained) / (rank + beta * sum(gains[:rank]))
    return total / len(gains) if gains else 0.0


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("condensed", [False, True])
def test_q_measure_word_by_word(level: int, condensed: bool) -> None:
    listed = ", list=condensed" if condensed else ""
    for beta in (0, 1, 10):
        found = values(f"q_measure(beta={beta}{listed})", ScoringOptions(level=level))
        raised = values(
            f"Q(beta={beta}, gains=1=1,2=3,3=7,4=15{listed})", ScoringOptions(level=level)
        )
        for topic, (ranked, judged) in TOPICS.items():
            kept = [g for g in ranked if not condensed or (g is not None and g >= 0)]
            assert found[topic] == pytest.approx(q((kept, judged), beta, level, float))
            wanted = q((kept, judged), beta, level, lambda grade: 2.0**grade - 1)
            assert raised[topic] == pytest.approx(wanted)


@pytest.mark.parametrize("p", [0.0, 0.5, 0.8, 1.0])
def test_rbp_and_its_residual_word_by_word(p: float) -> None:
    binary, graded = values(f"rbp(p={p}, rel=2)"), values(f"rbp(p={p}, gain=graded, max_rel={TOP})")
    residual = values(f"rbp_resid(p={p})")
    for topic, (ranked, _) in TOPICS.items():
        weights = [(1 - p) * p**rank for rank in range(len(ranked))]
        parts = list(zip(weights, ranked, strict=True))
        assert binary[topic] == pytest.approx(sum(w * share(g, 2) for w, g in parts))
        assert graded[topic] == pytest.approx(sum(w * share(g) for w, g in parts))
        unjudged = sum(w for w, g in parts if g is None or g < 0)
        assert residual[topic] == pytest.approx(unjudged + p ** len(ranked), abs=1e-15)


def test_the_scale_is_the_gain_table_or_else_the_qrels() -> None:
    topic = made({"1": ([1, 2], [1, 2]), "2": ([1], [1, 3])})
    one = 0.2 * (1 / 3 + 0.8 * 2 / 3)
    assert evaluate(*topic, ["rbp(gain=graded)"]).values[:, 0] == pytest.approx([one, 0.2 / 3])
    table = ScoringOptions(gains={1: 1, 2: 5, 4: 10})
    wanted = [0.2 * (0.1 + 0.8 * 0.5), 0.2 * 0.1]
    assert evaluate(*topic, ["rbp(gain=graded)"], table).values[:, 0] == pytest.approx(wanted)
    capped = evaluate(*topic, ["rbp(gain=graded, max_rel=1)"], table)
    assert capped.values[:, 0] == pytest.approx([0.2 * 1.8, 0.2])
    nothing = evaluate(*topic, ["rbp(gain=graded)"], ScoringOptions(gains={1: 0, 2: 0, 3: 0}))
    assert nothing.values[:, 0].tolist() == [0.0, 0.0]
    assert evaluate(*topic, ["err_1"]).values[:, 0].tolist() == [1 / 8, 1 / 8]
    assert evaluate(*made({"1": ([0, -1], [0, -1])}), ["err", "inst"]).overall == (0.0, 0.0)


def test_grades_too_high_to_raise_two_to_are_stops() -> None:
    scores = evaluate(*made({"1": ([0, 5000], [0, 5000])}), ["err", "nerr"])
    assert scores.overall == (0.5, 0.5)


def test_a_reader_who_never_stops_has_no_length() -> None:
    scores = evaluate(*made({"1": ([0], [0, 1]), "2": ([1], [1])}), ["cwl_items(user=rr)"])
    assert scores.values[:, 0].tolist() == pytest.approx([np.nan, 1.0], nan_ok=True)
    assert scores.reasons["cwl_items(user=rr)"].startswith("1 of 2 topics are undefined")
    assert scores.overall == (1.0,)


def test_trigamma_is_that_of_scipy() -> None:
    at = np.array([0.01, 0.5, 1.0, 1.5, 2.0, 3.7, 20.0, 1e3, 1e6, np.inf])
    assert trigamma(at)[:-1] == pytest.approx(polygamma(1, at[:-1]), rel=1e-13)
    assert trigamma(at)[-1] == 0
