"""The command ``poolbench``: commands on files, without Django, and those of the server."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from poolbench import __main__ as command_line
from tests.conftest import REPOSITORY
from tests.examples import ALL

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 b 0\n3 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n2 Q0 b 1 3 x\n2 Q0 a 2 2 x\n3 Q0 c 1 1 x\n"
OTHER = "1 Q0 c 1 9 y\n1 Q0 b 2 8 y\n2 Q0 a 1 3 y\n3 Q0 d 1 1 y\n3 Q0 c 2 1 y\n"
CLICKS = '{"session": "s", "topic": "1", "shown": ["a", "b", "c"], "clicks": ["b"]}\n'
CASES = {
    "evaluate": "qrels x y -q -m map -m bpref", "compare": "qrels x y -m map",
    "user-measures": "qrels x --known known", "interleave": "x y --depth 3 --seed 1",
    "preferences": "clicks", "score-preferences": "x y --preferences clicks",
    "bradley-terry": "clicks --prior 0.5", "pool": "x y --depth 2", "agreement": "qrels other",
    "aggregate": "qrels other --model dawid-skene",
    "disagreement": "--runs x y --qrels qrels,other --draws 100 --swaps 100",
    "report": "qrels x y --depth 2 -m map --draws 5",
    "simulate": "qrels x y --depth 1 --depth 2 -m map --seeds 1", "check-run": "x --topics ids",
    "verify-archive": "archive", "estimate": "sample x y -m P_1",
    "plan-sample": "x y --numbers 2,50%",
    "witness": "qrels x y --machine qrels",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    drawn = (line.split() for line in QRELS.splitlines())
    sample = "".join(f"{topic} {docno} {grade} 1 0.9\n" for topic, _, docno, grade in drawn)
    files = {
        "sample": sample + "1 z -1 1 0.9\n",
        "qrels": QRELS,
        "other": QRELS.replace("c 1", "c 0"),
        "x": RUN,
        "y": OTHER,
    }
    for name, text in (files | {"ids": "1\n2\n3\n", "known": "1 a\n", "clicks": CLICKS}).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "archive" / "tables").mkdir(parents=True)
    (tmp_path / "archive" / "campaign.yaml").write_bytes(b"")
    (tmp_path / "archive" / "SHA256SUMS").write_text(f"{sha256().hexdigest()}  campaign.yaml\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_on_files_is_called():
    # The client asks an installation; tests/workbench/test_client.py calls it.
    assert {*CASES, "client"} == set(command_line.FILE_COMMANDS)


@pytest.mark.parametrize("names", [[name] for name in CASES] if ALL else [[*CASES]])
def test_no_command_on_files_loads_django(names, folder):
    calls = [[name, *CASES[name].split()] for name in names]
    code = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        f"from poolbench.__main__ import main\n"
        f"assert not any(map(main, {calls!r}))\n"
        "print([name for name in ('django', 'celery') if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert ended.stdout != ""
    assert ended.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", command_line.WITHOUT_MATRICES)
def test_commands_without_matrices_have_one_thread_of_blas(name):
    script = f"""
import contextlib, os, sys
from poolbench.__main__ import main
assert "numpy" not in sys.modules
with contextlib.suppress(SystemExit):
    main(["{name}", "--help"])
print(os.environ["OPENBLAS_NUM_THREADS"])
"""
    command = [sys.executable, "-c", script]
    called = subprocess.run(
        command, cwd=REPOSITORY, env={}, capture_output=True, text=True, check=True
    )
    assert called.stdout.split()[-1] == "1"


def test_notes_can_be_left_out_but_not_errors(folder, capsys):
    assert command_line.main(["evaluate", "qrels", "x", "-v", "0"]) == 0
    assert capsys.readouterr().err == ""
    assert command_line.main(["evaluate", "qrels", "missing", "-v", "0"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "missing: No such file or directory.",
        "poolbench evaluate: 1 file rejected; no output written.",
    ]


def test_commands_are_listed(capsys):
    for words in ([], ["--help"], ["help"]):
        assert command_line.main(words) == 0
        printed = capsys.readouterr().out
        assert all(
            f"  {name} " in printed
            for name in (*command_line.FILE_COMMANDS, *command_line.SERVER_COMMANDS)
        )
    assert command_line.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("poolbench ")
    assert command_line.main(["score"]) == 2
    assert "Unknown command: score" in capsys.readouterr().err


def test_commands_of_the_server_reach_django(capsys):
    with pytest.raises(SystemExit) as ended:
        command_line.main(["manage", "check_store", "--help"])
    assert ended.value.code == 0
    assert "usage: poolbench manage check_store" in capsys.readouterr().out


def test_a_reader_that_stops_reading_sees_no_trace(folder):
    line = f"{sys.executable} -m poolbench pool x y --depth 2 | true"
    environment = {"PYTHONPATH": str(REPOSITORY)}
    ended = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert "Traceback" not in ended.stderr
