"""``poolbench estimate``: what the library's function gives, as table, CSV and JSON."""

import json

import pytest

import poolbench as pb
from tests.csv_reading import csv_rows
from tests.poolbench.commands.conftest import Write

TOPICS = [str(number) for number in range(1, 9)]
GRADES = {t: {f"d{n}": int((n + int(t)) % 4 == 0) for n in range(8)} for t in TOPICS}
SAMPLE = "".join(
    f"{t} {d} {g if (n + 3 * int(t)) % 7 < 3 else -1} 1 0.4375\n"
    for t, own in GRADES.items()
    for n, (d, g) in enumerate(own.items())
)
RUNS = {
    f"r{k}": "".join(
        f"{t} Q0 d{(n * 3 + k) % 8} {n + 1} {9 - n} r{k}\n" for t in TOPICS for n in range(8)
    )
    for k in range(4)
}


@pytest.fixture
def files(write: Write) -> list[str]:
    return [write("frame", SAMPLE), *(write(tag, text) for tag, text in RUNS.items())]


def test_the_command_prints_what_the_function_gives(run, write, files):
    lines = "".join(f"{t} 0 {d} {g}\n" for t, own in GRADES.items() for d, g in own.items())
    machine = write("machine", lines)
    ran = run("estimate", *files, "-m", "map", "--machine", machine, "--format", "json")
    assert ran.refusal is None
    runs = {tag: text.encode() for tag, text in RUNS.items()}
    wanted = pb.estimate(runs, SAMPLE.encode(), "map", machines={machine: GRADES}).report
    (own,) = json.loads(ran.out)["measures"]
    found = [(each["run"], each["estimate"]["value"]) for each in own["runs"]]
    assert found == [(each.run, each.estimate.value) for each in wanted.measures[0].runs]


def test_tables_have_a_line_for_each_run_by_place(run, files):
    lines = run("estimate", *files, "-m", "map").out.splitlines()
    assert [line.split()[:2] for line in lines] == [["map", str(place)] for place in range(1, 5)]
    # Fewer than five judgments a topic: a ratio such as AP has an order alone.
    assert all(len(line.split()) == 4 for line in lines)
    rows = csv_rows(run("estimate", *files, "-m", "P_5", "--format", "csv").out)
    assert [row["place"] for row in rows] == ["1", "2", "3", "4"]
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows)


def test_what_has_no_estimate_is_refused(run, write, files):
    assert "err has no estimate from a sample" in str(run("estimate", *files, "-m", "err").refusal)
    drawn = "".join(line for line in SAMPLE.splitlines(keepends=True) if " -1 " not in line)
    refusal = run("estimate", write("drawn", drawn), *files[1:]).refusal
    assert "use the file `frame` of the pool" in str(refusal)
