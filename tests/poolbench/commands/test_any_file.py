"""Whatever stands in the files, a command ends with its result or with a sentence."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolbench.__main__ import FILE_COMMANDS
from poolbench.commands.command import CliError
from tests.examples import count_examples
from tests.poolbench.commands.conftest import run_on_files

LONG = "d" * 5000
FIELDS = st.sampled_from(["1", "0", "Q0", "d1", "d2", "t", "1.5", "-1", "nan", "", "é\x00", LONG])
LINES = st.lists(st.lists(FIELDS, max_size=7).map(" ".join), max_size=4).map("\n".join)
BEGINNINGS = st.sampled_from(["", "\ufeff", "\n\n", LONG])
CONTENTS = st.builds(lambda *parts: "".join(parts).encode(), BEGINNINGS, LINES) | (
    st.binary(max_size=40)
)
WORDS = {
    "interleave": ("{0}", "{1}"), "preferences": ("{0}",), "bradley-terry": ("{0}",),
    "score-preferences": ("{0}", "{1}"), "aggregate": ("{0}", "--model", "majority"),
    "agreement": ("{0}",), "pool": ("{1}", "--depth", "2"), "disagreement": ("{0}", "{1}"),
    "user-measures": ("{0}", "{1}", "--known", "{0}"),
    "simulate": ("{0}", "{1}", "--depth", "1", "--seeds", "1"),
    "report": ("{0}", "{1}", "--draws", "2"),
}  # fmt: skip


def run_command(name: str, *files: Path) -> None:
    words = WORDS.get(name, ("{0}", "{1}"))
    with suppress(CliError, SystemExit):
        run_on_files(name, *(word.format(*files) for word in words))


@pytest.mark.parametrize("name", FILE_COMMANDS)
def test_no_content_of_a_file_breaks_a_command(name, tmp_path, capsys):
    qrels, run = tmp_path / "qrels", tmp_path / "run"

    @settings(max_examples=count_examples(60), deadline=None)
    @given(CONTENTS, CONTENTS)
    def try_contents(first: bytes, second: bytes) -> None:
        qrels.write_bytes(first)
        run.write_bytes(second)
        run_command(name, qrels, run)

    try_contents()
    capsys.readouterr()


@pytest.mark.parametrize("name", FILE_COMMANDS)
def test_no_name_of_a_file_breaks_a_command(name):
    for value in (LONG, ",", "/"):
        run_command(name, Path(value), Path(value))


def test_a_document_number_of_5000_characters_is_legal(run, write):
    qrels, ranked = write("q", f"1 0 {LONG} 1\n"), write("r", f"1 Q0 {LONG} 1 1.0 t\n")
    assert run("evaluate", qrels, ranked, "-m", "map").out.split()[-1] == "1.0000"
    assert "t  1" in run("pool", ranked, "--depth", "2").err
