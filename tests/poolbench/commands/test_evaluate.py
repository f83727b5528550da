"""``poolbench evaluate``: files in, scores out, no database."""

import csv
import gzip
import json
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tests.csv_reading import csv_conditions, csv_rows
from tests.examples import take
from tests.poolbench.commands.conftest import Write
from tests.poolbench.evaluation.golden import PROGRAMS, TAGS, Case, split

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n3 Q0 d 1 1 mine\n"
Files = tuple[str, str]


@pytest.fixture
def files(write: Write) -> Files:
    return write("qrels", QRELS), write("r", RUN)


def lines(*cells: tuple[str, str, str]) -> str:
    return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in cells)


def test_scores_come_as_trec_eval_prints_them(run, files):
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


def test_the_conditions_are_told_on_standard_error(run, files):
    told = run("evaluate", *files, "-M", "5", "-J", "-m", "judged_5").err
    assert "profile poolbench-1; level 1; 3 of 3 judged topics averaged" in told
    assert "1 without a relevant document; 1 not retrieved" in told
    assert "judged documents only; cut at 5" in told
    assert "judged_5: 1 of 3 topics are undefined" in told


@pytest.mark.parametrize(("arguments", "mean"), [
    ((), "0.1667"), (("-c",), "0.1667"), (("--topics", "common"), "0.2500"),
    (("-M", "1"), "0.0000"), (("-l", "2"), "0.0000"),
])  # fmt: skip
def test_options_change_the_mean(run, files, arguments, mean):
    out = run("evaluate", *files, *arguments, "-m", "map").out
    assert out == lines(("runid", "all", "mine"), ("map", "all", mean))


def test_several_runs_gzipped_or_not_as_csv_and_json(run, write, tmp_path):
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(RUN.replace("mine", "other").encode()))
    files = write("qrels", QRELS), write("r", RUN), packed
    out = run("evaluate", *files, "-m", "num_rel_ret", "--format", "csv").out
    assert out.splitlines()[2:] == [
        "run,measure,topic,value", "mine,num_rel_ret,all,1", "other,num_rel_ret,all,1",
    ]  # fmt: skip
    assert csv_conditions(out)["profile"] == "poolbench-1"
    content = json.loads(run("evaluate", *files, "--format", "json", "-q").out)
    assert [entry["run"] for entry in content["runs"]] == ["mine", "other"]
    assert content["runs"][0]["topics"]["2"]["judged_10"] is None


def test_every_fault_of_every_file_is_told_and_nothing_is_printed(run, write):
    bad_qrels = write("qrels", "1 0 a yes\n1 0 b\n")
    bad_run = write("bad", RUN + RUN + "1 Q0 z 1 nan mine\n")
    ran = run("evaluate", bad_qrels, write("good", RUN), bad_run, "no-such-file")
    assert ran.out == ""
    assert ran.refusal == "3 files rejected; no output written."
    for told in ("qrels:1:7: EQ04", "qrels:2:6: EQ02", "bad:4:6: E11", "bad:7:10: E14"):
        assert told in ran.err, ran.err
    assert "no-such-file: No such file or directory." in ran.err


def test_any_number_of_processes_prints_the_same(run, write):
    qrels = write("qrels", QRELS)
    files = [write(f"r{n}", RUN.replace("mine", f"run{n}")) for n in range(5)]
    by_jobs = [run("evaluate", qrels, *files, "-q", "--jobs", n) for n in (1, 2, 9)]
    assert by_jobs[0].out.count("runid") == 5
    assert by_jobs[1:] == by_jobs[:1] * 2


def test_faults_are_told_in_the_order_of_the_files_by_any_number_of_processes(run, write):
    files = [write("qrels", QRELS), write("b", "1 Q0 a\n"), write("g", RUN), write("a", "")]
    by_jobs = [run("evaluate", *files, "--jobs", n) for n in (1, 2)]
    assert by_jobs[0].out == ""
    assert by_jobs[0].refusal == "2 files rejected; no output written."
    assert [line.split(": ")[1][:3] for line in by_jobs[0].err.splitlines()] == ["E03", "E04"]
    assert by_jobs[1] == by_jobs[0]


