"""Commands on files: one object each, which ``poolbench NAME`` runs.

They load neither Django nor a database. Three of them do the same for a campaign, by
``campaigns/management/campaign_command.py``.
"""

from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple


class CliError(Exception):
    """The end of a command that cannot do its work: what is wrong, and how to mend it. ``status``
    is the exit status.
    """

    def __init__(self, message: str, *, status: int = 1) -> None:
        self.status = status
        super().__init__(message)


class Output(NamedTuple):
    """Where a command writes: its result as it is, and notes of a line each."""

    write: Callable[[str], object]
    """Standard output; line ends are part of the text."""
    note: Callable[[str], object]
    """Standard error; one line without its end."""


class FileCommand(ABC):
    """A command on files.

    Every caller adds the option ``verbosity``: 0 for a command that writes no notes but errors.
    """

    help: ClassVar[str]

    @abstractmethod
    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the arguments and options."""

    @abstractmethod
    def run(self, options: Mapping[str, Any], out: Output) -> int | None:
        """Do it, and return the exit status; None is 0. Raises ``CliError`` before anything is
        written to standard output.
        """


class InputCommand(FileCommand):
    """A command of which the input may also be a campaign's, with the same options."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_inputs(parser)
        self.add_options(parser)

    @abstractmethod
    def add_inputs(self, parser: ArgumentParser) -> None:
        """Define the files, and how they are read."""

    @abstractmethod
    def add_options(self, parser: ArgumentParser) -> None:
        """Define what is computed and printed, of files or of a campaign."""
