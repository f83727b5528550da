"""Reports: one model, the same cells in every format, and nothing that a text can break."""

import csv
import json
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from markdown_it import MarkdownIt

from poolbench.charts.axes import round_axis
from poolbench.charts.kinds import PlotValue, build_line_chart
from poolbench.reports.csv import HEAD_LINES
from poolbench.reports.figures import make_figure
from poolbench.reports.html import read_style, write_html
from poolbench.reports.latex import LONG, escape_latex, write_latex, write_latex_table
from poolbench.reports.markdown import escape_markdown, write_markdown
from poolbench.reports.plain import pack_report, unpack_report
from poolbench.reports.report import Column, Report, Section, Table, iter_cells, make_columns
from poolbench.reports.text import write_text, write_text_table
from poolbench.reports.writers import ENDINGS, LABELS, WRITERS, make_formats
from tests.conftest import REPOSITORY
from tests.poolbench.html_pages import Page

ODD = [
    *("a|b", "<script>", "_x_", "*y*", "`z`", "[u](v)", "1. one", "- item", "# head", "x & y"),
    *(
        "$100%",
        "{\\}",
        "~^",
        "two\nlines",
        "--",
        "a -- b",
        "[0]",
        "*",
        "é ≥ −1",
        "-->",
        '"q"',
        "''",
    ),
]
COLUMNS = (
    Column("tag", "run", left=True), Column("n"), Column("value", format="{:.2f}".format),
    Column("drop", undefined="none"),
)  # fmt: skip
ROWS = [("first", 12, 0.123456, "x"), ("second run", 3, None, None)]


def made(rows=ROWS, **more) -> Report:
    table = Table("runs", COLUMNS, rows, "Runs", ("n: topics.",), **more)
    sections = (Section("By run", (table,), ("Best first.",), "by-run"),)
    return Report(
        "Scores", sections, ("One note.",), {"level": 1}, table, lambda: {"runs": len(rows)}
    )


def test_text_aligns_names_left_and_numbers_right():
    assert write_text(made()) == (
        "One note.\n\n"
        "Best first.\n\n"
        "run          n  value  drop\n"
        "first       12   0.12     x\n"
        "second run   3   null  none\n"
        "n: topics.\n"
    )


def test_text_leads_cuts_and_leaves_out():
    assert write_text_table(made(lead="All:", most=1).sections[0].tables[0]).splitlines() == [
        *("All:", "run     n  value  drop", "first  12   0.12     x", "and 1 more", "n: topics.")
    ]
    assert "second" not in write_text(made(detail=True))
    assert write_text_table(made(tabs=True).sections[0].tables[0]).splitlines()[:2] == [
        *("run\tn\tvalue\tdrop", "first\t12\t0.12\tx")
    ]
    titled = Report("", (Section("By run", notes=("None.",), titled=True),))
    assert write_text(titled) == "BY RUN\nNone.\n"
    assert write_text(Report("Empty")) == ""


def test_csv_has_the_values_and_json_the_data():
    lines = WRITERS["csv"](made()).splitlines()
    assert lines[1] == '# conditions: {"table":"runs","level":1}'
    assert lines[HEAD_LINES:] == ["tag,n,value,drop", "first,12,0.123456,x", "second run,3,,"]
    assert WRITERS["json"](made()) == '{\n  "runs": 2\n}\n'
    with pytest.raises(ValueError, match="has no table for CSV"):
        WRITERS["csv"](Report("Empty"))


def odd_report() -> Report:
    rows = [(text, text) for text in ODD]
    table = Table("odd", make_columns("a|b", "<i>", left=True), rows, "<i>", tuple(ODD))
    section = Section(
        "<b>", (table,), tuple(ODD), "odd", True, ODD[0], ("f <g>", *ODD), (figure(),)
    )
    return Report("<u>&|_", (section,), tuple(ODD), {"x": "--> \\ %"}, table)


