"""Designs against what their cards promise, and against designs of the literature."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from poolbench.judging.designs.allocation import (
    UNASSIGNED,
    ImpossibleDesignError,
    Workload,
    draw_within_topics,
    forecast_load,
)
from poolbench.judging.designs.blocks import build_blocks, iter_block_orbits
from poolbench.judging.designs.lengths import order_in_length_blocks
from poolbench.judging.designs.registry import DESIGNS
from tests.conftest import REPOSITORY


def work(sizes: list[int], crew: int, people: list[tuple[int, ...]] | None = None) -> Workload:
    topics = tuple(str(n) for n in range(1, len(sizes) + 1))
    everyone = tuple(range(crew))
    return Workload(topics, tuple(sizes), tuple(people or [everyone] * len(sizes)), crew)


def blocks_of(layout) -> list[list[int]]:
    """The people of each document."""
    found: list[list[int]] = [[] for _ in range(int(layout.pair.max()) + 1)]
    for pair, person in zip(layout.pair.tolist(), layout.assessor.tolist(), strict=True):
        found[pair].append(person)
    return found


def shared(blocks, crew: int) -> dict[tuple[int, int], int]:
    met = dict.fromkeys(combinations(range(crew), 2), 0)
    for block in blocks:
        for two in combinations(sorted(block), 2):
            met[two] += 1
    return met


sizes = st.lists(st.integers(0, 30), min_size=1, max_size=6).filter(sum)


@given(sizes, st.integers(1, 8), st.data())
def test_every_design_numbers_the_judgments_of_a_document(docs, crew, data):
    name = data.draw(st.sampled_from(sorted(DESIGNS)))
    design = DESIGNS[name]
    n = data.draw(st.integers(2 if name == "blocks" else 1, max(crew, 2)))
    asked = design.read({"n": n, "share": 0.3, "shared": 1, "rest": 1})
    people = [(0,)] * len(docs) if name == "topic-owner" else None
    try:
        layout = design.allocate(work(docs, crew, people), asked, 7)
    except ImpossibleDesignError:
        assume(False)
    assert sorted(set(layout.pair.tolist())) == list(range(sum(docs)))
    for pair in range(sum(docs)):
        own = layout.pair == pair
        assert layout.k[own].tolist() == list(range(own.sum()))
        assert own.sum() <= design.max_judgments(asked)
        if design.reserves:
            assert len(set(layout.assessor[own].tolist())) == own.sum()
    assert design.reserves == (UNASSIGNED not in layout.assessor)


@given(sizes, st.integers(2, 9), st.integers(1, 4))
def test_round_robin_loads_differ_by_one_at_most(docs, crew, n):
    assume(n <= crew)
    layout = DESIGNS["round-robin"].allocate(work(docs, crew), {"n": n}, 0)
    loads = np.bincount(layout.assessor, minlength=crew)
    assert loads.max() - loads.min() <= 1


def documents_needed(assessors: int, n: int, shared: int) -> int:
    """The number of documents in blocks; no design needs fewer than
    shared · assessors · (assessors − 1) / (n · (n − 1)).
    """
    count = 0
    for orbit, reached in iter_block_orbits(assessors, n):
        count += len(orbit)
        if reached >= shared:
            break
    return count


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=5),
    st.integers(2, 9),
    st.integers(2, 4),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_blocks_have_every_two_share_enough_and_equal_loads(docs, crew, n, least, rest):
    assume(n <= crew and rest <= n)
    design, asked = DESIGNS["blocks"], {"n": n, "shared": least, "rest": rest}
    if documents_needed(crew, n, least) > sum(docs):
        with pytest.raises(ImpossibleDesignError):
            design.allocate(work(docs, crew), asked, 1)
        return
    layout = design.allocate(work(docs, crew), asked, 1)
    blocks = blocks_of(layout)
    assert min(shared(blocks, crew).values()) >= least
    loads = np.bincount(layout.assessor, minlength=crew)
    assert loads.max() - loads.min() <= 1
    in_blocks = documents_needed(crew, n, least)
    assert len(layout) == in_blocks * n + (sum(docs) - in_blocks) * rest


@given(st.integers(2, 30), st.integers(1, 6))
def test_blocks_of_two_take_no_document_too_many(crew, least):
    blocks = build_blocks(crew, 2, least, 10**6)
    assert set(shared(blocks, crew).values()) == {least}
    assert len(blocks) == least * crew * (crew - 1) // 2


@pytest.mark.parametrize(
    ("crew", "n", "blocks"),
    [(7, 3, 7), (13, 4, 13), (4, 3, 4), (5, 5, 1), (3, 2, 3)],
    ids=["Fano plane", "projective plane of order 3", "all triples of 4", "everybody", "pairs"],
)
def test_blocks_are_the_perfect_designs_where_a_cyclic_one_is(crew, n, blocks):
    found = build_blocks(crew, n, 1, 1000)
    assert len(found) == blocks
    assert len(set(shared(found, crew).values())) == 1


@pytest.mark.parametrize(("crew", "n", "rest"), [(7, 3, 2), (5, 2, 2), (8, 4, 3)])
def test_the_documents_outside_of_blocks_mix_people_evenly_too(crew, n, rest):
    asked = {"n": n, "shared": 1, "rest": rest}
    layout = DESIGNS["blocks"].allocate(work([50, 50], crew), asked, 0)
    counts = shared(blocks_of(layout), crew).values()
    assert max(counts) - min(counts) <= 2


def test_a_pool_too_small_for_blocks_is_refused_with_what_fits():
    with pytest.raises(ImpossibleDesignError) as told:
        build_blocks(8, 2, 10, 100)
    assert told.value.message == (
        "For every two of 8 assessors to share 10 documents, 280 documents need 2 judgments each; "
        "the pool has 100."
    )
    assert told.value.fix == "Set at most 3 shared documents, or freeze a larger pool."
    assert len(build_blocks(8, 2, 3, 100)) == 84
    with pytest.raises(ImpossibleDesignError, match="Assign fewer assessors"):
        build_blocks(8, 2, 1, 27)


def test_the_worked_example_of_blocks():
    asked = {"n": 2, "shared": 10, "rest": 1}
    seen = work([500, 500], 8)
    found = forecast_load(seen, DESIGNS["blocks"].allocate(seen, asked, 3))
    assert found.judgments == 1280
    assert set(found.loads.tolist()) == {160}
    assert found.shared_range(list(range(8))) == (10, 10)
    assert found.exact


def test_blocks_mix_the_same_people_everywhere():
    two = work([9, 9], 3, [(0, 1, 2), (0, 1)])
    with pytest.raises(ImpossibleDesignError, match="same assessors on every topic"):
        DESIGNS["blocks"].allocate(two, {"n": 2, "shared": 1, "rest": 1}, 0)
    nobody = work([9, 9], 3, [(0, 1, 2), ()])
    with pytest.raises(ImpossibleDesignError, match="too few for 2"):
        DESIGNS["blocks"].allocate(nobody, {"n": 2, "shared": 1, "rest": 1}, 0)


@given(sizes, st.floats(0, 1), st.integers(0, 5))
def test_a_share_is_drawn_from_each_topic_within_one(docs, share, seed):
    one = work(docs, 3)
    layout = DESIGNS["share"].allocate(one, {"n": 3, "share": share}, seed)
    counts = np.bincount(layout.pair)
    assert set(counts.tolist()) <= {1, 3}
    assert (counts == 3).sum() == int(share * sum(docs) + 0.5)
    wanted = int(share * sum(docs) + 0.5)
    for topic, size in enumerate(docs):
        here = (counts[one.topic_indices == topic] == 3).sum()
        assert abs(here - size * wanted / sum(docs)) < 1 + 1e-9


def test_a_share_is_drawn_by_its_seed_alone():
    one = work([40, 40], 3)
    draw = [draw_within_topics(one, 20, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)]
    assert draw[0] == draw[1] != draw[2]


def test_every_document_of_a_topic_can_be_drawn():
    drawn = sum(draw_within_topics(work([10], 1), 3, np.random.default_rng(s)) for s in range(2000))
    assert drawn.sum() == 6000
    # 600 each, standard deviation 20.5: four of them.
    assert np.abs(drawn - 600).max() < 82


def test_topic_owner_takes_one_person_a_topic():
    lay_out = DESIGNS["topic-owner"].allocate
    assert len(lay_out(work([3, 2], 2, [(0,), ()]), {}, 0)) == 5
    with pytest.raises(ImpossibleDesignError, match="More than one assessor for 2"):
        lay_out(work([3, 2], 2, [(0,), (0, 1)]), {}, 0)


def test_what_is_foreseen_of_unnamed_judgments_is_the_even_part():
    seen = work([6, 4], 4, [(0, 1, 2), (3,)])
    found = forecast_load(seen, DESIGNS["overlap"].allocate(seen, {"n": 2}, 0))
    # Topic 1: 12 judgments among three, 6 · 2·1/(3·2) = 2 shared; topic 2: one person, 8.
    assert found.loads.tolist() == [4, 4, 4, 8]
    assert found.shared_range([0, 1]) == (2, 2)
    assert found.shared_range([0, 3]) == (0, 0)
    assert found.shared_range([3]) is None
    assert not found.exact
    waiting = forecast_load(
        work([6], 0, [()]), DESIGNS["overlap"].allocate(work([6], 0, [()]), {"n": 2}, 0)
    )
    assert waiting.unassigned == 12


@pytest.mark.parametrize(
    ("given_", "match"),
    [({"n": 0}, "Judgments per document: 0"), ({"n": 2.5}, "an integer"), ({"share": 1.1}, "1.1")],
)
def test_parameters_out_of_range_are_refused(given_, match):
    with pytest.raises(ImpossibleDesignError, match=match):
        DESIGNS["share"].read(given_)
    assert DESIGNS["share"].read({"n": None}) == {"n": 2, "share": 0.2}


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_cards_tell_everything(name):
    card = DESIGNS[name].card
    assert card.formula
    assert card.reading.endswith(".")
    assert card.source.endswith(".")
    assert card.example
    assert card.edge_cases


def test_the_page_of_plans_has_every_parameter():
    page = (REPOSITORY / "docs/judging.md").read_text()
    for design in DESIGNS.values():
        for number in design.numbers:
            assert f"| `{number.name}`: {number.label.lower()} |" in page


def test_short_and_long_documents_take_turns_in_blocks_of_ten():
    lengths = [100 + at if at % 2 else 9_000 + at for at in range(45)]
    order = order_in_length_blocks(lengths)
    assert sorted(order) == list(range(45))
    # 22 short documents and, of 23 long ones, the shortest: at the cut it counts as short.
    short = {at for at in range(45) if at % 2} | {0}
    sides = [at in short for at in order]
    assert sides == [
        *[True] * 10,
        *[False] * 10,
        *[True] * 10,
        *[False] * 10,
        *[True] * 3,
        *[False] * 2,
    ]
    for side in (True, False):
        half = [at for at in order if (at in short) is side]
        assert half == sorted(half)


@pytest.mark.parametrize(("lengths", "order"), [([], []), ([7], [0]), ([0, 0, 0], [0, 1, 2])])
def test_blocks_of_a_few_documents(lengths, order):
    assert order_in_length_blocks(lengths) == order
