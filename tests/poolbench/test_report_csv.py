"""The shape of every CSV file: two lines of conditions, a header, records."""

import csv
import io
import re

import pandas
import pytest

from poolbench.reports.csv import blank_head_lines, format_csv, iter_csv_parts, merge_conditions
from tests.conftest import REPOSITORY
from tests.csv_reading import csv_conditions, csv_rows
from tests.house import APPS

ROWS = (("#1", "d#2", 0.1, None), ("1,2", 'a "b"', 1 / 3, "two\nlines"), ("é", "", 3, "x"))
COLUMNS = ("topic", "docno", "value", "note")
TEXT = format_csv("scores", COLUMNS, ROWS, {"profile": "p", "note": "two\nlines, #3"})


def test_the_file_is_the_documented_one() -> None:
    text = format_csv("scores", ("run", "value"), [("bm25", 0.25)], {"level": 1})
    assert text == (
        '# poolbench-csv: 2\n# conditions: {"table":"scores","level":1}\nrun,value\nbm25,0.25\n'
    )
    assert text in (REPOSITORY / "docs" / "formats.md").read_text()


def test_every_cell_and_condition_comes_back() -> None:
    wanted = [["" if cell is None else str(cell) for cell in row] for row in ROWS]
    assert [list(row.values()) for row in csv_rows(TEXT)] == wanted
    assert csv_conditions(TEXT) == {"table": "scores", "profile": "p", "note": "two\nlines, #3"}
    assert TEXT.split("\n")[2] == "topic,docno,value,note"


def test_cells_are_quoted_as_the_standard_library_quotes_them() -> None:
    rows = [row for row in ROWS if not any("#" in str(cell) for cell in row)]
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    assert format_csv("t", COLUMNS, rows).split("\n", 3)[3] == stream.getvalue()


@pytest.mark.parametrize("how", [{"comment": "#"}, {"skiprows": 2}, {"header": 2}])
def test_pandas_reads_it_by_comment_and_by_skipping(how: dict[str, object]) -> None:
    table = pandas.read_csv(io.StringIO(TEXT), keep_default_na=False, dtype=str, **how)
    wanted = [["" if cell is None else str(cell) for cell in row] for row in ROWS]
    assert table.columns.tolist() == list(COLUMNS)
    assert table.to_numpy().tolist() == wanted


def test_a_streamed_file_is_the_same() -> None:
    many = [(str(n), "d", n, None) for n in range(1_000)]
    parts = list(iter_csv_parts("t", COLUMNS, iter(many)))
    assert len(parts) > 5
    assert "".join(parts) == format_csv("t", COLUMNS, many)


def test_conditions_of_runs_are_told_once() -> None:
    runs = [("a", {"level": 1, "left": 0}), ("b", {"level": 1, "left": 2, "own": True})]
    assert merge_conditions(runs) == {
        "level": 1,
        "by_run": {"a": {"left": 0}, "b": {"left": 2, "own": True}},
    }
    assert merge_conditions(runs[:1]) == {"level": 1, "left": 0}
    assert merge_conditions([]) == {}


def test_line_numbers_stay_where_the_lines_are_skipped() -> None:
    lines = blank_head_lines(TEXT.split("\n"))
    assert lines[:3] == ["", "", "topic,docno,value,note"]
    assert blank_head_lines(["#topic,docno", "1,a"]) == ["#topic,docno", "1,a"]
    assert blank_head_lines(["# poolbench-csv: 2"]) == ["", ""]


def test_nobody_else_writes_csv() -> None:
    """Besides ``rows.py``, which speaks it to PostgreSQL: no person reads that."""
    files = [path for app in APPS for path in (REPOSITORY / app).rglob("*.py")]
    files.remove(REPOSITORY / "campaigns/services/rows.py")
    writers = [path.name for path in files if re.search(r"csv\.(Dict)?[wW]riter", path.read_text())]
    assert writers == []
