"""The quick ways to find fields find those that looking at each line finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading.field_scanner import scan_fields, scan_line_by_line

FIELDS = st.text(
    st.characters(exclude_characters=" \t\n\r\x0b\x0c\0#", exclude_categories=["Cs", "Cc"]),
    min_size=1,
    max_size=12,
)
BLANKS = st.text(" \t\r\x0b\x0c", min_size=1, max_size=3)
AROUND = st.text(" \t\r", max_size=2)


def listed(spans):
    lines, *places = (np.asarray(part).tolist() for part in spans[1:])
    return lines, places, spans.size


def line_by_line(data, start, stop, width):
    lines, place = [], start
    for number, line in enumerate(data[start:stop].split(b"\n")):
        if line.split():
            lines.append((number, place, line))
        place += len(line) + 1
    return scan_line_by_line(data[start:stop].count(b"\n") + 1, lines, width)


@st.composite
def files(draw, width):
    """Lines of ``width`` fields, with odd white space in some of the files."""
    rows = draw(st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=1, max_size=8))
    if draw(st.booleans()):
        blank = draw(st.sampled_from(" \t"))
        return "\n".join(blank.join(row) for row in rows)
    lines = []
    for row in rows:
        lines += [draw(AROUND)] * draw(st.integers(0, 1))
        fields = [piece for field in row for piece in (field, draw(BLANKS))]
        lines.append(draw(AROUND) + "".join(fields[:-1]) + draw(AROUND))
    return "\n".join(lines)


@pytest.mark.parametrize("width", [1, 2, 4, 6])
def test_scan_finds_what_the_slow_way_finds(width):
    @given(files(width), st.sampled_from(["", "x\n", "before\nit\n"]), st.booleans())
    def holds(text, before, ends_with_newline):
        data = (before + text + "\n" * ends_with_newline).encode()
        start, stop = len(before.encode()), len((before + text).encode())
        found = scan_fields(data, start, stop, width)
        assert found is not None
        assert listed(found) == listed(line_by_line(data, start, stop, width))

    holds()


@pytest.mark.parametrize("data", [
    b"", b" \n ", b"1 0 a", b"1 0 a 1 x", b"1 0 a 1\n1 0 a", b"1 0 a\n1 1 0 a 1",
    b"1 0\na 1\n1 0 a 1", b"#1 0 a 1", b"1 0 a 1\n# 0 a 1", b"1 0 a\0 1", b"1 0 a\x01b 1",
    b"1 0 \xff 1", b"1 0 a 1\n1\x1f0 a 1",
])  # fmt: skip
def test_scan_leaves_odd_lines_to_a_closer_look(data):
    assert scan_fields(data, 0, len(data), 4) is None


def test_scan_keeps_unicode_spaces_in_a_field():
    data = "1 0 a\u00a0b\u2028\u0085 1".encode()
    found = scan_fields(data, 0, len(data), 4)
    assert data[found.starts[0, 2] : found.ends[0, 2]].decode() == "a\u00a0b\u2028\u0085"