def figure():
    values = [PlotValue(0, 1.0, "<t>"), PlotValue(1, 2.0, "u")]
    head = "found", "Found & <lost>", ""
    across, up = round_axis("judgments", [0, 1]), round_axis("", [1, 2])
    return make_figure(build_line_chart(head, [("a<b>&'", values)], across, up))


def on_one_line(texts):
    return [" ".join(text.split()) for text in texts]


def test_markdown_shows_every_text_as_it_is():
    html = MarkdownIt("commonmark").enable("table").render(write_markdown(odd_report()))
    reader = Page(html)
    assert reader.texts("td") == [text for text in on_one_line(ODD) for _ in range(2)]
    assert reader.texts("th") == ["a|b", "<i>"]
    assert (reader.texts("h1"), reader.texts("h2")) == (["<u>&|_"], ["<b>"])
    assert not {"script", "em", "code", "a", "ol", "i", "b", "strong"} & set(reader.tags)
    assert html.count("<!--") == 1
    assert html.rstrip().endswith("-->")


def test_markdown_aligns_and_names_the_conditions():
    lines = write_markdown(made()).splitlines()
    assert "| run | n | value | drop |" in lines
    assert "| :-- | --: | --: | --: |" in lines
    assert "| second run | 3 | null | none |" in lines
    assert lines[-1] == '<!-- conditions: {"level":1} -->'
    assert escape_markdown("1. x") == "1\\. x"


def test_latex_lets_no_text_end_a_row_or_start_a_command():
    text = write_latex(odd_report())
    rows = [line for line in text.splitlines() if line.endswith(" \\\\")]
    assert len(rows) == len(ODD) + 1
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
    comments = text.splitlines()[:2]
    body = "\n".join(text.splitlines()[2:])
    assert [line[0] for line in comments] == ["%", "%"]
    assert not re.search(r"(?<!\\)[%#]", body)
    assert escape_latex("50% of a_b & {c}\\~^$#") == (
        r"50\% of a\_b \& \{c\}\textbackslash{}\textasciitilde{}\textasciicircum{}\$\#"
    )
    assert escape_latex("a -- [b] ≥ −1 < 2") == r"a -{-} {[}b{]} $\geq$ $-$1 $<$ 2"
    braces = [len(re.findall(rf"(?<!\\){brace}", body)) for brace in (r"\{", r"\}")]
    assert braces[0] == braces[1]


def test_a_long_table_breaks_across_pages():
    short = write_latex_table(made().sections[0].tables[0], "Runs")
    assert r"\begin{tabular}{lrrr}" in short
    assert "\\toprule\nrun & n & value & drop \\\\\n\\midrule\nfirst & 12 & 0.12 & x \\\\" in short
    long = write_latex_table(made(ROWS[:1] * (LONG + 1)).sections[0].tables[0], "Runs")
    assert long.startswith("\\begin{longtable}{lrrr}\n\\caption{Runs} \\\\\n\\toprule")
    assert "tabular}" not in long


def test_html_escapes_every_text_and_loads_nothing():
    text = write_html(odd_report())
    reader = Page(text)
    assert reader.open == []
    assert reader.texts("td") == [cell.strip() for cell in ODD]
    assert reader.texts("h2") == ["<b>"]
    assert not {"script", "link", "img", "i", "b", "u"} & set(reader.tags)
    assert not re.search(r"(src|url)\s*[=(]|@import|https?:|\sstyle=|\son\w+=", text)
    assert text.count("<svg") == 2
    assert '<meta name="conditions" content="{&quot;x&quot;' in text


def test_html_folds_details_and_leaves_out_empty_tables():
    assert "<details open>\n<summary>Runs</summary>" in write_html(made())
    assert "<details>\n<summary>Runs (2)</summary>" in write_html(made(detail=True))
    assert "<table>" not in write_html(made([]))
    assert '<a href="#by-run">By run</a>' in write_html(made())


def test_the_colors_are_those_of_all_pages():
    found = finders.find("css/tokens.css")
    assert found
    assert read_style().startswith(Path(found).read_text())
    assert "--paper: light-dark(" not in (REPOSITORY / "static/css/app.css").read_text()


