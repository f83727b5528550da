"""The formats of a report by the name that users type, and a core's ``FORMATS`` made of them.

A core says once how its report is built::

    FORMATS = make_formats(build_comparison_report)

and its commands, pages and API offer every format with ``FORMATS[name](...)``; the arguments are
those of the builder. A further format is a module beside this one and a line in ``WRITERS``.
"""

from collections.abc import Callable
from typing import ParamSpec

from poolbench.reports.csv import write_csv
from poolbench.reports.html import write_html
from poolbench.reports.json import write_json
from poolbench.reports.latex import write_latex
from poolbench.reports.markdown import write_markdown
from poolbench.reports.report import Report
from poolbench.reports.text import write_text

P = ParamSpec("P")

WRITERS: dict[str, Callable[[Report], str]] = {
    "table": write_text,
    "csv": write_csv,
    "json": write_json,
    "markdown": write_markdown,
    "latex": write_latex,
    "html": write_html,
}
ENDINGS = {"txt": "table", "md": "markdown", "tex": "latex"} | {
    name: name for name in ("csv", "json", "html")
}
"""The formats by the extension of their files."""
LABELS = {"html": "HTML", "json": "JSON", "csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
"""What pages call them, by extension."""


def make_formats(build: Callable[P, Report], text: str = "table") -> dict[str, Callable[P, str]]:
    """Each format of the reports that ``build`` returns; ``text`` names plain text."""
    names = {"table": text}
    return {names.get(name, name): join_writer(build, write) for name, write in WRITERS.items()}


def join_writer(build: Callable[P, Report], write: Callable[[Report], str]) -> Callable[P, str]:
    """Build, then write."""

    def format_report(*args: P.args, **kwargs: P.kwargs) -> str:
        return write(build(*args, **kwargs))

    return format_report
