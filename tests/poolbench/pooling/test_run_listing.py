"""A listing of a campaign's runs is that of their tables, also if it is made topic by topic."""

import numpy as np
import pytest

from poolbench.pooling import run_listing
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.run_listing import (
    build_listing,
    build_listing_from_matrices,
    iter_listing_parts,
)
from poolbench.pooling.spec import depth_spec
from poolbench.reliability.disagreement.panel import encode_runs
from poolbench.runs.runs import run_from_rows

COLUMNS = ("starts", "min_rank", "bounds", "contributors", "priority", "stratum", "probability")
ARRAYS = ("starts", "entries", "run", "doc", "rank", "score")


def make_runs():
    rng = np.random.default_rng(3)
    for number in range(4):
        topics = rng.choice(9, 6, replace=False)
        yield run_from_rows(
            f"r{3 - number}",
            [
                (f"{topic}", f"d{document}", float(score))
                for topic in topics
                for score, document in enumerate(rng.choice(12, 7, replace=False))
            ],
        )


@pytest.mark.parametrize("topics", [None, ("1", "3", "4", "77"), ()])
@pytest.mark.parametrize("at_once", [1, 40, 1 << 20])
def test_it_is_that_of_the_tables(monkeypatch, topics, at_once):
    monkeypatch.setattr(run_listing, "_ENTRIES", at_once)
    monkeypatch.setattr(run_listing, "_STAYING", at_once)
    monkeypatch.setattr(run_listing, "_MARKS", at_once)
    runs = list(make_runs())
    matrices, pairs = encode_runs(runs)
    named = {run.tag: matrix for run, matrix in zip(runs, matrices, strict=True)}
    found = build_listing_from_matrices(named, pairs, 5, 1, topics)
    expected = build_listing(runs, 5, 1, topics)
    assert (found.runs, found.topics, found.docnos) == (
        expected.runs, expected.topics, expected.docnos,
    )  # fmt: skip
    for name in ARRAYS:
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
        assert getattr(found, name).dtype == getattr(expected, name).dtype


@pytest.mark.parametrize("topics", [None, ("1", "3", "4", "77"), ()])
@pytest.mark.parametrize("at_once", [1, 40, 1 << 20])
def test_a_pool_of_its_parts_is_that_of_the_whole(monkeypatch, topics, at_once):
    monkeypatch.setattr(run_listing, "_ENTRIES", at_once)
    monkeypatch.setattr(run_listing, "_STAYING", at_once)
    monkeypatch.setattr(run_listing, "_MARKS", at_once)
    runs, spec = list(make_runs()), depth_spec(3)
    matrices, pairs = encode_runs(runs)
    named = {run.tag: matrix for run, matrix in zip(runs, matrices, strict=True)}
    parts = list(iter_listing_parts(named, pairs, 3, 1, topics))
    sessions = (session for part in parts for session in start_sessions(part, spec.steps))
    found = build_pool_table(sessions)
    expected = build_pool_table(start_sessions(build_listing(runs, 3, 1, topics), spec.steps))
    assert at_once > 1 or topics == () or len(parts) > 1
    assert (found.runs, found.topics, found.docnos) == (
        expected.runs, expected.topics, expected.docnos,
    )  # fmt: skip
    for name in COLUMNS:
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
        assert getattr(found, name).dtype == getattr(expected, name).dtype
