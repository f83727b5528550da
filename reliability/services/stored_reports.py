"""Reports that jobs store: the data, from which every format is written on download."""

from campaigns import store
from poolbench.reports.json import write_json
from poolbench.reports.plain import pack_report, unpack_report
from poolbench.reports.report import Report

REPORT = "report"
"""The key of the job's result that names the report; ``json`` names its data."""


def store_report(report: Report) -> dict[str, str]:
    """The names of the stored files by their key in the job's result."""
    return {
        "json": store.put_blob(write_json(report).encode(), ".json"),
        REPORT: store.put_blob(pack_report(report).encode(), ".json"),
    }


def load_report(name: str) -> Report:
    """The report without its data."""
    return unpack_report(store.get_blob(name))
