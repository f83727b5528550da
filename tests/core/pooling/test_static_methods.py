"""Methods that need no judgments: the toy by hand, and each formula once more, slowly."""

from __future__ import annotations

import math
import re
import tracemalloc
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.core.faults import InvalidFile
from campaigns.core.runs import run_from_rows
from pooling.core.candidates import Floats, TopicCandidates
from pooling.core.methods import borda, comb, condorcet, dcg, pp, rbp_a, rrf
from pooling.core.methods.rbp_b import rbp_b_order
from pooling.core.order import hash_order
from pooling.core.pool_builder import build_pool_table, start_sessions
from pooling.core.registry import METHODS
from pooling.core.run_listing import build_listing
from pooling.core.spec import method_in_words
from pooling.core.spec_file import default_parameters, read_spec
from tests.conftest import REPOSITORY
from tests.core.pooling.slowly import SLOW, Small, cut, slow_ntcir, slow_rbp_b
from tests.core.pooling.toy import FLAT, TOY, orders, run, step, toy_listing
from tests.examples import examples

# Ranks of topic 1: a 1 2 1, b 2 1 –, c 3 – 2, d – 3 –, e – – 3 (alpha, beta, gamma; delta does
# not answer). Normalised scores: rank 1 is 1, rank 2 is 0.5, rank 3 is 0.
# Ranks of topic 2: x 1 – 1, y 2 1 2, z – 2 3 (alpha, beta, delta; gamma does not answer).
# Normalised: alpha x 1 y 0, beta y 1 z 0, delta x 1 y 0.5 z 0.
# Ranks of topic 3: k 1 2 1, l – 1 2, m – 3 – (alpha, gamma, delta; beta does not answer).
# Normalised: alpha k 0, its score as it is; gamma l 1 k 0.5 m 0; delta k 1 l 0.
SECOND = math.log(2) / math.log(3)  # 0.6309, what DCG gives for rank 2; 0.5 for rank 3
HAND: dict[str, dict[str, dict[str, Any]]] = {
    "depth": {  # k = 2: minus the best rank
        "1": {"a": -1, "b": -1, "c": -2},
        "2": {"x": -1, "y": -1, "z": -2},
        "3": {"k": -1, "l": -1},
    },
    "take": {
        "1": {"a": -1, "b": -1, "c": -2, "d": -3, "e": -3},
        "2": {"x": -1, "y": -1, "z": -2},
        "3": {"k": -1, "l": -1, "m": -3},
    },
    "ntcir": {  # k = 2: runs, minus the sum of their ranks
        "1": {"a": (3, -4), "b": (2, -3), "c": (1, -2)},
        "2": {"x": (2, -2), "y": (3, -5), "z": (1, -2)},
        "3": {"k": (3, -4), "l": (2, -3)},
    },
    "pp": {
        "1": {"a": 3, "b": 2, "c": 2, "d": 1, "e": 1},
        "2": {"x": 2, "y": 3, "z": 2},
        "3": {"k": 3, "l": 2, "m": 1},
    },
    "dcg": {
        "1": {"a": 2 + SECOND, "b": SECOND + 1, "c": 0.5 + SECOND, "d": 0.5, "e": 0.5},
        "2": {"x": 2, "y": 2 * SECOND + 1, "z": SECOND + 0.5},  # 2, 2.2619, 1.1309
        "3": {"k": 2 + SECOND, "l": 1 + SECOND, "m": 0.5},
    },
    "rrf": {
        "1": {"a": 2 / 61 + 1 / 62, "b": 1 / 62 + 1 / 61, "c": 1 / 63 + 1 / 62,
              "d": 1 / 63, "e": 1 / 63},
        "2": {"x": 2 / 61, "y": 2 / 62 + 1 / 61, "z": 1 / 62 + 1 / 63},
        "3": {"k": 2 / 61 + 1 / 62, "l": 1 / 61 + 1 / 62, "m": 1 / 63},
    },
    "rbp_a": {  # 0.2, 0.16, 0.128
        "1": {"a": 0.56, "b": 0.36, "c": 0.288, "d": 0.128, "e": 0.128},
        "2": {"x": 0.4, "y": 0.52, "z": 0.288},
        "3": {"k": 0.56, "l": 0.36, "m": 0.128},
    },
    "rbp_b": {  # the score with which each is taken; residuals as alpha, beta, gamma or delta
        "1": {
            "a": 0.56,  # all 1; then 0.8, 0.84, 0.8
            "b": 0.16 * 0.8 + 0.2 * 0.84,  # 0.296; then 0.64, 0.64, 0.8
            "c": 0.128 * 0.64 + 0.16 * 0.8,  # 0.20992; then 0.512, 0.64, 0.64
            "d": 0.128 * 0.64,  # 0.08192, and so has e: equal
            "e": 0.128 * 0.64,
        },
        "2": {
            "y": 0.52,  # all 1; then 0.84, 0.8, 0.84
            "x": 0.2 * 0.84 + 0.2 * 0.84,  # 0.336, and z 0.16 · 0.8 + 0.128 · 0.84 = 0.23552;
            "z": 0.16 * 0.8 + 0.128 * 0.64,  # then 0.64, 0.8, 0.64: 0.20992
        },
        "3": {
            "k": 0.56,  # all 1; then 0.8, 0.84, 0.8
            "l": 0.2 * 0.84 + 0.16 * 0.8,  # 0.296; then gamma 0.64
            "m": 0.128 * 0.64,
        },
    },
    "borda": {
        # n = 5; not listed: 4.5 where three are listed, 3 of delta.
        "1": {"a": -1 - 2 - 1 - 3, "b": -2 - 1 - 4.5 - 3, "c": -3 - 4.5 - 2 - 3,
              "d": -4.5 - 3 - 4.5 - 3, "e": -4.5 - 4.5 - 3 - 3},
        # n = 3; not listed: 3 where two are listed, 2 of gamma.
        "2": {"x": -1 - 3 - 2 - 1, "y": -2 - 1 - 2 - 2, "z": -3 - 2 - 2 - 3},
        # n = 3; not listed: 2.5 of alpha, 2 of beta, 3 of delta.
        "3": {"k": -1 - 2 - 2 - 1, "l": -2.5 - 2 - 1 - 2, "m": -2.5 - 2 - 3 - 3},
    },
    "condorcet": {
        # a beats all; b beats c 3:0, d 2:0, e 2:1; c beats d 2:1, e 2:0; d and e have 1:1.
        "1": {"a": 4, "b": 3, "c": 2, "d": 0, "e": 0},
        # x beats y and z 2:1, y beats z 3:0.
        "2": {"x": 2, "y": 1, "z": 0},
        # k beats l 2:1 and m 3:0, l beats m 2:0.
        "3": {"k": 2, "l": 1, "m": 0},
    },
    "combsum": {
        "1": {"a": 2.5, "b": 1.5, "c": 0.5, "d": 0, "e": 0},
        "2": {"x": 2, "y": 1.5, "z": 0},
        "3": {"k": 1.5, "l": 1, "m": 0},
    },
    "combmnz": {
        "1": {"a": 2.5 * 3, "b": 1.5 * 2, "c": 0.5 * 1, "d": 0, "e": 0},
        "2": {"x": 2 * 2, "y": 1.5 * 2, "z": 0},
        "3": {"k": 1.5 * 2, "l": 1, "m": 0},
    },
    "combanz": {
        "1": {"a": 2.5 / 3, "b": 1.5 / 2, "c": 0.5, "d": 0, "e": 0},
        "2": {"x": 1, "y": 0.75, "z": 0},
        "3": {"k": 0.75, "l": 1, "m": 0},
    },
    "combmax": {
        "1": {"a": 1, "b": 1, "c": 0.5, "d": 0, "e": 0},
        "2": {"x": 1, "y": 1, "z": 0},
        "3": {"k": 1, "l": 1, "m": 0},
    },
    "combmed": {
        "1": {"a": 1, "b": 0.5, "c": 0, "d": 0, "e": 0},
        "2": {"x": 1, "y": 0.5, "z": 0},
        "3": {"k": 0.5, "l": 0, "m": 0},
    },
    "combmin": {
        "1": {"a": 0.5, "b": 0, "c": 0, "d": 0, "e": 0},
        "2": {"x": 0, "y": 0, "z": 0},
        "3": {"k": 0, "l": 0, "m": 0},
    },
}  # fmt: skip
HASHED = {"1": "bdcea", "2": "zyx", "3": "kml"}
"""Documents of the toy in the hashed order of seed 0."""
DEPTH = {"depth": {"k": 2}, "ntcir": {"k": 2}}
SCORES: dict[str, Callable[[TopicCandidates], Floats]] = {
    "take": lambda c: -c.min_rank.astype(float),
    "pp": lambda c: pp.pp_scores(c, {}),
    "dcg": lambda c: dcg.dcg_scores(c, {}),
    "rrf": lambda c: rrf.rrf_scores(c, {"k": 60}),
    "rbp_a": lambda c: 0.2 * rbp_a.rbp_sums(c, {"p": 0.8}),
    "borda": lambda c: borda.borda_scores(c, {}),
    "condorcet": lambda c: condorcet.condorcet_scores(c, {}),
    "combsum": comb.comb_sum,
    "combmnz": comb.comb_mnz,
    "combanz": comb.comb_anz,
    "combmax": comb.comb_max,
    "combmed": comb.comb_med,
    "combmin": comb.comb_min,
}


