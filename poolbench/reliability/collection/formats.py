"""A reusability report for the writers of ``poolbench.reports``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from poolbench.reliability.collection.report import ReusabilityReport
from poolbench.reliability.collection.report_tables import build_sections, list_condition_sentences
from poolbench.reports.report import Report, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.verdicts import Verdict, add_verdict


def build_reusability_tables(report: ReusabilityReport, verdict: Verdict | None = None) -> Report:
    """The verdict if there is one, provenance and every diagnostic; text without the tables by run
    and by topic.

    CSV has every value of the JSON as ``table,row,column,value``. Rows count from 1: row ``2.3`` of
    ``leave_team_out.runs`` is the third that belongs to row ``2`` of ``leave_team_out``. Undefined
    is empty; lists are semicolon-separated.
    """
    columns = make_columns("table", "row", "column", "value")
    tables = Report(
        title="Reusability report",
        sections=build_sections(report),
        notes=tuple(list_condition_sentences(report.facts)),
        conditions=asdict(report.facts),
        record=Table("reusability", columns, iter_value_records(report)),
        data=report.as_dict,
    )
    return tables if verdict is None else add_verdict(tables, verdict)


Line = tuple[str, str, str, object]


def iter_value_records(report: ReusabilityReport) -> Iterator[Line]:
    """Every value but the facts, which are the conditions."""
    for name, part in report.as_dict().items():
        if name != "facts":
            yield from _iter_rows(part if isinstance(part, tuple) else (part,), name)


def _iter_rows(
    records: Sequence[Mapping[str, Any]], table: str, before: str = ""
) -> Iterator[Line]:
    for number, row in enumerate(records, 1):
        yield from _iter_columns(row, table, f"{before}{number}")


def _iter_columns(
    record: Mapping[str, Any], table: str, row: str, before: str = ""
) -> Iterator[Line]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _iter_columns(value, table, row, f"{before}{name}.")
        elif isinstance(value, tuple) and value and isinstance(value[0], dict):
            yield from _iter_rows(value, f"{table}.{before}{name}", f"{row}.")
        else:
            yield table, row, f"{before}{name}", _format_cell(value)


def _format_cell(value: object) -> object:
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else value


FORMATS = make_formats(build_reusability_tables)