def test_wrong_options_are_refused_with_what_to_write(run, files):
    wrong = run("evaluate", *files, "-m", "bpref_10", "-m", "nap").refusal
    assert "Write bpref-10 with a hyphen" in wrong
    assert "nap: unknown measure" in wrong
    for level in ("0", "-1"):
        assert "level must be an integer" in run("evaluate", *files, "-l", level).refusal
    for depth in ("0", "-1"):
        assert (
            "documents per topic must be at least 1" in run("evaluate", *files, "-M", depth).refusal
        )
    assert "--jobs must be an integer of at least 1" in run("evaluate", *files, "--jobs", 0).refusal
    assert "-c averages" in run("evaluate", *files, "-c", "--topics", "common").refusal


def test_the_process_ends_with_1_and_without_a_trace(write):
    command = [sys.executable, "-m", "poolbench", "evaluate", write("qrels", ""), write("r", RUN)]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "EQ03" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_options_are_taken_and_printed_as_by_trec_eval(run, data_dir, program):
    golden = data_dir / "trec_eval-golden"
    folder = golden / "09_float_precision"
    compared = 0
    with (golden / "MANIFEST.tsv").open(newline="") as stream:
        listed = [
            row for row in csv.DictReader(stream, delimiter="\t") if row["case"] == folder.name
        ]
    for row, tag in zip((row for row in listed if row["program"] == program), TAGS, strict=True):
        arguments = ("--profile", PROGRAMS[program].name, *row["options"].split())
        out = run("evaluate", folder / "qrels", folder / "ra.run", *arguments).out
        assert split(out.encode()) == Case(folder, "ra").lines(program, tag), row
        compared += 1
    assert compared == len(TAGS)


def test_a_profile_brings_its_measures_and_topics(run, files):
    ran = run("evaluate", *files, "--profile", "trec_eval-10")
    assert ran.out.splitlines()[:3] == [
        f"{'runid':<22}\tall\tmine",
        f"{'num_q':<22}\tall\t2",
        f"{'num_ret':<22}\tall\t3",
    ]
    assert len(ran.out.splitlines()) == 30
    assert "profile trec_eval-10; level 1; 2 of 3 judged topics averaged" in ran.err
    complete = run("evaluate", *files, "--profile", "trec_eval-10", "-c", "-m", "num_q").out
    assert complete == lines(("runid", "all", "mine"), ("num_q", "all", "3"))


def test_profiles_name_the_run_where_there_are_several(run, write, files):
    one = run("evaluate", *files, "--profile", "trec_eval-9", "-m", "map").out
    assert one == lines(("map", "all", "0.2500"))
    other = write("s", RUN.replace("mine", "other"))
    two = run("evaluate", *files, other, "--profile", "trec_eval-9", "-m", "map").out
    by_run = [lines(("runid", "all", tag), ("map", "all", "0.2500")) for tag in ("mine", "other")]
    assert two == "".join(by_run)


def test_runs_of_one_tag_are_told_apart_by_their_files(run, write):
    third = RUN.replace("mine", "other")
    paths = write("r1", RUN), write("r2", RUN), write("r3", third)
    tags = [f"mine ({paths[0]})", f"mine ({paths[1]})", "other"]
    files = write("qrels", QRELS), *paths
    rows = csv_rows(run("evaluate", *files, "-m", "P_5", "--format", "csv").out)
    assert [row["run"] for row in rows] == tags
    content = json.loads(run("evaluate", *files, "-m", "P_5", "--format", "json").out)
    assert [entry["run"] for entry in content["runs"]] == tags
    assert f"\tall\t{tags[1]}\n" in run("evaluate", *files, "-m", "P_5").out
    for way in ("--bounds", "--intervals"):
        measure = "P_5" if way == "--bounds" else "infAP"
        rows = csv_rows(run("evaluate", *files, way, "-m", measure, "--format", "csv").out)
        assert [row["run"] for row in rows] == tags


