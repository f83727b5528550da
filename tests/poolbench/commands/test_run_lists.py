"""Lists of runs in every command: ``A,B``, ``A B``, a file of names."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.examples import take
from tests.poolbench.commands.conftest import Write

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 x 1\n2 0 y 0\n"
DOCNOS = {"one": "abc", "two": "bca", "three": "cab"}
Way = Callable[[list[str]], list[str]]


@pytest.fixture
def files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three runs whose files are not called after their tags, in the working directory."""
    monkeypatch.chdir(tmp_path)
    write("qrels", QRELS)
    write("known", "1 a\n2 x\n")
    for tag, docnos in DOCNOS.items():
        lines = [f"1 Q0 {docno} {n} {9 - n} {tag}\n" for n, docno in enumerate(docnos)]
        write(f"{tag}.run", "".join([*lines, f"2 Q0 x 1 1 {tag}\n", f"2 Q0 y 2 0.5 {tag}\n"]))
    return [f"{tag}.run" for tag in DOCNOS]


def by_comma(names: list[str]) -> list[str]:
    return [",".join(names)]


def one_by_one(names: list[str]) -> list[str]:
    return names


def by_file(names: list[str]) -> list[str]:
    Path("list.txt").write_text("\n".join(names) + "\n")
    return ["list.txt"]


WAYS = (by_comma, one_by_one, by_file)
ON_FILES = {
    "evaluate": ("qrels", "-m", "map"), "compare": ("qrels",), "report": ("qrels", "--draws", "2"),
    "simulate": ("qrels", "--depth", "1", "--seeds", "1"),
    "user-measures": ("qrels", "--known", "known"), "pool": ("--depth", "2"),
}  # fmt: skip


@pytest.mark.parametrize(("command", "way"), take(product(ON_FILES, WAYS), 4))
def test_run_files_may_be_listed_in_each_form(run, files, command, way):
    wanted = run(command, *ON_FILES[command], *files)
    assert wanted.refusal is None
    assert run(command, *ON_FILES[command], *way(files)) == wanted


@pytest.mark.parametrize("way", WAYS)
def test_files_of_options_too(run, files, write, way):
    for name in ("ada", "bob"):
        write(name, QRELS)
    rest = ("--draws", "100", "--swaps", "100")
    wanted = run("disagreement", "--runs", *files, "--qrels", "ada", "bob", *rest)
    assert wanted.refusal is None
    listed = run("disagreement", "--runs", *way(files), "--qrels", "ada,bob", *rest)
    assert listed == wanted
    assert run("disagreement", "--qrels", *way(["ada", "bob"]), "--runs", *files, *rest) == wanted
    each = [word for file in files for word in ("--runs", file)]
    assert run("disagreement", *each, "--qrels", "ada", "--qrels", "bob", *rest) == wanted


@pytest.mark.parametrize("way", WAYS)
def test_the_two_runs_to_put_in_order(run, files, write, way):
    for name in ("ada", "bob"):
        write(name, QRELS)
    given = ("--runs", *files, "--qrels", "ada", "bob", "--draws", "100", "--swaps", "100")
    wanted = run("disagreement", *given, "--between", "one", "two")
    assert "one before two" in wanted.out or "two before one" in wanted.out
    assert run("disagreement", *given, "--between", *way(["one", "two"])) == wanted
    assert run("disagreement", "--between", *way(["one", "two"]), *given) == wanted
    three = run("disagreement", *given, "--between", *by_comma(["one", "two", "three"]))
    assert three.refusal == "Specify two different runs."


@pytest.mark.parametrize(
    ("way", "before", "command"), take(product(WAYS, [True, False], ["report", "simulate"]), 5)
)
def test_contributing_runs_before_and_after_the_files(run, files, command, way, before):
    wanted = run(command, *ON_FILES[command], *files, "--pooled", "one", "--pooled", "two")
    assert wanted.refusal is None
    assert wanted.out != run(command, *ON_FILES[command], *files).out
    listed = ["--pooled", *way(["one", "two"])]
    options = ON_FILES[command][1:]
    given = [*listed, "qrels", *files] if before else ["qrels", *files, *listed]
    assert run(command, *given, *options) == wanted
    assert run(command, *options, *given) == wanted


@pytest.mark.parametrize("command", ["report", "simulate"])
def test_a_tag_that_is_also_a_file_is_a_tag(run, files, write, command):
    for tag in DOCNOS:
        write(tag, Path(f"{tag}.run").read_text())
    given = (*ON_FILES[command], *DOCNOS)
    wanted = run(command, *given, "--pooled", "one,two")
    assert wanted.refusal is None
    assert run(command, *given, "--pooled", "one", "two").out == wanted.out
    unclear = run(command, "--pooled", "one", "two", *given)
    assert "so the end of the list is unclear. Put --pooled after" in unclear.refusal


@pytest.mark.parametrize("command", ["report", "simulate"])
def test_what_is_wrong_in_a_list_is_said(run, files, write, command):
    given = (*ON_FILES[command], *files)
    write("wide", "one two three\n")
    assert "EG02" in run(command, *given, "--pooled", "wide").err
    assert "four" in "".join(map(str, run(command, *given, "--pooled", "one,four")))
    assert "expected one argument" in run(command, *given, "--pooled").refusal


def test_a_run_of_one_column_is_not_a_list(run, files, write):
    ran = run("evaluate", "qrels", write("bad.run", "nothing\nelse\n"))
    assert "E03" in ran.err
    gone = run("evaluate", "qrels", "one.run,gone.run")
    assert "gone.run: No such file or directory." in gone.err


def test_a_list_of_files_may_begin_with_a_byte_order_mark(run, files):
    Path("list.txt").write_text("\ufeff" + "\n".join(files))
    assert run("pool", "--depth", "2", "list.txt") == run("pool", "--depth", "2", *files)
