"""Commands on files as management commands, so that both command lines do the same."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.cli.command import CliError, FileCommand, Output
from campaigns.cli.run_lists import RunListParser


class ManagementParser(RunListParser, CommandParser):
    """Django's parser, which ends the process only on a command line, with lists of runs."""


class FileManagementCommand(BaseCommand):
    """The management command of ``command``; the database is not touched."""

    requires_system_checks = []
    command: ClassVar[FileCommand]

    def __init_subclass__(cls) -> None:
        cls.help = cls.command.help

    def add_arguments(self, parser: CommandParser) -> None:
        parser.__class__ = ManagementParser  # Django builds the parser, and offers no other way.
        self.command.add_arguments(parser)

    def handle(self, **options: Any) -> None:
        try:
            write = partial(self.stdout.write, ending="")
            self.command.run(options, Output(write, self.stderr.write))
        except CliError as failed:
            raise CommandError(str(failed)) from failed
