"""Run a command and keep what it prints."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from poolbench.__main__ import build_file_parser, load_file_command
from poolbench.commands.command import CliError, Output


class Ran(NamedTuple):
    """Standard output, standard error, and the refusal that ended the command, if any."""

    out: str
    err: str
    refusal: str | None


Run = Callable[..., Ran]
Write = Callable[[str, str], str]


def run_on_files(name: str, *arguments: object, err: StringIO | None = None) -> Ran:
    """``poolbench NAME``; raises ``CliError``, after its notes are in ``err``."""
    out, err = StringIO(), err or StringIO()
    command = load_file_command(name)
    options = build_file_parser(name, command).parse_args([*map(str, arguments)])
    command.run(vars(options), Output(out.write, lambda line: err.write(f"{line}\n")))
    return Ran(out.getvalue(), err.getvalue(), None)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(name: str, *arguments: object) -> Ran:
        err = StringIO()
        try:
            return run_on_files(name, *arguments, err=err)
        except CliError as refused:
            return Ran("", err.getvalue(), str(refused))
        except SystemExit:
            return Ran("", "", capsys.readouterr().err.rpartition(": error: ")[2])

    return call


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return make
