"""The lecture's examples through core, commands and library."""

import json

import pytest

import poolbench as pb
from poolbench import __main__ as command_line
from poolbench.preferences.interleaving import METHODS, interleave_by_method, topic_rng
from tests.poolbench.evaluation.lectures import BOOK

GIVEN = BOOK["cs276-interleaving"]["given"]
EXPECTED = BOOK["cs276-interleaving"]["expect"]
CLICKED = ["SVM-light", "Lucent SVM demo", "Royal Holl. SVM", "Archives of SVM"]


def seed_of(first: str, method: str) -> int:
    """A seed with which ``first`` starts in topic 1."""
    return next(
        seed
        for seed in range(99)
        if interleave_by_method(method, "a", "b", topic_rng(seed, "1"), 1).by == (first,)
    )


def ids(names: list[str]) -> list[str]:
    return [name.replace(" ", "_") for name in names]


def run_of(names: list[str], tag: str) -> str:
    lines = (f"1 Q0 {name} {at} {100 - at} {tag}\n" for at, name in enumerate(ids(names), 1))
    return "".join(lines)


@pytest.mark.parametrize("method", ["alternating", "balanced"])
def test_the_slides_list_is_that_of_the_library(method: str) -> None:
    runs = [{"1": {name: -float(at) for at, name in enumerate(ids(GIVEN[side]))}} for side in "AB"]
    merged = pb.interleave(*runs, method=method, seed=seed_of("B", method)).lists["1"]
    assert list(merged.documents) == ids(EXPECTED["shown"])
    credit = METHODS["alternating"].credit(*([*run["1"]] for run in runs), merged, ids(CLICKED))
    assert credit == EXPECTED["credit_example"]


def test_the_slides_list_and_credit_come_from_the_command(tmp_path, capsys):
    for side in "AB":
        (tmp_path / side).write_text(run_of(GIVEN[side], side))
    session = {"session": "s", "topic": "1", "shown": ids(EXPECTED["shown"])}
    (tmp_path / "log").write_text(json.dumps(session | {"clicks": ids(CLICKED)}) + "\n")
    seed = seed_of("B", "alternating")
    words = f"--method alternating --seed {seed} --clicks {tmp_path / 'log'} --format json"
    files = [str(tmp_path / side) for side in "AB"]
    assert command_line.main(["interleave", *files, *words.split()]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["topics"]["1"]["documents"] == ids(EXPECTED["shown"])
    assert (printed["outcome"]["wins_a"], printed["outcome"]["wins_b"]) == (1, 0)
