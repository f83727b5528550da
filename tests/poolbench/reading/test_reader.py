"""Lines and order are those of the slow twin; for numbers see ``test_decimals.py``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading import blocks
from poolbench.reading.reader import DocnoArray, rank_rows, scan_blocks
from tests.poolbench.reading import slow

FIELD = st.text("ab1.é\u00a0\u2028#", min_size=1, max_size=9)
BLANK = st.sampled_from([" ", "\t", "  ", " \t", "\x0b"])
ODD = st.sampled_from(
    ["", "   ", "# a comment here", "a", "a b c d e", "#", "\r", " a b c", "a\x01b"]
)


@st.composite
def lines(draw, width=3):
    """A line of ``width`` fields, or an odd one."""
    if draw(st.integers(0, 9)) == 0:
        return draw(ODD)
    blank = draw(BLANK) if draw(st.booleans()) else " "
    return blank.join(draw(FIELD) for _ in range(width)) + draw(st.sampled_from(["", "", "", "\r"]))


def scanned(data, width):
    """All lines of ``data`` as the reader gives them; every line stands where its block says."""
    found, first = [], 1
    for block in scan_blocks(data, width, lambda _, line: slow.is_read(line, width)):
        assert block.first == first
        assert data[block.span].count(b"\n") + 1 >= block.size
        first += block.size
        columns = [block.column(index).texts(slice(None)) for index in range(width)]
        rows = zip(*columns, strict=True)
        found += [(int(n), list(row)) for n, row in zip(block.lines, rows, strict=True)]
        good = np.arange(len(block)) % 2 == 0
        assert block.where(good).column(0) == block.column(0)[::2]
    assert first == data.count(b"\n") + (not data.endswith(b"\n")) + 1 or not data
    return found


@pytest.mark.parametrize("size", [1, 30, 1 << 20])
def test_fields_are_those_of_split(size, monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK", size)

    @given(st.lists(lines(), max_size=12), st.sampled_from(["", "\n"]))
    def holds(rows, end):
        data = ("\n".join(rows) + end).encode()
        assert scanned(data, 3) == list(slow.read_lines(data, 3))

    holds()


IDS = st.text("ab9é\U0001f600\0", min_size=1, max_size=10)
SCORES = st.sampled_from([0.0, -0.0, 1.0, -1.5, 1e300, float("inf")]) | st.floats(allow_nan=False)
ROWS = st.lists(
    st.tuples(st.integers(0, 3), SCORES, IDS), max_size=30, unique_by=lambda row: (row[0], row[2])
)


@given(ROWS, st.booleans())
def test_the_order_is_that_of_sorted(rows, by_group):
    if by_group:
        rows = sorted(rows, key=lambda row: row[0])
    groups, scores, ids = [[row[at] for row in rows] for at in range(3)]
    order = np.argsort(np.array(groups, np.int64), kind="stable")
    sizes = np.unique(np.array(groups, np.int64), return_counts=True)[1]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    values = np.array(scores, np.float64)
    ranked = rank_rows(starts, values, DocnoArray.from_ids(ids), None if by_group else order)
    found = list(range(len(rows))) if ranked.rows is None else ranked.rows.tolist()
    expected = slow.rank_rows(groups, scores, ids)
    assert found == expected
    assert ranked.scores.tobytes() == values[expected].tobytes()
    assert values.tolist() == scores


def test_what_is_in_order_is_not_sorted():
    ids = DocnoArray.from_ids(["b", "a", "c"])
    scores = np.array([3.0, 2.0, 5.0])
    ranked = rank_rows(np.array([0, 2, 3]), scores, ids)
    assert ranked.rows is None
    assert ranked.scores is scores


@given(st.lists(IDS | st.sampled_from(["x" * 300, "x" * 299 + "y"]), min_size=1), st.data())
def test_matches_are_those_of_the_texts(ids, data):
    places = st.lists(st.integers(0, len(ids) - 1), max_size=20)
    mine = data.draw(places)
    theirs = [data.draw(st.integers(0, len(ids) - 1)) for _ in mine]
    reversed_ids = DocnoArray.from_ids([*reversed(ids), "longer than the others are, by far"])
    same = DocnoArray.from_ids(ids).matches(
        np.array(mine, np.int64), reversed_ids, np.array(theirs, np.int64)
    )
    assert same.tolist() == [ids[a] == ids[::-1][b] for a, b in zip(mine, theirs, strict=True)]


@pytest.mark.parametrize("size", [2, 31, 33, 80])
def test_ties_few_and_many_are_in_docno_order(size):
    ids = [f"d{number % 7}{'x' * (number % 11)}{number}" for number in range(size)]
    order = sorted(range(size), key=ids.__getitem__, reverse=True)
    ranked = rank_rows(np.array([0, size]), np.zeros(size), DocnoArray.from_ids(ids))
    assert ranked.rows is not None
    assert ranked.rows.tolist() == order
