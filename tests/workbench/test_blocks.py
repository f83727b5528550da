"""Blocks of documentation pages are found and filled; what stands around them stays."""

import pytest

from workbench.docs import fill_blocks, find_stale_blocks, list_blocks

PAGE = """# Title

Prose above.

<!-- begin: a.cards -->
old
<!-- end -->

Prose between, with <!-- begin: a.cards --> in a line.

<!-- begin: b -->
<!-- end -->
"""
BLOCKS = {"a.cards": str, "b": str}


def test_blocks_are_filled_and_nothing_else():
    filled = fill_blocks(PAGE, {"a.cards": lambda: "\n\\1 new\n\nlines\n\n", "b": lambda: "x"})
    wanted = PAGE.replace("\nold\n", "\n\\1 new\n\nlines\n")
    assert filled == wanted.replace("b -->\n", "b -->\nx\n")


def test_stale_blocks_are_named():
    assert list_blocks(PAGE) == ["a.cards", "b"]
    assert find_stale_blocks(PAGE, {"a.cards": lambda: "old", "b": lambda: "x"}) == ["b"]
    filled = fill_blocks(PAGE, {"a.cards": lambda: "new", "b": lambda: "x"})
    assert find_stale_blocks(filled, {"a.cards": lambda: "new\n", "b": lambda: "x"}) == []


@pytest.mark.parametrize(
    "page",
    [
        "<!-- begin: a.cards -->\n",
        "<!-- end -->\n",
        "<!-- begin: a.cards -->\n<!-- begin: b -->\n<!-- end -->\n<!-- end -->\n",
        "<!-- begin: a.cards -->\n<!-- begin: b -->\n<!-- end -->\n",
    ],
)
def test_lines_that_do_not_match_are_rejected(page):
    with pytest.raises(ValueError, match="do not alternate"):
        fill_blocks(page, BLOCKS)


def test_a_block_without_a_function_is_rejected():
    with pytest.raises(ValueError, match="no function renders the block b"):
        fill_blocks(PAGE, {"a.cards": lambda: ""})
