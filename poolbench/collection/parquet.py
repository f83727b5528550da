"""Documents in a Parquet file: the columns are the fields of a record, the row is the place."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.records import RecordDraft, format_json_value
from poolbench.texts.documents import DOCNO_NAMES

ROWS = 1 << 15
"""Rows in memory at once while docnos are read."""


def iter_parquet_docnos(path: Path, report: FaultReport) -> Iterator[str]:
    """The docno of each row; the other columns are not read."""
    with open_parquet(path, report.file) as file:
        names = {name.lower(): name for name in reversed(file.schema_arrow.names)}
        column = next((names[name] for name in DOCNO_NAMES if name in names), None)
        if column is None:
            message = f"The file has no column of docnos; it has {', '.join(names)[:200]}."
            report.add("ED04", message, f"Name the column {DOCNO_NAMES[0]}.")
            return
        for batch in file.iter_batches(ROWS, columns=[column]):
            yield from map(_format_value, batch.column(0).to_pylist())


def read_parquet_rows(path: Path, name: str, rows: Sequence[int]) -> Iterator[RecordDraft]:
    """The records of ``rows``, which ascend; a group of rows without any of them is not read."""
    with open_parquet(path, name) as file:
        first, left = 0, list(rows)
        for group in range(file.num_row_groups):
            end = first + file.metadata.row_group(group).num_rows
            while left and left[0] < end:
                for batch in file.iter_batches(ROWS, row_groups=[group]):
                    here = [row for row in left if row < first + batch.num_rows]
                    left = left[len(here) :]
                    picked = batch.take([row - first for row in here]).to_pylist() if here else ()
                    for row, record in zip(here, picked, strict=True):
                        texts = {key.lower(): _format_value(value) for key, value in record.items()}
                        yield RecordDraft(row + 1, texts)
                    first += batch.num_rows
            first = end


@contextmanager
def open_parquet(path: Path, name: str) -> Iterator[Any]:
    """The file. Raises ``InvalidFile`` if it is damaged."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            yield file
    except (pyarrow.ArrowException, OSError) as error:
        report = FaultReport(name)
        report.add("ED22", f"The Parquet file is damaged ({error}).", "Write the file again.")
        raise InvalidFile(report) from error


def _format_value(value: object) -> str:
    return format_json_value(value.decode(errors="replace") if isinstance(value, bytes) else value)