def shown(scores: Mapping[str, Any], topic: str) -> str:
    """The order by hand, equal documents in parentheses and hashed order."""
    equal: dict[Any, list[str]] = {}
    for docno in sorted(scores, key=HASHED[topic].index):
        equal.setdefault(near(scores[docno]), []).append(docno)
    ordered = [equal[score] for score in sorted(equal, reverse=True)]
    return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in ordered)


def near(score: Any) -> Any:
    return score if isinstance(score, tuple) else round(float(score), 9)


def test_the_hand_table_has_every_static_method() -> None:
    static = {name for name, method in METHODS.items() if method.kind == "static"}
    assert set(HAND) == static
    assert {c.topic: "".join(c.docnos[d] for d in c.tie.argsort()) for c in toy_listing()} == HASHED


@pytest.mark.parametrize("method", HAND)
def test_the_order_of_the_toy_is_that_worked_by_hand(method: str) -> None:
    by_hand = {t: re.sub(r"[() ]", "", shown(scores, t)) for t, scores in HAND[method].items()}
    assert orders(step(method, **DEPTH.get(method, {}))) == by_hand


@pytest.mark.parametrize("method", SCORES)
def test_the_scores_of_the_toy_are_those_worked_by_hand(method: str) -> None:
    for candidates in toy_listing():
        found = dict(zip(candidates.docnos, SCORES[method](candidates).tolist(), strict=True))
        assert found == pytest.approx(HAND[method][candidates.topic])


