"""Run a command and keep what it prints."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import CommandError, call_command


class Ran(NamedTuple):
    """Standard output, standard error, and the refusal that ended the command, if any."""

    out: str
    err: str
    refusal: str | None


Run = Callable[..., Ran]
Write = Callable[[str, str], str]


@pytest.fixture
def run() -> Run:
    def call(*arguments: object) -> Ran:
        out, err = StringIO(), StringIO()
        refusal = None
        try:
            call_command(*map(str, arguments), stdout=out, stderr=err)
        except CommandError as refused:
            refusal = str(refused)
        return Ran(out.getvalue(), err.getvalue(), refusal)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return make