def test_what_is_alike_of_all_runs_is_told_once_and_nothing_at_verbosity_0(run, write):
    qrels, short = write("qrels", QRELS), write("short", "1 Q0 b 1 2 short\n")
    alike = [write(f"r{n}", RUN.replace("mine", f"m{n}")) for n in range(2)]
    (line,) = run("evaluate", qrels, *alike, "-m", "map").err.splitlines()
    assert line.startswith("all 2 runs: profile poolbench-1; level 1; 3 of 3")
    most, other = run("evaluate", qrels, *alike, short, "-m", "map").err.splitlines()
    assert most.startswith("2 of 3 runs: profile")
    assert other.startswith(f"{short}: profile")
    for more in ((), ("--bounds",), ("--intervals", "-m", "infAP")):
        assert run("evaluate", qrels, *alike, "-m", "infAP", *more, "-v", "0").err == ""
    told = run("evaluate", qrels, *alike, "--intervals", "-m", "infAP").err
    assert len(told.splitlines()) == 1
    assert ".." not in told


def test_topics_that_are_not_judged_are_told(run, write):
    qrels = write("qrels", QRELS)
    strange = write("r", RUN + "01 Q0 a 1 1 mine\n03 Q0 a 1 1 mine\nx Q0 a 1 1 mine\n")
    ran = run("evaluate", qrels, strange, "-m", "map", "--format", "json")
    assert json.loads(ran.out)["runs"][0]["conditions"]["topics_not_judged"] == 3
    assert "1 not retrieved; 3 retrieved but not judged, and not scored." in ran.err
    hint = "topic 01 is not in the qrels, but 1 is: leading zeros matter (1 more)."
    assert f"{strange}: {hint}" in ran.err
    plain = run("evaluate", qrels, write("p", RUN)).err
    assert "not judged" not in plain
    assert "zeros" not in plain


def test_the_size_of_the_collection_counts_in_utility(run, files):
    ran = run("evaluate", *files, "-N", "1000", "-m", "utility.1,-1,0,0.01", "-q")
    assert ran.out == lines(
        ("utility_1,-1,0,0.01", "1", "9.9800"),
        ("utility_1,-1,0,0.01", "2", "9.9900"),
        ("utility_1,-1,0,0.01", "3", "8.9900"),
        ("runid", "all", "mine"),
        ("utility_1,-1,0,0.01", "all", "9.6533"),
    )
    assert "collection of 1,000 documents" in ran.err


def test_the_summary_can_be_left_out(run, files):
    out = run("evaluate", *files, "-q", "-n", "-m", "map").out
    assert out == lines(("map", "1", "0.5000"), ("map", "2", "0.0000"), ("map", "3", "0.0000"))
    rows = run("evaluate", *files, "-q", "-n", "-m", "map", "--format", "csv").out.splitlines()
    assert len(rows) == 6
    (told,) = json.loads(run("evaluate", *files, "-q", "-n", "--format", "json").out)["runs"]
    assert set(told) == {"run", "conditions", "reasons", "topics"}
    assert run("evaluate", *files, "-n").refusal == "-n without -q prints nothing; add -q."


@pytest.mark.parametrize("command", take(["evaluate", "pool", "compare", "user-measures"], 2))
def test_the_process_loads_no_slow_library(write, command):
    qrels, one = write("qrels", QRELS), write("r", RUN)
    two = write("s", RUN.replace("mine", "yours"))
    files = {
        "pool": (one, two, "--depth", "2"),
        "compare": (qrels, one, two),
        "user-measures": (qrels, one, "--known", write("k", "1 a\n")),
    }
    words = [command, *files.get(command, (qrels, one))]
    python = [sys.executable, "-X", "importtime", "-m", "poolbench", *words]
    ended = subprocess.run(python, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    modules = {line.split()[-1] for line in ended.stderr.splitlines()}
    assert "numpy" in modules
    assert "campaigns.models" not in modules
    slow = {"pandas", "pyarrow", "celery", "rest_framework"}
    slow |= {"scipy"} if command != "compare" else set()
    assert {module.split(".")[0] for module in modules} & slow == set()