def test_the_two_by_hand_that_have_no_one_score_are_those_worked_slowly() -> None:
    for topic in "123":
        answers = {tag: topics.get(topic, "") for tag, topics in TOY.items()}
        runs = cut({tag: {d: -at for at, d in enumerate(a)} for tag, a in answers.items()}, 100)
        taken = {d: float(score) for d, score in slow_rbp_b(runs, Fraction(4, 5), 0).items()}
        assert taken == pytest.approx(HAND["rbp_b"][topic])
        counted = {d: slow_ntcir(2)(runs, d) for d in taken}
        assert {d: both for d, both in counted.items() if both} == HAND["ntcir"][topic]


def cells_of_the_page() -> dict[str, list[str]]:
    """The table of docs/pooling.md by method: a to e of topic 1, then the order of each topic."""
    page = (REPOSITORY / "docs/pooling.md").read_text()
    part = page.partition("## Worked example by method\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\|(.*)\|$", part, re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def written(score: Any) -> str:
    if isinstance(score, tuple):
        return f"{score[0]}; {-score[1]}"
    return "–" if score is None else f"{score:.4f}".rstrip("0").rstrip(".").replace("-", "−")


def test_the_table_of_the_page_is_that_worked_by_hand() -> None:
    wanted = {
        method: [
            *(written(topics["1"].get(docno)) for docno in "abcde"),
            *(shown(scores, topic) for topic, scores in topics.items()),
        ]
        for method, topics in HAND.items()
    }
    assert {m: row for m, row in cells_of_the_page().items() if m in HAND} == wanted


SMALL = st.dictionaries(
    st.sampled_from("ABCDE"),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 3)),
    min_size=1,
).filter(lambda runs: any(runs.values()))


