"""The text layer of a PDF and the pictures of its pages, on files written here (some .2 s each)."""

import io

import pytest
from PIL import Image

from poolbench.texts import pdf_pages
from poolbench.texts.pdf_pages import (
    PAGE_END,
    PdfLine,
    UnreadablePdfError,
    build_text_layer,
    draw_pdf_pages,
    read_pages,
)
from tests.pdf_files import HEBREW, show, show_column, write_pdf


def test_lines_with_their_places_and_pages_with_their_ends():
    one, two = read_pages(write_pdf(show("red moth", 40, 200), show("end", 40, 100)))
    assert (one.width, one.height) == (400, 300)
    (line,) = one.lines
    # Courier: 8 letters of .6 of 10 points from x = 40; the baseline is 100 points from the top.
    assert (line.text, line.x) == ("red moth", 1000)
    assert line.width == pytest.approx(10_000 * 48 / 400, abs=30)
    assert line.y < 10_000 * 100 / 300 < line.y + line.height
    assert build_text_layer([one, two]) == f"red moth\n{PAGE_END}end\n{PAGE_END}"


def test_columns_are_lines_of_their_own_and_a_small_gap_is_none():
    left_right = "\n".join(
        show(text, x, y)
        for y, row in ((200, ("left one", "right one")), (180, ("left two", "right two")))
        for x, text in zip((40, 250), row, strict=True)
    )
    (page,) = read_pages(write_pdf(left_right))
    assert sorted(line.text for line in page.lines) == [
        "left one", "left two", "right one", "right two",
    ]  # fmt: skip
    near = show("two", 40, 200) + "\n" + show("words", 64, 200)
    (page,) = read_pages(write_pdf(near))
    assert [line.text for line in page.lines] == ["two words"]


def test_columns_of_a_paper_in_the_order_of_rows_are_lines_of_their_own():
    """Of 9 points, 24 points apart, as papers have them."""
    left, right = ["of red apples", "in the garden"], ["green pears", "in spring"]
    rows = [
        show_column([line], x, 250 - 12 * at, 9)
        for at, row in enumerate(zip(left, right, strict=True))
        for line, x in zip(row, (20, 20 + 13 * 5.4 + 24), strict=True)
    ]
    (page,) = read_pages(write_pdf("\n".join(rows)))
    assert sorted(line.text for line in page.lines) == sorted(left + right)


def test_a_landscape_page_is_read_as_it_is_shown():
    lines = ["red apples in the garden", "of green pears"]
    turned = f"q 0 1 -1 0 400 0 cm {show_column(lines, 20, 300)} Q"
    (page,) = read_pages(write_pdf(turned, page="/Rotate 90"))
    assert (page.width, page.height) == (300, 400)
    assert [line.text for line in page.lines] == lines
    first, second = page.lines
    assert (first.x, first.height < first.width) == (second.x, True)
    assert first.y < second.y


@pytest.mark.parametrize("drawn", ["in visual order", "in reading order"])
def test_text_from_right_to_left_is_in_its_order_of_reading(drawn):
    content = show("hgfe dcba", 250, 200, 20)
    if drawn == "in reading order":
        letters = (show(it, 250 + 12 * (8 - at), 200, 20) for at, it in enumerate("abcd efgh"))
        content = "\n".join(letters)
    (page,) = read_pages(write_pdf(content, meaning=HEBREW))
    (line,) = page.lines
    assert line.text == "".join(HEBREW.get(it, it) for it in "abcd efgh")
    assert line.x == pytest.approx(10_000 * 250 / 400, abs=30)
    assert line.width == pytest.approx(10_000 * 9 * 12 / 400, abs=60)


def test_a_page_without_text_is_a_page():
    one, two = read_pages(write_pdf("0 0 100 100 re f", show("text", 40, 200)))
    assert (one.lines, build_text_layer([one, two])) == ((), f"{PAGE_END}text\n{PAGE_END}")


def test_a_rotated_page_is_as_it_is_shown():
    (page,) = read_pages(write_pdf(show("turned", 40, 200), page="/Rotate 90"))
    assert (page.width, page.height) == (300, 400)
    (line,) = page.lines
    # Upright before, the line runs down the page now: 200 points from the left, 40 from the top.
    assert line.height > line.width
    assert line.x < 10_000 * 200 / 300 < line.x + line.width
    assert line.y == pytest.approx(1_000, abs=30)


def test_the_picture_of_a_page_is_dark_where_the_text_is():
    data = write_pdf("", "0 0 200 150 re f")
    empty, half = draw_pdf_pages(data, [0, 1], 800)
    assert Image.open(io.BytesIO(empty)).convert("L").getextrema() == (255, 255)
    picture = Image.open(io.BytesIO(half))
    assert (picture.format, picture.size) == ("WEBP", (800, 600))
    places = ((100, 500), (700, 500), (100, 100), (700, 100))
    assert [picture.convert("L").getpixel(place) < 128 for place in places] == [
        True, False, False, False,
    ]  # fmt: skip


def test_a_huge_page_is_drawn_smaller():
    data = write_pdf("").replace(b"[0 0 400 300]", b"[0 0 4 14400]")
    picture = Image.open(io.BytesIO(draw_pdf_pages(data, [0], 1_400)[0]))
    assert picture.width * picture.height <= pdf_pages.MOST_PIXELS * 1.01


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.4 and nothing else", "Data format error"),
        (b"", "Data format error"),
        (write_pdf("")[:200], "cannot be read"),
    ],
)
def test_a_damaged_file_is_told_and_ends_no_process(data, reason):
    with pytest.raises(UnreadablePdfError, match=reason):
        read_pages(data)


def test_what_would_be_read_in_part_is_not_read():
    with pytest.raises(UnreadablePdfError, match="more than 2,000 pages"):
        read_pages(write_pdf(*[""] * 2_001))


def test_what_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(pdf_pages, "SECONDS", 0.01)
    with pytest.raises(UnreadablePdfError, match=r"more than 0\.01 seconds"):
        read_pages(write_pdf(show("x", 1, 1)))


def test_without_the_extra_the_reason_names_it(monkeypatch):
    monkeypatch.setattr(pdf_pages, "can_read_pdf", lambda: False)
    with pytest.raises(UnreadablePdfError, match="install the extra pdf"):
        read_pages(b"")


def test_a_line_of_a_page_end_cannot_be_mistaken():
    assert (
        build_text_layer(
            [pdf_pages.PdfPage(1, 1, (PdfLine("a", 0, 0, 1, 1), PdfLine("b", 0, 0, 1, 1)))]
        )
        == f"a\nb\n{PAGE_END}"
    )