def test_a_stored_report_is_written_as_the_report_itself():
    for report in (made, odd_report):
        kept = unpack_report(pack_report(report()))
        for name in set(WRITERS) - {"json"}:
            assert WRITERS[name](kept) == WRITERS[name](report()), name
    with pytest.raises(ValueError, match="another version"):
        unpack_report(json.dumps({"version": 0}))


def test_formats_are_those_of_the_writers():
    formats = make_formats(made)
    assert (
        list(formats) == list(WRITERS) == [*("table", "csv", "json", "markdown", "latex", "html")]
    )
    assert next(iter(make_formats(made, text="trec_eval"))) == "trec_eval"
    assert "second" not in formats["table"](ROWS[:1], detail=False)
    assert set(ENDINGS.values()) == set(WRITERS)
    assert set(LABELS) < set(ENDINGS)


def test_a_reader_of_csv_finds_the_odd_texts():
    lines = WRITERS["csv"](odd_report()).split("\n", HEAD_LINES)[HEAD_LINES]
    rows = list(csv.reader(lines.splitlines(keepends=True)))
    assert [row[0] for row in rows[1:]] == ODD


def best_report() -> Report:
    columns = (
        Column("run", left=True), Column("ap", "AP", "{:.2f}".format, best="higher"),
        Column("rank", best="lower"), Column("n"),
    )  # fmt: skip
    rows = [("a", 0.504, 2, 1), ("b", 0.501, 1, 2), ("c", None, None, None)]
    table = Table(
        "runs", columns, rows, "Runs", ("*: p < 0.05.",),
        summary=(("median", 0.9, 0, 3),),
        marks=(("", "*", "", ""), ("", "", "†", "")),
    )  # fmt: skip
    return Report("Scores", (Section("", (table,)),), record=table)


def test_the_best_of_the_rows_stands_out_where_it_reads_the_same():
    cells = list(iter_cells(best_report().sections[0].tables[0]))
    assert [[cell.is_best for cell in row] for row in cells] == [
        [False, True, False, False], [False, True, True, False], [False, False, False, False],
        [False, False, False, False],
    ]  # fmt: skip
    latex = write_latex(best_report())
    assert r"a & \textbf{0.50}$^{\ast}$ & 2 & 1 \\" in latex
    assert r"b & \textbf{0.50} & \textbf{1}$^{\dagger}$ & 2 \\" in latex
    assert "\\midrule\nmedian & 0.90 & 0 & 3 \\\\\n\\bottomrule" in latex
    markdown = write_markdown(best_report())
    assert "| a | **0.50**\\* | 2 | 1 |" in markdown
    assert "| b | **0.50** | **1**† | 2 |" in markdown
    html = write_html(best_report())
    assert "<td><strong>0.50</strong><sup>*</sup></td>" in html
    assert write_text(best_report()).splitlines()[1:3] == [
        "a       0.50*     2     1",
        "b        0.50    1†     2",
    ]
    assert WRITERS["csv"](best_report()).splitlines()[HEAD_LINES + 1] == "a,0.504,2,1"


def test_stored_reports_keep_marks_and_summary():
    again = unpack_report(pack_report(best_report()))
    table = again.sections[0].tables[0]
    assert [[cell.text + cell.mark for cell in row] for row in iter_cells(table)] == [
        ["a", "0.50*", "2", "1"], ["b", "0.50", "1†", "2"], ["c", "null", "null", "null"],
        ["median", "0.90", "0", "3"],
    ]  # fmt: skip
    older = json.loads(pack_report(best_report()))
    for one in (older["sections"][0]["tables"][0], older["record"]):
        del one["marks"], one["summary"]
    assert unpack_report(json.dumps(older)).sections[0].tables[0].marks == ()


def test_markdown_leaves_numbers_as_they_are():
    assert escape_markdown("0.958") == "0.958"
    assert escape_markdown("1. one") == "1\\. one"
    assert escape_markdown("2)") == "2\\)"