def code_order(
    method: str,
    values: dict[str, Any],
    runs: Small,
    cutoff: int,
    seed: int,
    pooled: Collection[str] = (),
) -> str:
    tables = [run_from_rows(tag, [("1", d, s) for d, s in f.items()]) for tag, f in runs.items()]
    (candidates,) = build_listing(tables, cutoff, seed)
    known = METHODS[method]
    assert known.order is not None
    open_ = np.array([docno not in pooled for docno in candidates.docnos])
    order = known.order(candidates, default_parameters(known) | values, open_)
    return "".join(candidates.docnos[doc] for doc in order.tolist())


@pytest.mark.parametrize(("method", "values", "score"), SLOW, ids=[f"{m}{v}" for m, v, _ in SLOW])
@examples(80)
@given(SMALL, st.integers(1, 8), st.integers(0, 3))
def test_the_formula_worked_slowly_gives_the_same_order(
    method: str, values: dict[str, Any], score: Any, runs: Small, cutoff: int, seed: int
) -> None:
    first = cut(runs, cutoff)
    scores = {d: score(first, d) for d in set().union(*first.values())}
    scores = {d: round(s, 9) if isinstance(s, float) else s for d, s in scores.items()}
    by_hash = sorted(scores, key=lambda d: hash_order(seed, "1", d))
    pooled = [d for d in by_hash if scores[d] is not None]
    slow = "".join(sorted(pooled, key=scores.__getitem__, reverse=True))
    assert code_order(method, values, runs, cutoff, seed) == slow


@pytest.mark.parametrize(
    "p", [Fraction(0), Fraction(3, 10), Fraction(1, 2), Fraction(4, 5)], ids=str
)
@examples(80)
@given(SMALL, st.integers(1, 8), st.integers(0, 3), st.sets(st.sampled_from("abcdefgh")))
def test_rbp_b_worked_slowly_gives_the_same_order(
    p: Fraction, runs: Small, cutoff: int, seed: int, pooled: set[str]
) -> None:
    slow = "".join(slow_rbp_b(cut(runs, cutoff), p, seed, pooled))
    assert code_order("rbp_b", {"p": float(p)}, runs, cutoff, seed, pooled) == slow


def test_residuals_put_what_an_unknown_run_has_first() -> None:
    # p = 0.6: weights 0.4 and 0.24. By A: a 0.8, b 0.48, c 0.4, d 0.24.
    # By B after a: b 0.48 · 0.6 = 0.288, c 0.4; after c: b 0.288, d 0.24 · 0.6 = 0.144.
    listing = build_listing([run("r", {"1": "ab"}), run("s", {"1": "ab"}),
                                 run("t", {"1": "cd"})], 100, 0)  # fmt: skip
    assert orders(step("rbp_a", p=0.6), listing=listing, judge=lambda *_: False) == {"1": "abcd"}
    assert orders(step("rbp_b", p=0.6), listing=listing, judge=lambda *_: False) == {"1": "acbd"}


def test_residuals_know_what_a_burn_in_has_pooled() -> None:
    # p = 0.8: weights 0.2, 0.16, 0.128. Alone: u 0.4, so t and v have 0.8 left; g 0.2 + 0.128 =
    # 0.328, r 0.872 left; x 0.16 · 0.872 + 0.16 = 0.29952 before y 2 · 0.16 · 0.8 = 0.256.
    # After a pool of depth 1, which is g p q u: r has 1 − 0.2 − 0.128 = 0.672 left, s, t and v
    # 0.8: x has 0.16 · 0.672 + 0.16 · 0.8 = 0.23552, and y, still 0.256, comes first.
    lists = {"r": "pxg", "s": "qx", "t": "uy", "v": "uy", "m": "g"}
    listing = build_listing([run(tag, {"1": docs}) for tag, docs in lists.items()], 100, 0)
    assert orders(step("rbp_b"), listing=listing)["1"][:4] == "ugxy"
    burnt = orders(step("depth", k=1), step("rbp_b"), listing=listing)["1"]
    assert (set(burnt[:4]), burnt[4:]) == (set("gpqu"), "yx")


