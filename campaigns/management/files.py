"""Read the files that a command names: all of them are read before anything is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.core.management.base import BaseCommand, CommandError

from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.core.streams import read_bytes
from campaigns.management.processes import map_in_order

Table = TypeVar("Table")
Reader = Callable[..., Table]


@dataclass
class FileResult(Generic[Table]):
    """What came of reading a file: a table unless ``refused``, and lines to tell the user."""

    table: Table | None
    told: list[str]
    refused: bool = False


def read_file(path: str, reader: Reader[Table], **options: Any) -> FileResult[Table]:
    """Read ``path``, plain or gzip."""
    report = FaultReport(path)
    try:
        data = read_bytes(path, file=path)
        return FileResult(
            reader(data, file=path, report=report, **options), format_fault_lines(report)
        )
    except InvalidFile as bad:
        return FileResult(None, format_fault_lines(bad.report), refused=True)
    except OSError as error:
        return FileResult(None, [f"{path}: {error.strerror or error}."], refused=True)


def format_fault_lines(report: FaultReport) -> list[str]:
    """The faults that are shown, and how many more there are of each code."""
    lines: list[str] = []
    for code, count, shown in report.grouped():
        lines += map(str, shown)
        if count > len(shown):
            lines.append(f"{report.file or 'the file'}: {code} and {count - len(shown):,} more.")
    return lines


class FileReader:
    """Reads files for ``command``, gathers what is wrong with any, and refuses them together."""

    def __init__(self, command: BaseCommand) -> None:
        self.command = command
        self.refused = 0

    def read(self, path: str, reader: Reader[Table], **options: Any) -> Table | None:
        """The table in ``path`` (plain or gzip), or None when it has faults, which are told."""
        return self.take(read_file(path, reader, **options))

    def take(self, reading: FileResult[Table]) -> Table | None:
        """The table of a reading, after telling what there is to tell of it."""
        for line in reading.told:
            self.command.stderr.write(line)
        self.refused += reading.refused
        return reading.table

    def read_all(
        self, paths: Iterable[str], reader: Reader[Table], *, processes: int = 1, **options: Any
    ) -> dict[str, Table]:
        """The tables of all files that can be read, by path; what ``processes`` other than one
        read is sent back, so it should be small.
        """
        listed = list(dict.fromkeys(paths))
        readings = map_in_order(partial(read_file, reader=reader, **options), listed, processes)
        read = zip(listed, map(self.take, readings), strict=True)
        return {path: table for path, table in read if table is not None}

    def stop_if_refused(self, consequence: str) -> None:
        """Raise ``CommandError`` when any file was refused."""
        if self.refused:
            files = "1 file" if self.refused == 1 else f"{self.refused} files"
            raise CommandError(f"{files} refused; {consequence}.")


def file_stem(path: str) -> str:
    """The name of a file without folders, ``.gz`` and one ending."""
    name = Path(path).name.removesuffix(".gz")
    return Path(name).stem or name
