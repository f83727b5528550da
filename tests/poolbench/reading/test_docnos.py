"""Packed ids behave as a list of strings, whatever their lengths and wherever they are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading.docnos import LONGEST, SHORT, DocnoArray, DocnoCollector

NASTY = ["a", "a\0", "a\0\0", "abcdefg", "abcdefgh", "abcdefghi", "\u00a0x", "\u2028", "\U0001f600"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
TEXTS |= st.sampled_from(NASTY)
LONG = st.builds(
    lambda stem, times, end: stem * times + end,
    st.sampled_from(["x", "yz", "é"]),
    st.sampled_from([SHORT * 8, LONGEST - 1, LONGEST, LONGEST + 1, 5_000]),
    st.sampled_from(["", "a", "b"]),
)
IDS = st.lists(TEXTS | LONG, max_size=30)


def collected(blocks: list[list[str]]) -> DocnoArray:
    """The ids of all blocks, gathered as a reader does."""
    ids = [text for block in blocks for text in block]
    packed = DocnoArray.from_ids(ids)
    collector = DocnoCollector(packed.data, len(ids) + 1)
    start = 0
    for block in blocks:
        if block:
            collector.add(packed.take(slice(start, start + len(block))))
        start += len(block)
    return collector.finish()


@given(IDS)
def test_ids_are_joined_in_their_order(ids):
    docnos = DocnoArray.from_ids(["before", *ids]).take(slice(None, None, -1))
    assert docnos.joined().decode() == "".join([*reversed(ids), "before"])


@given(IDS)
def test_docnos_are_a_sequence_of_strings(ids):
    packed = DocnoArray.from_ids(ids)
    assert len(packed) == len(ids)
    assert list(packed) == ids
    assert [packed[row] for row in range(len(ids))] == ids
    assert packed[1:-1] == ids[1:-1]
    assert packed == ids
    assert ids == packed
    assert (packed == [*ids, "x"]) is False


@given(IDS, st.randoms())
def test_docnos_compare_byte_for_byte(ids, random):
    other = [text if random.random() < 0.5 else text[:-1] + random.choice("ab\0") for text in ids]
    assert DocnoArray.from_ids(ids).equals(DocnoArray.from_ids(other)).tolist() == [
        a == b for a, b in zip(ids, other, strict=True)
    ]
    assert (DocnoArray.from_ids(ids) == DocnoArray.from_ids(other)) == (ids == other)


@given(IDS)
def test_ranks_are_those_by_code_point(ids):
    ordered = sorted(set(ids))
    assert DocnoArray.from_ids(ids).ranks().tolist() == [ordered.index(text) for text in ids]


@given(IDS)
def test_distinct_has_every_id_once(ids):
    assert DocnoArray.from_ids([*ids, *ids]).distinct() == {text.encode() for text in ids}


@given(IDS)
def test_changes_are_where_an_id_differs_from_the_one_before(ids):
    expected = [row for row in range(len(ids)) if row == 0 or ids[row] != ids[row - 1]]
    assert DocnoArray.from_ids(ids).changes().tolist() == expected


@given(IDS, st.sampled_from(["a", "abcdefgh", "yz" * LONGEST]))
def test_equal_finds_one_text(ids, wanted):
    assert DocnoArray.from_ids([*ids, wanted]).equals_text(wanted.encode()).tolist() == [
        text == wanted for text in [*ids, wanted]
    ]


@given(IDS)
def test_the_hash_of_an_id_does_not_depend_on_its_neighbours(ids):
    alone = [int(DocnoArray.from_ids([text]).hashes()[0]) for text in ids]
    assert DocnoArray.from_ids(ids).hashes().tolist() == alone
    assert len(set(alone)) == len(set(ids))


@given(st.lists(IDS, max_size=4), st.randoms())
def test_ids_gathered_block_by_block_are_the_same(blocks, random):
    ids = [text for block in blocks for text in block]
    packed = collected(blocks)
    assert packed == ids
    assert packed.hashes().tolist() == DocnoArray.from_ids(ids).hashes().tolist()
    rows = random.choices(range(len(ids)), k=20) if ids else []
    taken = packed.take(np.array(rows, np.int64))
    assert taken == [ids[row] for row in rows]
    assert taken.hashes().tolist() == DocnoArray.from_ids(taken).hashes().tolist()


@pytest.mark.parametrize("lengths", [(3, 20), (20, 3), (3, 50, 3), (9, 9)])
def test_words_kept_of_blocks_are_those_loaded_afresh(lengths):
    blocks = [[f"{n}" * length for n in range(5)] for length in lengths]
    packed = collected(blocks)
    fresh = DocnoArray(packed.data, packed.starts, packed.lengths)
    assert [words.tolist() for words in packed.all_words] == [
        words.tolist() for words in fresh.all_words
    ]


def test_docnos_have_no_hash_as_a_whole():
    with pytest.raises(TypeError):
        hash(DocnoArray.from_ids(["a"]))
