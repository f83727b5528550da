"""Read the files that a command names: all of them are read before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError

from campaigns.core.faults import BadFile, FaultReport
from campaigns.core.opening import read_bytes

Table = TypeVar("Table")
Reader = Callable[..., Table]


class FileReader:
    """Reads files for ``command``, gathers what is wrong with any, and refuses them together."""

    def __init__(self, command: BaseCommand) -> None:
        self.command = command
        self.refused = 0

    def read(self, path: str, reader: Reader[Table], **options: Any) -> Table | None:
        """The table in ``path`` (plain or gzip), or None when it has faults, which are told."""
        report = FaultReport(path)
        try:
            data = read_bytes(path, file=path)
            table = reader(data, file=path, report=report, **options)
        except BadFile as bad:
            self._refuse(bad.report)
            return None
        except OSError as error:
            self.command.stderr.write(f"{path}: {error.strerror or error}.")
            self.refused += 1
            return None
        self._tell(report)
        return table

    def read_all(
        self, paths: Iterable[str], reader: Reader[Table], **options: Any
    ) -> dict[str, Table]:
        """The tables of all files that can be read, by path."""
        read = {path: self.read(path, reader, **options) for path in dict.fromkeys(paths)}
        return {path: table for path, table in read.items() if table is not None}

    def stop_if_refused(self, consequence: str) -> None:
        """Raise ``CommandError`` when any file was refused."""
        if self.refused:
            files = "1 file" if self.refused == 1 else f"{self.refused} files"
            raise CommandError(f"{files} refused; {consequence}.")

    def _refuse(self, report: FaultReport) -> None:
        self._tell(report)
        self.refused += 1

    def _tell(self, report: FaultReport) -> None:
        for code, count, shown in report.grouped():
            for fault in shown:
                self.command.stderr.write(str(fault))
            if count > len(shown):
                place = report.file or "the file"
                self.command.stderr.write(f"{place}: {code} and {count - len(shown):,} more.")


def stem(path: str) -> str:
    """The name of a file without folders, ``.gz`` and one ending."""
    name = Path(path).name.removesuffix(".gz")
    return Path(name).stem or name
