r"""Reports as LaTeX, to be pasted into a paper or read by ``\input``.

Tables have the rules of ``booktabs``; one of more than ``LONG`` rows is a ``longtable``, since no
float breaks across pages. It is not a whole document: the first lines, comments, name the packages
and the conditions. All texts are escaped, so that no run tag ends a row or starts a command; the
mathematical signs that the reports use are set in mathematics, other characters stay UTF-8.
Figures are left out; HTML has them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from poolbench.reports.json import to_json_line
from poolbench.reports.report import Report, Section, Table, TableCell, iter_cells

LONG = 40
"""Rows that fit on a page."""
_COMMANDS = {
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    **{sign: f"{{{sign}}}" for sign in "[]*-`'"},
    **{sign: f"${sign}$" for sign in "<>|"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "Σ": r"$\Sigma$",
    "α": r"$\alpha$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "√": r"$\surd$",
    "→": r"$\to$",
    "∞": r"$\infty$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}
_MARKS = {"*": r"\ast", "†": r"\dagger", "‡": r"\ddagger"}
# Signs that make ligatures are set apart from their likes only.
_SIGNS = re.compile(r"(?<=-)-|(?<=[?!`])`|(?<=')'|[\[\]*\\{}$&#^_~%<>|−≤≥×·Σα≠≈√→∞†‡]")


def write_latex(report: Report) -> str:
    """The whole report, blocks separated by blank lines."""
    return "\n".join(f"{block}\n" for block in iter_latex_blocks(report))


def iter_latex_blocks(report: Report) -> Iterator[str]:
    yield "\n".join(
        [
            r"% \usepackage{booktabs,longtable}",
            *[f"% conditions: {to_json_line(dict(report.conditions))}"][: bool(report.conditions)],
            f"\\section*{{{escape_latex(report.title)}}}",
        ]
    )
    if report.notes:
        yield list_latex_items(report.notes)
    for section in report.sections:
        yield from iter_latex_section(section)


def iter_latex_section(section: Section) -> Iterator[str]:
    if section.title:
        yield f"\\subsection*{{{escape_latex(section.title)}}}"
    yield from map(escape_latex, filter(None, [section.reading, *section.notes]))
    for table in section.tables:
        yield write_latex_table(table, table.caption or section.title)
        yield from map(escape_latex, table.notes)
    if section.definition:
        yield list_latex_items(section.definition)


def write_latex_table(table: Table, title: str) -> str:
    rows = [_row(map(format_latex_cell, cells)) for cells in iter_cells(table)]
    if table.summary and rows[: -len(table.summary)]:
        rows.insert(-len(table.summary), r"\midrule")
    head = _row(escape_latex(column.title) for column in table.columns)
    caption = [f"\\caption{{{escape_latex(title)}}}"] if title else []
    layout = "".join("l" if column.left else "r" for column in table.columns)
    if len(rows) > LONG:
        start = [f"\\begin{{longtable}}{{{layout}}}", *(f"{line} \\\\" for line in caption)]
        end = [r"\bottomrule", r"\end{longtable}"]
        return "\n".join([*start, r"\toprule", head, r"\midrule", r"\endhead", *rows, *end])
    start = [r"\begin{table}", r"\centering", *caption, f"\\begin{{tabular}}{{{layout}}}"]
    end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*start, r"\toprule", head, r"\midrule", *rows, *end])


def format_latex_cell(cell: TableCell) -> str:
    """The best in bold, its mark raised."""
    text = escape_latex(cell.text)
    text = f"\\textbf{{{text}}}" if cell.is_best else text
    return f"{text}$^{{{_mark(cell.mark)}}}$" if cell.mark else text


def _mark(text: str) -> str:
    """In mathematics, where the signs have names of their own."""
    return "".join(_MARKS.get(sign, escape_latex(sign)) for sign in text)


def _row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def list_latex_items(texts: Sequence[str]) -> str:
    items = [f"\\item {escape_latex(text)}" for text in texts]
    return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])


def escape_latex(text: str) -> str:
    """On one line, so that it can be a cell, an item or a caption."""
    return _SIGNS.sub(lambda sign: _COMMANDS[sign[0]], " ".join(text.split()))
