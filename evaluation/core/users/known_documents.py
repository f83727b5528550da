"""Read the documents that a user already knew before searching: ``topic docno``."""

from __future__ import annotations

from itertools import chain

from campaigns.core.columns import ColumnFile, ColumnLayout
from campaigns.core.faults import FaultReport, InvalidFile

KNOWN_LAYOUT = ColumnLayout(
    columns=("topic", "docno"),
    not_text="EK01",
    wrong_columns="EK02",
    empty="EK03",
    bom="WK01",
)

Pairs = frozenset[tuple[str, str]]


def read_known_documents(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> Pairs:
    """The ``(topic, docno)`` pairs in ``data``; duplicates are allowed.

    Warnings go to ``report`` if given. Raises ``InvalidFile`` with all faults (EK01 to EK03).
    """
    report = FaultReport(file) if report is None else report
    blocks = ColumnFile(data, KNOWN_LAYOUT, report).blocks()
    pairs = (zip(block.column(0), block.column(1), strict=True) for block in blocks)
    known = frozenset(chain.from_iterable(pairs))
    if report.has_errors:
        raise InvalidFile(report)
    return known
