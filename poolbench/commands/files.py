"""Read the files named on a command line: all are read before anything is printed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from poolbench.commands.command import CliError, Output
from poolbench.commands.processes import map_in_order
from poolbench.commands.progress import ProgressBar
from poolbench.files.faults import FaultReport, InvalidFile, format_count
from poolbench.files.streams import read_bytes
from poolbench.runs.file_forms import MISTAKEN, find_file_form
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.sampled_qrels import READERS

Table = TypeVar("Table")
Reader = Callable[..., Table]


@dataclass
class FileResult(Generic[Table]):
    """The result of reading a file: a table unless ``rejected``, and messages for the user."""

    table: Table | None
    messages: list[str]
    rejected: bool = False


def read_file(path: str, reader: Reader[Table], **options: Any) -> FileResult[Table]:
    """Read ``path``, plain or gzip."""
    report = FaultReport(path)
    try:
        data = read_bytes(path, file=path)
        return FileResult(
            reader(data, file=path, report=report, **options), format_fault_lines(report)
        )
    except InvalidFile as bad:
        if message := describe_mistaken_form(path, reader):
            return FileResult(None, [message], rejected=True)
        return FileResult(None, format_fault_lines(bad.report), rejected=True)
    except OSError as error:
        return FileResult(None, [f"{path}: {error.strerror or error}."], rejected=True)


def describe_mistaken_form(path: str, reader: Reader[Any]) -> str:
    """That a run was given as qrels, or qrels as a run; empty for other faults."""
    readers = {read_qrels: "qrels", READERS["qrels"]: "qrels", read_run: "run"}
    wanted = readers.get(reader, "")
    form = find_file_form(read_bytes(path)) if wanted else ""
    return f"{path}: {MISTAKEN[form]}" if form and form != wanted else ""


def format_fault_lines(report: FaultReport) -> list[str]:
    """The faults of a report, one per line, and the number of further ones by code."""
    lines: list[str] = []
    for code, count, faults in report.grouped():
        lines += map(str, faults)
        if count > len(faults):
            lines.append(f"{report.file or 'the file'}: {code}: {count - len(faults):,} more.")
    return lines


class FileReader:
    """Reads files, reports the faults of all, and then rejects them together."""

    def __init__(self, out: Output) -> None:
        self.out = out
        self.rejected = 0

    def read(self, path: str, reader: Reader[Table], **options: Any) -> Table | None:
        """The table in ``path`` (plain or gzip), or None if it has errors; faults are printed."""
        return self.take(read_file(path, reader, **options))

    def take(self, reading: FileResult[Table]) -> Table | None:
        """The table of ``reading``, after its messages are printed."""
        for line in reading.messages:
            self.out.note(line)
        self.rejected += reading.rejected
        return reading.table

    def read_all(
        self, paths: Iterable[str], reader: Reader[Table], *, processes: int = 1, **options: Any
    ) -> dict[str, Table]:
        """The tables of all valid files, by path. With several ``processes`` the tables are
        pickled, so they should be small.
        """
        listed = list(dict.fromkeys(paths))
        readings = map_in_order(partial(read_file, reader=reader, **options), listed, processes)
        tables = map(self.take, ProgressBar().track(readings, "reading", len(listed)))
        read = zip(listed, tables, strict=True)
        return {path: table for path, table in read if table is not None}

    def raise_if_rejected(self) -> None:
        """Raise ``CliError`` if any file was rejected."""
        if self.rejected:
            files = format_count(self.rejected, "file")
            raise CliError(f"{files} rejected; no output written.")

    def accept(self, table: Table | None) -> Table:
        """A table that was read; raises ``CliError`` if its file, or any other, was rejected."""
        self.raise_if_rejected()
        assert table is not None  # noqa: S101 -- for mypy
        return table


def file_stem(path: str) -> str:
    """The name of a file without folders, ``.gz`` and one extension."""
    name = Path(path).name.removesuffix(".gz")
    return Path(name).stem or name
