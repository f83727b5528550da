"""Methods that need no judgments: the toy by hand, and each formula once more, slowly."""

import re
import tracemalloc
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.pooling.method import ScoreOrder
from poolbench.pooling.methods import comb, rank_scores
from poolbench.pooling.methods.rbp import rbp_b_order, rbp_sums
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.registry import METHODS
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.spec import method_in_words
from poolbench.pooling.spec_file import default_parameters, read_spec
from poolbench.runs.hash_order import hash_order
from poolbench.runs.runs import run_from_rows
from tests.examples import examples
from tests.poolbench.pooling.slowly import (
    SLOW,
    Small,
    best_rank,
    cut,
    slow_borda,
    slow_ntcir,
    slow_rbp_b,
)
from tests.poolbench.pooling.toy import FLAT, PAGE, TOY, orders, run, step, toy_listing
from tests.refusals import list_faults

BY_FORMULA = {method: score for method, _, score in reversed(SLOW)} | {
    "ntcir": slow_ntcir(2),
    # A run that does not answer shares all its points out.
    "borda": lambda runs, d: (
        slow_borda(runs, d) - (4 - len(runs)) * Fraction(len(set().union(*runs.values())) + 1, 2)
    ),
    "take": lambda runs, d: -best_rank(runs, d),
    "depth": lambda runs, d: -best_rank(runs, d) if best_rank(runs, d) <= 2 else None,
}
"""Of a method with parameters: the first of its formulas, that of the page."""
DEPTH = {"depth": {"k": 2}, "ntcir": {"k": 2}}
SCORES = {
    name: (method.order.scores, default_parameters(method))
    for name, method in METHODS.items()
    if isinstance(method.order, ScoreOrder)
} | {"rbp_a": (lambda c, values: 0.2 * rbp_sums(c, values), {"p": 0.8})}


def worked(method: str, topic: str) -> dict[str, Any]:
    """The scores of the toy, slowly; those of rbp_b are those with which each is taken."""
    answers = {tag: topics.get(topic, "") for tag, topics in TOY.items()}
    runs = cut({tag: {d: -at for at, d in enumerate(a)} for tag, a in answers.items()}, 100)
    if method == "rbp_b":
        return dict(slow_rbp_b(runs, Fraction(4, 5), 0))
    scores = {d: BY_FORMULA[method](runs, d) for d in sorted(set().union(*runs.values()))}
    return {d: score for d, score in scores.items() if score is not None}


def shown(scores: Mapping[str, Any], topic: str) -> str:
    """The order by score, equal documents in parentheses and hashed order."""
    equal: dict[Any, list[str]] = {}
    for docno in sorted(scores, key=lambda d: hash_order(0, topic, d)):
        equal.setdefault(near(scores[docno]), []).append(docno)
    ordered = [equal[score] for score in sorted(equal, reverse=True)]
    return " ".join(g[0] if len(g) == 1 else f"({' '.join(g)})" for g in ordered)


def near(score: Any) -> Any:
    return score if isinstance(score, tuple) else round(float(score), 9)


def cells_of_the_page() -> dict[str, list[str]]:
    """The table of docs/pooling.md by method: a to e of topic 1, then the order of each topic."""
    part = PAGE.partition("## Worked example by method\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\|(.*)\|$", part, re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def written(score: Any) -> str:
    if isinstance(score, tuple):
        return f"{score[0]}; {-score[1]}"
    return "–" if score is None else f"{float(score):.4f}".rstrip("0").rstrip(".").replace("-", "−")


STATIC = [name for name, method in METHODS.items() if method.kind == "static"]


@pytest.mark.parametrize("method", STATIC)
def test_the_table_of_the_page_is_that_worked_slowly(method: str) -> None:
    topics = {topic: worked(method, topic) for topic in "123"}
    assert cells_of_the_page()[method] == [
        *(written(topics["1"].get(docno)) for docno in "abcde"),
        *(shown(scores, topic) for topic, scores in topics.items()),
    ]


@pytest.mark.parametrize("method", STATIC)
def test_the_order_of_the_toy_is_that_of_the_page(method: str) -> None:
    told = [re.sub(r"[() ]", "", cell) for cell in cells_of_the_page()[method][5:]]
    assert [*orders(step(method, **DEPTH.get(method, {}))).values()] == told


@pytest.mark.parametrize("method", SCORES)
def test_the_scores_of_the_toy_are_those_worked_slowly(method: str) -> None:
    scores, values = SCORES[method]
    for candidates in toy_listing():
        found = dict(zip(candidates.docnos, scores(candidates, values).tolist(), strict=True))
        wanted = worked(method, candidates.topic)
        assert found == pytest.approx({docno: float(score) for docno, score in wanted.items()})


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
def test_the_formula_worked_slowly_gives_the_same_order(method, values, score, runs, cutoff, seed):
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
def test_rbp_b_worked_slowly_gives_the_same_order(p, runs, cutoff, seed, pooled):
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
    whole = [rank_scores.condorcet_scores(c, {}).tolist() for c in toy_listing()]
    monkeypatch.setattr(rank_scores, "CELLS", 8)
    assert [rank_scores.condorcet_scores(c, {}).tolist() for c in toy_listing()] == whole


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


SHARE, POSITIVE = "p must be a number between 0 and 1", "k must be a positive integer"


@pytest.mark.parametrize(("step", "told"), [
    ("method: rbp_a, p: 1.5", f"steps[1].{SHARE}"), ("method: rbp_b, p: high", f"steps[1].{SHARE}"),
    ("method: rrf, k: 0", f"steps[1].{POSITIVE}"), ("method: ntcir", "Missing key: steps[1].k"),
    ("method: rrf, k: 10000000000000000000", f"steps[1].{POSITIVE}"),
    ("method: ntcir, k: {alpha: 3}", f"steps[1].{POSITIVE}"),
    ("method: borda, k: 3", "Unknown key: 'k'"),
])  # fmt: skip
def test_parameters_that_make_no_sense_are_refused(step: str, told: str) -> None:
    faults = list_faults(read_spec, f"steps: [{{{step}}}]")
    assert [fault.message for fault in faults] == [f"{told}."]
