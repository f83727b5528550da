"""``poolbench disagreement`` from files: no database."""

import json

import pytest

from tests.poolbench.commands.conftest import Write

FILES = {
    "ada": "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n", "bob": "1 0 a 0\n1 0 b 1\n2 0 a 1\n2 0 b 0\n",
    "official": "1 0 a 0\n1 0 b 1\n2 0 b 1\n", "A": "1 Q0 a 1 1 A\n2 Q0 a 1 1 A\n",
    "B": "1 Q0 b 1 1 B\n2 Q0 b 1 1 B\n",
}  # fmt: skip


@pytest.fixture
def files(write: Write) -> dict[str, str]:
    return {name: write(name, text) for name, text in FILES.items()}


@pytest.fixture
def given(files: dict[str, str]) -> list[str]:
    runs = ["--runs", files["A"], files["B"]]
    return [*runs, "--qrels", files["ada"], files["bob"], "-m", "P_1", "--policy", "maximum"]


def test_rankings_and_pairs_as_json(run, given):
    told = json.loads(run("disagreement", *given, "--format", "json").out)
    scores = {row["name"]: row["scores"] for row in told["rankings"]}
    assert scores == {
        "base": [1.0, 0.5], "ada": [1.0, 0.0], "bob": [0.5, 0.5], "union": [1.0, 0.5],
        "intersection": [0.5, 0.0],
    }  # fmt: skip
    assert [(p["topic"], p["docno"], p["swaps"]) for p in told["pairs"]] == [
        ("1", "a", 0.5),
        ("1", "b", 0.0),
    ]


def test_another_reference(run, given, files):
    more = ["--reference", files["official"], "--format", "json", "--treat", "own"]
    told = json.loads(run("disagreement", *given, *more).out)
    assert told["rankings"][0]["scores"] == [0.0, 1.0]
    assert told["rankings"][-1]["name"] == "policy"
    assert told["rankings"][-1]["coefficients"]["tau-b"]["value"] == -1.0


def test_two_runs_and_the_table(run, given):
    text = run("disagreement", *given, "--between", "A", "B").out
    assert "A before B by 0.5000: stable even if all these pairs are adjudicated" in text
    assert "one random assessor per topic, 1000 draws, seed 0" in text


@pytest.mark.parametrize(("arguments", "told"), [
    (["--between", "A", "C"], "Unknown run tag: C."),
    (["--between", "A", "A"], "Specify two different runs."),
    (["-m", "num_rel"], "num_rel does not rank runs."), (["-m", "nonsense"], "nonsense"),
    (["--policy", "loudest"], "Unknown policy: loudest."),
    (["--draws", "3"], "The number of resamples must be at least 100."),
    (["-l", "0"], "The relevance level must be an integer between 1"),
])  # fmt: skip
def test_what_cannot_be_is_refused(run, given, arguments, told):
    assert told in run("disagreement", *given, *arguments).refusal


def test_files_of_both_kinds_are_needed(run, files):
    for arguments in ([], ["--runs", files["A"]]):
        assert run("disagreement", *arguments).refusal == "Both --runs and --qrels are required."


def test_two_files_of_one_name_are_refused(run, files):
    twice = ["--runs", files["A"], "--qrels", files["ada"], files["ada"]]
    refusal = run("disagreement", *twice).refusal
    assert refusal == "Duplicate assessor names: ada. Rename a file."
