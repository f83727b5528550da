"""Depth-k pools: a toy by hand, the order of lines, runs that are cut off, and a real campaign."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.pooling.formats import FORMATS, format_pool
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.registry import METHODS
from poolbench.pooling.run_listing import build_listing, truncate_run
from poolbench.pooling.session import PoolStep
from poolbench.pooling.tables import PoolTable, count_unique_documents
from poolbench.runs.hash_order import hash_order, hash_orders
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run, run_from_rows
from poolbench.runs.tables import RunTable
from tests.examples import examples
from tests.poolbench.pooling.toy import PAGE, toy_runs


def depth_pool(runs: list[RunTable], k: int | dict[str, int]) -> PoolTable:
    deepest = k if isinstance(k, int) else max(k.values())
    step = PoolStep(METHODS["depth"], {"k": k})
    return build_pool_table(start_sessions(build_listing(runs, deepest, 0), [step]))


def documents(pool: PoolTable) -> dict[str, str]:
    return {t: "".join(pool.docnos[pool.rows(i)]) for i, t in enumerate(pool.topics)}


def test_the_toy_pool_is_that_worked_by_hand() -> None:
    pool = depth_pool(toy_runs(), 2)
    assert documents(pool) == {"1": "abc", "2": "xyz", "3": "kl"}
    assert pool.runs == ("alpha", "beta", "delta", "gamma")
    assert pool.min_rank.tolist() == [1, 1, 2, 1, 1, 2, 1, 1]
    assert [pool.contributor_tags(row) for row in range(len(pool))] == [
        ("alpha", "beta", "gamma"), ("alpha", "beta"), ("gamma",), ("alpha", "delta"),
        ("alpha", "beta", "delta"), ("beta",), ("alpha", "delta", "gamma"), ("delta", "gamma"),
    ]  # fmt: skip


def test_sizes_count_what_hangs_on_one_run() -> None:
    pool = depth_pool(toy_runs(), 2)
    assert np.diff(pool.starts).tolist() == [3, 3, 2]
    assert count_unique_documents(pool).tolist() == [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_depth_by_run_leaves_out_runs_without_one() -> None:
    pool = depth_pool(toy_runs(), {"alpha": 1, "gamma": 3, "delta": 0})
    assert documents(pool) == {"1": "ace", "2": "x", "3": "klm"}
    assert pool.contributor_tags(0) == ("alpha", "gamma")  # not beta, which lists it as well


def test_equal_scores_are_pooled_in_trec_eval_order() -> None:
    run = run_from_rows("r", [("1", docno, 1.0) for docno in ("a", "b", "c")])
    assert documents(depth_pool([run], 2)) == {"1": "bc"}


def test_no_run_gives_an_empty_pool() -> None:
    pool = depth_pool([], 5)
    assert (len(pool), pool.topics, pool.starts.tolist()) == (0, (), [0])
    assert count_unique_documents(pool).shape == (0, 0)
    assert format_pool(pool, "trec") == ""


def test_two_runs_of_one_tag_are_refused() -> None:
    with pytest.raises(ValueError, match="same tag"):
        depth_pool([*toy_runs(), toy_runs()[0]], 2)


LINES = st.dictionaries(
    st.tuples(st.sampled_from("AB"), st.sampled_from("12"), st.sampled_from("abcdefgh")),
    st.integers(0, 3),
    min_size=1,
)


@examples(60)
@given(LINES, st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_order_of_runs_and_lines_changes_nothing(lines, depth, chance):
    first = _pool_of(list(lines.items()), depth)
    shuffled = list(lines.items())
    chance.shuffle(shuffled)
    second = _pool_of(shuffled, depth)
    assert format_pool(first, "csv") == format_pool(second, "csv")
    assert np.array_equal(first.bounds, second.bounds)


def _pool_of(lines: list[tuple[tuple[str, str, str], int]], depth: int) -> PoolTable:
    tags = list(dict.fromkeys(tag for (tag, _, _), _ in lines))
    rows = {tag: [(t, d, float(s)) for (g, t, d), s in lines if g == tag] for tag in tags}
    return depth_pool([run_from_rows(tag, rows[tag]) for tag in tags], depth)


def test_formats_show_judges_no_run_and_no_rank() -> None:
    pool = depth_pool(toy_runs(), {"alpha": 1, "gamma": 1})
    assert format_pool(pool, "trec") == "1 0 a -1\n2 0 x -1\n3 0 k -1\n3 0 l -1\n"
    assert format_pool(pool, "csv").splitlines()[2:4] == [
        "topic,docno,min_rank,contributors",
        "1,a,1,alpha gamma",
    ]
    content = json.loads(format_pool(pool, "json"))
    assert content["runs"] == ["alpha", "beta", "delta", "gamma"]
    assert content["topics"]["2"] == [{"docno": "x", "min_rank": 1, "contributors": ["alpha"]}]
    assert read_qrels(format_pool(pool, "trec").encode()).grades.tolist() == [-1, -1, -1, -1]
    assert set(FORMATS) == {"trec", "csv", "json", "ntcir"}


def test_hash_order_is_fixed_and_differs_by_seed_topic_and_docno() -> None:
    keys = {hash_order(s, t, d) for s in (1, 2) for t in ("1", "01") for d in ("a", "b")}
    assert len(keys) == 8
    assert all(0 <= key < 2**63 for key in keys)
    assert hash_order(1, "1", "a") == 4433186388159658487
    many = ["a", "é", ""]
    at_once = hash_orders(1, "1", (docno.encode() for docno in many))
    assert at_once.tolist() == [hash_order(1, "1", docno) for docno in many]
    assert hash_orders(1, "1", []).tolist() == []


def test_the_page_of_pooling_tells_the_toy_as_it_is() -> None:
    assert format_pool(depth_pool(toy_runs(), 2), "csv") in PAGE


RUN = b"""2 Q0 e 1 1 r
1 Q0 a 1 3 r
1 Q0 c 2 2 r
1 Q0 b 3 2 r
1 Q0 d 4 1 r
"""


def test_a_shortened_run_keeps_the_first_of_each_topic_and_no_file() -> None:
    short = truncate_run(read_run(RUN), 2)
    assert (short.tag, short.topics, short.starts.tolist()) == ("r", ("1", "2"), [0, 2, 3])
    assert (list(short.docnos), short.scores.tolist()) == (["a", "c", "e"], [3, 2, 1])
    assert short.docnos.data == b"ace"
    assert list(pickle.loads(pickle.dumps(short)).docnos) == ["a", "c", "e"]  # noqa: S301


def test_a_shortened_run_is_listed_as_the_whole_one() -> None:
    whole = read_run(RUN)
    for cutoff in (1, 2, 9):
        listed = build_listing([whole], cutoff, 0)
        again = build_listing([truncate_run(whole, cutoff)], cutoff, 0)
        assert list(again.docnos) == list(listed.docnos)
        for column in ("starts", "entries", "run", "doc", "rank", "score"):
            assert getattr(again, column).tolist() == getattr(listed, column).tolist()