def test_rbp_b_after_a_large_pool_needs_no_more_memory_than_its_runs() -> None:
    runs = [run(f"r{n}", {"1": [f"d{at}" for at in range(400)]}) for n in range(20)]
    topic = build_listing(runs, 400, 0).topic(0)
    pooled = np.arange(len(topic)) >= 5
    tracemalloc.start()
    order = rbp_b_order(topic, {"p": 0.8}, ~pooled)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(order) == 5
    # A row of 400 numbers for each of the 7,900 pooled entries would be 25 MB.
    assert peak < 5_000_000


def test_after_depth_1_the_toy_goes_on_as_the_page_tells() -> None:
    runs = {
        tag: {d: -at for at, d in enumerate(topics.get("1", ""))} for tag, topics in TOY.items()
    }
    left = slow_rbp_b(cut(runs, 100), Fraction(4, 5), 0, "ab")
    # alpha has 1 − 0.2 − 0.16 = 0.64 left, gamma 0.8: 0.128 · 0.64 + 0.16 · 0.8.
    assert next(iter(left.items())) == ("c", Fraction("0.20992"))
    assert f"c is the first, with the same {float(left['c']):.4f}" in FLAT
    order = orders(step("depth", k=1), step("rbp_b"))["1"]
    assert (set(order[:2]), order[2:]) == (set("ab"), "".join(left))


@pytest.mark.parametrize("method", ["rbp_a", "rbp_b"])
def test_small_weights_far_down_are_no_ties(method: str) -> None:
    docnos = [f"d{at:03d}" for at in range(200)]
    table = run_from_rows("r", [("1", docno, -float(at)) for at, docno in enumerate(docnos)])
    (candidates,) = build_listing([table], 200, 0)
    order = METHODS[method].order
    assert order is not None
    assert order(candidates, {"p": 0.5}, np.ones(200, bool)).tolist() == list(range(200))


def test_condorcet_counts_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [condorcet.condorcet_scores(c, {}).tolist() for c in toy_listing()]
    monkeypatch.setattr(condorcet, "CELLS", 8)
    assert [condorcet.condorcet_scores(c, {}).tolist() for c in toy_listing()] == whole


def test_scores_of_any_size_are_normalised() -> None:
    table = run_from_rows("r", [("1", "a", 1.7e308), ("1", "b", 0.0), ("1", "c", -1.7e308)])
    (candidates,) = build_listing([table], 100, 0)
    assert comb.comb_sum(candidates).tolist() == [1, 0.5, 0]


def test_ntcir_looks_down_to_its_depth_and_rrf_to_the_cut_off() -> None:
    spec = read_spec("steps: [{method: ntcir, k: 2}]")
    assert (spec.cutoff, method_in_words(spec.as_dict())) == (2, "ntcir 2")
    assert read_spec("steps: [{method: rrf, k: 7}]").cutoff == 100
    pool = build_pool_table(start_sessions(toy_listing(), spec.steps))
    # c is at rank 2 of gamma, and at rank 3 of alpha, which is not looked at.
    assert pool.contributor_tags(pool.docnos.index("c")) == ("gamma",)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("method: rbp_a, p: 1.5", "steps[1].p must be a number between 0 and 1"),
        ("method: rbp_b, p: high", "steps[1].p must be a number between 0 and 1"),
        ("method: rrf, k: 0", "steps[1].k must be a positive integer"),
        ("method: rrf, k: 10000000000000000000", "steps[1].k must be a positive integer"),
        ("method: ntcir", "Missing key: steps[1].k"),
        ("method: ntcir, k: {alpha: 3}", "steps[1].k must be a positive integer"),
        ("method: borda, k: 3", "Unknown key: 'k'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(step: str, told: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        read_spec(f"steps: [{{{step}}}]")
    assert [fault.message for fault in refused.value.report.faults] == [f"{told}."]
