"""Texts in blocks and pieces: every block is the body between its offsets, to the character."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.texts.text_pages import (
    CHUNK,
    PIECE,
    TextBlock,
    TextPage,
    measure_text_length,
    slice_text_page,
    split_blocks,
)

TEXT = (
    "\nA paragraph whose lines were broken\nbecause of their width alone.\n"
    "  And an indented one that follows it\nand goes on.\n\n \t\n"
    "    >>> code(1)\n    2\n\n"
    "- one item of a list of items here\n- another item of that list\n"
)
# Texts with many line ends, and signs beyond the basic plane.
TEXTS = st.text(st.sampled_from("ab \n\n\t->1.😀ا"), max_size=400)


def all_pieces(body: str, size: int = PIECE) -> list[TextPage]:
    pieces = [slice_text_page(body, size=size)]
    while (start := pieces[-1].next) is not None:
        pieces.append(slice_text_page(body, start, size=size))
    return pieces


def blocks_in(pieces: list[TextPage]) -> list[TextBlock]:
    return [block for piece in pieces for chunk in piece.chunks for block in chunk.blocks]


def test_blocks_are_told_apart_and_keep_their_text():
    found = list(split_blocks(TEXT))
    assert [block.kind for block in found] == ["wrapped", "wrapped", "verbatim", "lines"]
    assert [block.text.split()[0] for block in found] == ["A", "And", ">>>", "-"]
    assert all(TEXT[block.start : block.end] == block.text for block in found)
    assert found[2].text == "    >>> code(1)\n    2"


def test_blocks_know_the_empty_lines_before_them():
    """None within a part, at most three, and one where a page is cut between two parts."""
    text = "a\n\nb\n  c\n\n\n \nd\n\n\n\n\n\n\ne"
    assert [block.gap for block in split_blocks(text)] == [0, 1, 0, 3, 3]
    body = "one\n\ntwo"
    assert [block.gap for block in blocks_in([slice_text_page(body, 5)])] == [1]
    assert [block.gap for block in blocks_in([slice_text_page(body, 4)])] == [0]


def test_nothing_is_no_block():
    assert [list(split_blocks(text)) for text in ("", "\n\n", " \n \n")] == [[], [], []]


@given(TEXTS, st.integers(4, 50))
def test_pieces_hold_every_sign_that_is_not_blank_once_and_in_its_place(body, size):
    blocks = blocks_in(all_pieces(body, size))
    assert all(body[block.start : block.end] == block.text for block in blocks)
    assert [b.start for b in blocks] == sorted(b.start for b in blocks)
    assert all(left.end <= right.start for left, right in pairwise(blocks))
    held = "".join(block.text for block in blocks)
    assert "".join(held.split()) == "".join(body.split())


@given(TEXTS)
def test_no_block_begins_with_a_line_feed_which_an_element_would_lose(body):
    assert not any(block.text.startswith("\n") for block in blocks_in(all_pieces(body, 4)))


def test_five_megabytes_come_in_pieces_of_bounded_chunks():
    body = "\n\n".join(f"{n} " + "word " * 60 for n in range(16_500))
    pieces = all_pieces(body)
    assert len(body) > 5_000_000
    assert len(pieces) == pytest.approx(len(body) / PIECE, abs=2)
    chunks = [chunk for piece in pieces for chunk in piece.chunks]
    assert max(sum(len(block.text) for block in chunk.blocks) for chunk in chunks) <= CHUNK
    assert len(blocks_in(pieces)) == 16_500


def test_a_text_without_paragraphs_is_cut_into_blocks_that_go_on():
    body = "word " * 20_000
    blocks = blocks_in(all_pieces(body))
    assert "".join(block.text for block in blocks) == body
    assert [block.goes_on for block in blocks] == [False] + [True] * (len(blocks) - 1)
    assert max(len(block.text) for block in blocks) <= CHUNK


@pytest.mark.parametrize("start", [-5, 10**9])
def test_a_start_outside_the_body_gives_its_beginning_or_nothing(start):
    piece = slice_text_page("text", start)
    assert [chunk.start for chunk in piece.chunks] == ([0] if start < 0 else [])
    assert piece.next is None


def test_extent_is_in_words_or_in_characters_where_none_are_parted():
    assert measure_text_length("one two") == (2, "word")
    assert measure_text_length("热传导" * 400) == (1200, "character")
