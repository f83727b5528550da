"""``manage.py evaluate``: files in, scores out, no database."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Run, Write
from tests.conftest import REPOSITORY
from tests.core.evaluation.golden import TREC_EVAL, lines_of

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n3 Q0 d 1 1 mine\n"


def lines(*cells: tuple[str, str, str]) -> str:
    return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in cells)


def test_scores_come_as_trec_eval_prints_them(run: Run, write: Write) -> None:
    files = write("qrels", QRELS), write("r", RUN)
    ran = run("evaluate", *files, "-m", "AP", "-m", "num_ret", "-q")
    assert ran.refusal is None
    assert ran.out == lines(
        ("num_ret", "1", "2"),
        ("map", "1", "0.5000"),
        ("num_ret", "2", "0"),
        ("map", "2", "0.0000"),
        ("num_ret", "3", "1"),
        ("map", "3", "0.0000"),
        ("runid", "all", "mine"),
        ("num_ret", "all", "3"),
        ("map", "all", "0.1667"),
    )


def test_the_conditions_are_told_on_standard_error(run: Run, write: Write) -> None:
    files = write("qrels", QRELS), write("r", RUN)
    told = run("evaluate", *files, "-M", "5", "-J", "-m", "judged_5").err
    assert "profile poolbench-1; level 1; 3 of 3 judged topics averaged" in told
    assert "1 without a relevant document; 1 not retrieved" in told
    assert "judged documents only; cut at 5" in told
    assert "judged_5: 1 of 3 topics are undefined" in told


@pytest.mark.parametrize(
    ("arguments", "mean"),
    [
        ((), "0.1667"),
        (("-c",), "0.1667"),
        (("--topics", "common"), "0.2500"),
        (("-M", "1"), "0.0000"),
        (("-l", "2"), "0.0000"),
    ],
)
def test_options_change_the_mean(
    run: Run, write: Write, arguments: tuple[str, ...], mean: str
) -> None:
    files = write("qrels", QRELS), write("r", RUN)
    out = run("evaluate", *files, *arguments, "-m", "map").out
    assert out == lines(("runid", "all", "mine"), ("map", "all", mean))


def test_several_runs_gzipped_or_not_as_csv_and_json(
    run: Run, write: Write, tmp_path: Path
) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(RUN.replace("mine", "other").encode()))
    files = write("qrels", QRELS), write("r", RUN), packed
    out = run("evaluate", *files, "-m", "num_rel_ret", "--format", "csv").out
    assert out.splitlines() == [
        "run,measure,topic,value",
        "mine,num_rel_ret,all,1",
        "other,num_rel_ret,all,1",
    ]
    content = json.loads(run("evaluate", *files, "--format", "json", "-q").out)
    assert [entry["run"] for entry in content["runs"]] == ["mine", "other"]
    assert content["runs"][0]["topics"]["2"]["judged_10"] is None


def test_every_fault_of_every_file_is_told_and_nothing_is_printed(run: Run, write: Write) -> None:
    bad_qrels = write("qrels", "1 0 a yes\n1 0 b\n")
    bad_run = write("bad", RUN + RUN + "1 Q0 z 1 nan mine\n")
    ran = run("evaluate", bad_qrels, write("good", RUN), bad_run, "no-such-file")
    assert ran.out == ""
    assert ran.refusal == "3 files refused; nothing was scored."
    for told in ("qrels:1:7: EQ04", "qrels:2:6: EQ02", "bad:4:6: E11", "bad:7:10: E14"):
        assert told in ran.err, ran.err
    assert "no-such-file: No such file or directory." in ran.err


def test_wrong_options_are_refused_with_what_to_write(run: Run, write: Write) -> None:
    files = write("qrels", QRELS), write("r", RUN)
    wrong = run("evaluate", *files, "-m", "bpref_10", "-m", "nap").refusal or ""
    assert "Write bpref-10 with a hyphen" in wrong
    assert "nap: no such measure" in wrong
    assert "level is a grade" in (run("evaluate", *files, "-l", "0").refusal or "")
    assert "-c averages" in (run("evaluate", *files, "-c", "--topics", "common").refusal or "")


def test_the_process_ends_with_1_and_without_a_trace(write: Write) -> None:
    command = [sys.executable, "manage.py", "evaluate", write("qrels", ""), write("r", RUN)]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "EQ03" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_output_is_that_of_trec_eval(run: Run, data_dir: Path) -> None:
    folder = data_dir / "trec_eval-golden" / "02_ties"
    names = [piece for name in TREC_EVAL for piece in ("-m", name)]
    out = run("evaluate", folder / "qrels", folder / "ra.run", "-q", "-c", *names).out
    wanted = lines_of(folder / "ra.te9.0.8.qc.out", {*TREC_EVAL, "runid"})
    assert out.splitlines() == wanted


def test_the_cores_are_light() -> None:
    code = (
        "import sys, evaluation.core, evaluation.core.formats, pooling.core.formats, "
        "judging.core.agreement.report, pooling.core.depth;"
        "print(sorted({'pandas', 'scipy', 'pyarrow', 'django'} & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "[]"
