"""``poolbench pool`` draws a sample, takes its grades, and ``poolbench evaluate`` scores it."""

import json

import pytest

from tests.csv_reading import csv_rows
from tests.poolbench.commands.conftest import Write

RUNS = {
    tag: "".join(f"1 Q0 {docno} 1 {-at} {tag}\n" for at, docno in enumerate(docnos))
    for tag, docnos in (("one", "abcdefgh"), ("two", "bihgjkla"))
}
STRATA = "steps: [{method: strata, windows: [1-2, 3-8], sample: [all, 4]}]"
STATAP = "{seed: 3, steps: [{method: depth, k: 1}, {method: statap, documents: 5}]}"
QRELS = "".join(f"1 0 {docno} {int(docno in 'abeh')}\n" for docno in "abcdefghijkl")


@pytest.fixture
def files(write: Write) -> list[str]:
    return [str(write(tag, text)) for tag, text in RUNS.items()]


def values(text: str, measure: str) -> list[float]:
    """By run: the value of ``measure`` over all topics."""
    lines = [line.split() for line in text.splitlines()]
    return [float(value) for name, _, value in lines if name == measure]


def test_prels_hold_the_whole_frame_and_grades_of_what_was_drawn(run, write, files):
    spec = write("spec", STRATA)
    judges = [line.split()[2] for line in run("pool", *files, "--spec", spec).out.splitlines()]
    assert len(judges) == 7
    assert {"a", "b", "i"} <= set(judges)
    bare = run("pool", *files, "--spec", spec, "--format", "strata")
    assert "7 of 12 documents sampled; 0 judged." in bare.err
    assert [line.split()[4] for line in bare.out.splitlines()] == ["-1"] * 12
    ran = run(
        "pool", *files, "--spec", spec, "--format", "strata", "--qrels", write("qrels", QRELS)
    )
    rows = [line.split() for line in ran.out.splitlines()]
    assert [row[2] for row in rows] == list("abcdefghijkl")
    assert "".join(row[3] for row in rows) == "112222221222"
    # Everything is judged in the qrels; what was not drawn stays out all the same.
    assert {row[2] for row in rows if row[4] != "-1"} == set(judges)
    assert {row[2] for row in rows if row[4] == "1"} == set(judges) & set("abeh")
    assert "7 judged.\nEvaluate with: evaluate --qrels-format strata" in ran.err
    some = write("some", "1 0 a 1\n")
    part = run("pool", *files, "--spec", spec, "--format", "strata", "--qrels", some)
    assert "1 judged.\nUnjudged documents of the sample count as not sampled" in part.err
    scored = run(
        "evaluate", write("prels", ran.out), files[0], "--qrels-format", "strata",
        "-m", "inum_rel", "-m", "statAP",
    )  # fmt: skip
    # Two of stratum 1, and 9/4 for each of stratum 2.
    deep = sum(docno in "eh" for docno in judges)
    assert values(scored.out, "inum_rel") == [pytest.approx(2 + deep * 9 / 4, abs=1e-3)]


def test_statap_holds_what_was_drawn_with_its_probability(run, write, files):
    arguments = ["--spec", write("spec", STATAP), "--format", "prels"]
    ran = run("pool", *files, *arguments, "--qrels", write("qrels", QRELS))
    rows = [line.split() for line in ran.out.splitlines()]
    assert (len(rows), {row[3] for row in rows}) == (7, {"1"})
    shares = {row[1]: float(row[4]) for row in rows}
    assert shares.pop("a") == shares.pop("b") == 1
    assert all(0 < share <= 1 for share in shares.values())
    scored = run(
        "evaluate", write("prels", ran.out), *files, "--qrels-format", "prels", "-m", "stat_num_rel"
    )
    told = sum(1 / float(row[4]) for row in rows if row[2] == "1")
    assert values(scored.out, "stat_num_rel") == [pytest.approx(told, abs=1e-4)] * 2
    refused = run("pool", *files, "--spec", write("s2", STATAP), "--format", "strata").refusal
    assert refused == "This sample has probabilities but no strata. Use --format prels."


def test_judged_throughout_a_pool_has_one_stratum(run, write, files):
    ran = run("pool", *files, "--depth", "1", "--format", "strata", "--qrels", write("q", QRELS))
    assert ran.out == "1 0 a 0 1\n1 0 b 0 1\n"


def test_csv_json_and_ntcir_of_a_sample(run, write, files):
    spec = write("spec", STRATA)
    rows = list(csv_rows(run("pool", *files, "--spec", spec, "--format", "csv").out))
    plain = ["topic", "docno", "min_rank", "contributors"]
    assert list(rows[0]) == [*plain, "priority", "stratum", "probability"]
    assert [row["stratum"] == "2" for row in rows] == [row["probability"] != "1.0" for row in rows]
    assert {float(row["probability"]) for row in rows} == {1.0, 4 / 9}
    read = json.loads(run("pool", *files, "--spec", spec, "--format", "json").out)["topics"]["1"]
    assert [str(entry["priority"]) for entry in read] == [row["priority"] for row in rows]
    assert [entry["probability"] for entry in read] == [float(row["probability"]) for row in rows]
    order = run("pool", *files, "--spec", spec, "--format", "ntcir").out.splitlines()
    by_priority = sorted(rows, key=lambda row: int(row["priority"]))
    assert order == [f"1 {row['docno']}" for row in by_priority]
    assert "".join(sorted(line[2] for line in order[:3])) == "abi"


def test_grades_that_no_form_takes_or_that_cannot_be_read_are_refused(run, write, files):
    qrels = write("qrels", QRELS)
    refused = run("pool", *files, "--depth", "1", "--qrels", qrels).refusal
    assert refused == "--qrels requires --format strata, prels or frame."
    bad = run(
        "pool", *files, "--depth", "1", "--format", "strata", "--qrels", write("bad", "1 0 a x\n")
    )
    assert bad.refusal == "1 file rejected; no output written."
    assert bad.out == ""


def test_a_frame_has_all_pairs_also_of_topics_of_which_none_was_drawn(run, write):
    runs = [
        write(tag, "".join(f"{t} Q0 d{at} 1 {-at} {tag}\n" for t in "123" for at in range(4)))
        for tag in ("one", "two")
    ]
    spec = write("spec", "steps: [{method: influence, number: 1, measures: [P_1]}]")
    qrels = write("q", "".join(f"{t} 0 d{at} 1\n" for t in "123" for at in range(4)))
    ran = run("pool", *runs, "--spec", spec, "--format", "frame", "--qrels", qrels)
    rows = [line.split() for line in ran.out.splitlines()]
    assert [row[:2] for row in rows] == [[t, f"d{at}"] for t in "123" for at in range(4)]
    assert [row[2] for row in rows].count("1") == 1
    assert sum(float(row[4]) for row in rows) == pytest.approx(1)
    assert "1 of 12 documents sampled; 1 judged.\nEstimate scores with: estimate SAMPLE" in ran.err


def test_grades_of_a_machine_help_to_draw(run, write, files):
    spec = write("spec", "steps: [{method: influence, number: 6, measures: [map]}]")
    plain = run("pool", *files, "--spec", spec, "--format", "prels").out
    assert len(plain.splitlines()) == 6
    graded = run(
        "pool", *files, "--spec", spec, "--format", "prels", "--machine", write("q", QRELS)
    ).out
    shares = [{line.split()[1]: line.split()[4] for line in text.splitlines()}
              for text in (plain, graded)]  # fmt: skip
    both = shares[0].keys() & shares[1].keys()
    assert any(shares[0][docno] != shares[1][docno] for docno in both)
