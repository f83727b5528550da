"""``poolbench pool``: runs in, a depth-k pool out, no database."""

import json
from pathlib import Path

import pytest

ONE = "1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n"
TWO = "1 Q0 b 1 3 two\n1 Q0 d 2 2 two\n2 Q0 a 1 1 two\n"


def test_a_pool_lists_documents_by_docno(run, write):
    ran = run("pool", write("one", ONE), write("two", TWO), "--depth", "2")
    assert ran.out == "1 0 a -1\n1 0 b -1\n1 0 d -1\n2 0 a -1\n"
    assert "2 runs, 2 topics, 4 documents; 1 to 3 per topic." in ran.err
    assert ran.err.splitlines()[2:] == ["  two  2", "  one  1"]


def test_only_the_runs_that_alone_bring_the_most_are_told(run, write):
    def lines(number: int) -> str:
        return "".join(f"1 Q0 d{number}-{at} 1 1 r{number:02}\n" for at in range(number))

    files = [write(f"r{number}", lines(number)) for number in range(1, 14)]
    told = run("pool", *files, "--depth", "100").err.splitlines()
    assert told[1] == "Documents unique to one run: 91, from 13 runs."
    assert told[2:4] == ["  r13  13", "  r12  12"]
    assert told[11:] == ["  r04  4", "  and 3 more runs with at most 3"]


def test_a_pool_is_written_to_a_file_as_a_whole(run, write, tmp_path):
    target = tmp_path / "pool.json"
    files = write("one", ONE), write("two", TWO)
    ran = run("pool", *files, "--depth", "1", "--format", "json", "--output", target)
    assert ran.out == ""
    assert json.loads(target.read_text())["runs"] == ["one", "two"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "pool.json", "two"]


def test_bad_runs_leave_the_file_as_it_was(run, write, tmp_path):
    target = write("pool", "before")
    files = write("one", ONE), write("bad", "1 Q0 a 1 x bad\n")
    ran = run("pool", *files, "--depth", "1", "--output", target)
    assert ran.refusal == "1 file rejected; no output written."
    assert "bad:1:10: E14" in ran.err
    assert Path(target).read_text() == "before"


def test_what_cannot_be_pooled_is_refused(run, write, tmp_path):
    one, twin = write("one", ONE), write("twin", ONE)
    assert "must be unique in a pool: one in " in run("pool", one, twin, "--depth", "2").refusal
    assert "--depth must be an integer of at least 1" in run("pool", one, "--depth", "0").refusal
    spec = write("spec", "{runs: {tags: [one, oen]}, steps: [{method: take}]}")
    assert run("pool", one, "--spec", spec).refusal == "Not among the run files: tag oen."
    nowhere = tmp_path / "missing" / "pool"
    refusal = run("pool", one, "--depth", "1", "--output", nowhere).refusal
    assert refusal.endswith("No such file or directory.")


def test_processes_give_the_same_pool(run, write):
    files = write("one", ONE), write("two", TWO)
    alone = run("pool", *files, "--depth", "2", "--jobs", "1")
    assert run("pool", *files, "--depth", "2", "--jobs", "2") == alone
    assert (
        "--jobs must be an integer of at least 1"
        in run("pool", *files, "--depth", "2", "--jobs", "0").refusal
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_faults_below_the_depth_are_told(run, write, jobs):
    lines = [f"1 Q0 d{rank} {rank} {1000 - rank} deep\n" for rank in range(1, 1000)]
    twice, bad = lines.copy(), lines.copy()
    twice[949], bad[899] = lines[939], lines[899].replace(" 100 ", " abc ")
    files = write("one", ONE), write("twice", "".join(twice)), write("bad", "".join(bad))
    ran = run("pool", *files, "--depth", "1", "--jobs", jobs)
    assert ran.refusal == "2 files rejected; no output written."
    assert "twice:950:6: E11" in ran.err
    assert "bad:900:15: E14" in ran.err
