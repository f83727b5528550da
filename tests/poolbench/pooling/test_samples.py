"""Samples: sizes, probabilities and who is drawn; by hand, and by many seeds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.pooling.candidates import RunListing, TopicCandidates
from poolbench.pooling.method import DocumentSample
from poolbench.pooling.methods.samples import apportion, systematic_sample
from poolbench.pooling.pool_builder import PoolBudget, build_pool_table, start_sessions
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.session import PoolStep
from poolbench.statistics.inclusion import inclusion_probabilities
from tests.examples import ALL, examples
from tests.poolbench.pooling.toy import order_of, run, step, toy_listing

SEEDS = 1500 if ALL else 300
SMALL = step("strata", windows=["1-1", [2, 3]], sample=["all", 1])


def letters(candidates: TopicCandidates, documents: np.ndarray) -> str:
    return "".join(sorted(candidates.docnos[doc] for doc in documents))


def test_a_pool_keeps_strata_and_probabilities_and_the_best_come_first() -> None:
    found = start_sessions(toy_listing(), [SMALL])
    pool = build_pool_table(found)
    assert pool.stratum[pool.rows(0)].tolist() == [1, 1, 2]
    assert pool.probability[pool.rows(0)].tolist() == [1, 1, pytest.approx(1 / 3)]
    # Runs are looked at to the end of the last window.
    assert set(order_of(found[0])[:2]) == {"a", "b"}
    assert pool.contributor_tags(0) == ("alpha", "beta", "gamma")


def test_documents_of_earlier_steps_are_certain_and_not_in_the_frame() -> None:
    for last in (step("strata", windows=["1-9"], sample=[1]), step("statap", documents=1)):
        (session, *_) = start_sessions(toy_listing(), [step("depth", k=1), last])
        assert session.sample is not None
        assert letters(session.candidates, session.sample.frame) == "cde"
        pool = build_pool_table([session])
        chosen = [pool.docnos.index(docno) for docno in "ab"]
        assert pool.stratum[chosen].tolist() == [0, 0]
        assert pool.probability[chosen].tolist() == [1, 1]
        assert len(pool) == 3


def test_what_is_in_no_window_is_not_drawn() -> None:
    (session, *_) = start_sessions(toy_listing(), [step("strata", windows=["1-1", "3-3"])])
    assert sorted(order_of(session)) == ["a", "b", "d", "e"]


@pytest.mark.parametrize(("sample", "documents", "sizes"), [
    ([4, 0.5, "all"], None, [4, 10, 60]),
    ([50, 0.01, 0.001], None, [20, 1, 1]),  # all of 20; one at least
    ([10, 0.5, 20], 20, [5, 5, 10]),  # cut in proportion
    (None, 10, [2, 2, 6]), (None, 11, [2, 2, 7]), (None, 3, [1, 1, 1]), (None, 100, [20, 20, 60]),
])  # fmt: skip
def test_sizes_of_strata_add_up_exactly(sample, documents, sizes):
    long = run("long", {"1": "".join(map(chr, range(0x4E00, 0x4E00 + 100)))})
    listing = build_listing([long], 100, 3)
    windows = [[1, 20], [21, 40], [41, 100]]
    (session,) = start_sessions(
        listing, [step("strata", documents, windows=windows, sample=sample)]
    )
    found = session.sample
    assert found is not None
    assert np.bincount(found.stratum[found.sampled], minlength=4)[1:].tolist() == sizes
    shares = [found.probability[found.stratum == number] for number in (1, 2, 3)]
    for share, size, whole in zip(shares, sizes, (20, 20, 60), strict=True):
        assert share == pytest.approx(size / whole)
        assert len(share) == whole


@examples(200)
@given(st.integers(0, 200), st.lists(st.integers(0, 60), min_size=1, max_size=6))
def test_a_number_is_shared_whole_and_nobody_is_left_out(number: int, wanted: list[int]) -> None:
    given_ = apportion(number, wanted)
    assert given_.sum() == min(number, sum(wanted))
    assert (given_ <= wanted).all()
    assert (given_ >= 0).all()
    if number >= np.count_nonzero(wanted):
        assert ((given_ > 0) == (np.array(wanted) > 0)).all()


def test_probabilities_above_one_are_capped_and_what_is_left_is_shared() -> None:
    # 3 · 6/10 is above 1; then 2 · 2/4 is 1, and then 1 · 1/2.
    assert inclusion_probabilities(np.array([1.0, 6, 2, 1]), 3) == pytest.approx([0.5, 1, 1, 0.5])
    assert inclusion_probabilities(np.array([1.0, 1]), 2).tolist() == [1, 1]
    assert inclusion_probabilities(np.array([1.0, 1]), 0).tolist() == [0, 0]
    assert inclusion_probabilities(np.empty(0), 0).tolist() == []


@examples(200)
@given(
    st.lists(st.floats(1e-6, 1), min_size=1, max_size=40),
    st.integers(0, 40),
    st.floats(0, 1, exclude_max=True),
)
def test_systematic_samples_have_their_number(weight, number, start):
    probability = inclusion_probabilities(np.array(weight), min(number, len(weight)))
    assert probability.sum() == pytest.approx(min(number, len(weight)))
    assert ((probability >= 0) & (probability <= 1 + 1e-12)).all()
    chance = probability[probability < 1]
    left = min(number, len(weight)) - int((probability >= 1).sum())
    assert systematic_sample(chance, left, start).sum() == left


def world() -> RunListing:
    """Three runs of thirty documents over one topic; many ties of best rank."""
    rng = np.random.default_rng(5)
    names = [chr(0x4E00 + at) for at in range(45)]
    runs = [run(tag, {"1": "".join(rng.permutation(names)[:30])}) for tag in ("a", "b", "c")]
    return build_listing(runs, 30, 0)


DESIGNS = {
    "strata": (step("strata", windows=["1-5", "6-15", "16-30"], sample=[6, 0.3, 3]),),
    "strata shared": (step("strata", 12, windows=["1-5", "6-30"]),),
    "statap": (step("statap", 12),),
    # An earlier step that cuts a tie leaves documents that lost by the hash of ties.
    "strata after take": (step("take", 4), step("strata", windows=["1-30"], sample=[9])),
    "statap after take": (step("take", 4), step("statap", 9)),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_documents_are_drawn_as_often_as_their_probability_says(name: str) -> None:
    listing = world()
    drawn, chance, spread = np.zeros(45), np.zeros(45), np.zeros(45)
    for seed in range(SEEDS):
        sample = of_seed(listing, DESIGNS[name], seed)
        drawn[sample.frame] += sample.sampled
        chance[sample.frame] += sample.probability
        spread[sample.frame] += sample.probability * (1 - sample.probability)
        assert sample.probability.sum() == pytest.approx(sample.sampled.sum())
        assert len(set(sample.frame.tolist())) == len(sample.frame)
    certain = spread < 1e-9
    assert drawn[certain] == pytest.approx(chance[certain])
    squares = (drawn - chance)[~certain] ** 2 / spread[~certain]
    # Of fixed size, and so a little less than independent: 30 to 45 degrees of freedom.
    assert squares.sum() < (~certain).sum() + 4 * np.sqrt(2 * (~certain).sum())
    assert squares.max() < 16


def of_seed(listing: RunListing, steps: tuple[PoolStep, ...], seed: int) -> DocumentSample:
    (session,) = start_sessions(replace(listing, seed=seed), steps, PoolBudget())
    assert session.sample is not None
    return session.sample
