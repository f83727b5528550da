"""``poolbench plan-sample``: what the library's function forecasts, as table, CSV and JSON."""

import json

import pytest

import poolbench as pb
from tests.csv_reading import csv_rows
from tests.poolbench.commands.conftest import Write

RUNS = {
    tag: "".join(
        f"{topic} Q0 d{(at * step + int(topic)) % 7} {at} {-at} {tag}\n"
        for topic in "123"
        for at in range(5)
    )
    for tag, step in (("one", 1), ("two", 3))
}


@pytest.fixture
def files(write: Write) -> list[str]:
    return [write(tag, text) for tag, text in RUNS.items()]


def test_the_command_prints_what_the_function_gives(run, write, files):
    lines = "".join(f"{topic} d{n} 0.25 0.5 0.25\n" for topic in "123" for n in range(7))
    options = ["-m", "map", "-m", "P_3", "--numbers", "4,100%", "--machine", write("m", lines)]
    ran = run("plan-sample", *files, *options, "--depth", "3", "--format", "csv")
    assert ran.refusal is None
    assert "with topics as a sample" in ran.err
    runs = {tag: text.encode() for tag, text in RUNS.items()}
    plan = pb.plan_estimates(runs, [4], ["map", "P_3"], depth=3, machine=lines.encode())
    wanted = plan.to_frame()
    rows = [row for row in csv_rows(ran.out) if row["number"] == "4"]
    assert {row["measure"]: row["half_width"] for row in rows} == {
        "map": "", "P_3": str(wanted.half_width[wanted.measure == "P_3"].item())
    }  # fmt: skip
    told = json.loads(run("plan-sample", *files, *options, "--format", "json").out)
    assert told["conditions"]["topics"] == 3
    assert len(told["forecast"]) == 4
    table = run("plan-sample", *files, *options, "--depth", "3").out.splitlines()
    assert [line.split()[0] for line in table[1:3]] == ["4", "4"]


def test_what_is_no_number_is_refused(run, files):
    refused = run("plan-sample", *files, "--numbers", "5,many").refusal
    assert refused == "--numbers 5,many: use integers, or shares such as 10%."
    assert "a share such as 0.1, not 0" in str(run("plan-sample", *files, "--numbers", "0").refusal)
    assert "err has no estimate" in str(run("plan-sample", *files, "-m", "err").refusal)
