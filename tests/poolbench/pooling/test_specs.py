"""Specs are read whole or refused with everything that is wrong in them."""

from typing import Any, NamedTuple

import pytest
import yaml

from poolbench.files.faults import InvalidFile
from poolbench.pooling.pool_builder import PoolBudget
from poolbench.pooling.registry import METHODS
from poolbench.pooling.session import StepLimit
from poolbench.pooling.spec import RunChoice, depth_spec, method_in_words
from poolbench.pooling.spec_file import read_spec
from tests.conftest import REPOSITORY
from tests.refusals import list_faults

GOOD = """
version: 1
rule: 2
seed: 7
runs: {priority: 2, per_team: 1, kind: automatic, teams: [north, south], tags: [n1, s1]}
cutoff: 50
budget: {per_topic: 30}
steps:
  - {method: depth, k: 10, order: random}
  - {method: maxmean, update: own, documents: 20, stop: {no_relevant_in: 5}}
"""


def test_a_spec_is_read_and_written_as_it_is() -> None:
    spec = read_spec(GOOD)
    assert (spec.seed, spec.cutoff, spec.budget) == (7, 50, PoolBudget(per_topic=30))
    assert spec.runs == RunChoice(2, 1, "automatic", ("north", "south"), ("n1", "s1"))
    depth, maxmean = spec.steps
    assert (depth.method, depth.values, depth.order) == (METHODS["depth"], {"k": 10}, "random")
    assert maxmean.values == {"update": "own"}
    assert (maxmean.documents, maxmean.stop) == (20, StepLimit(no_relevant_in=5))
    assert spec.as_dict() == yaml.safe_load(GOOD)
    assert read_spec(yaml.safe_dump(spec.as_dict())) == spec
    assert method_in_words(spec.as_dict()) == "depth 10, then maxmean (20 per topic), 30 per topic"
    assert spec.is_adaptive


def test_what_is_not_given_is_as_the_page_says() -> None:
    spec = read_spec("steps: [{method: fairtake}]")
    assert (spec.steps[0].method.name, spec.cutoff, spec.seed) == ("take", 100, None)
    assert not spec.is_adaptive
    assert read_spec("steps: [{method: depth, k: 7}]") == depth_spec(7)
    assert read_spec("steps: [{method: depth, k: {a: 3, b: 0}}]").cutoff == 3
    assert read_spec(b'{"steps": [{"method": "depth", "k": 7}]}') == depth_spec(7)


def test_everything_wrong_is_told_at_once_with_its_place() -> None:
    bad = """version: 2
budget: {total: 10, per_topic: 2}
cutof: 5
steps:
  - {method: depht, k: 3}
  - {method: depth, k: -1}
  - {method: depth}
  - {method: maxmean, update: some, stop: {relevant: 0}, order: hashed}
"""
    faults = list_faults(read_spec, bad, "a.yaml")
    assert sorted((f.line, f.message) for f in faults) == [
        (1, "version must be 1."), (2, "budget must be a mapping with either total or per_topic."),
        (3, "Unknown key: 'cutof'."), (5, "Unknown method in steps[1]: depht."),
        (6, "steps[2].k must be an integer of at least 1, or integers of at least 0 by run tag."),
        (7, "Missing key: steps[3].k."), (8, "steps[4].order must be method or random."),
        (8, "steps[4].stop.relevant must be a positive integer."),
        (8, "steps[4].update must be all or own."),
    ]  # fmt: skip
    assert {f.code for f in faults} == {"EP03"}
    assert all(f.column and f.fix and f.file == "a.yaml" for f in faults)


@pytest.mark.parametrize(("content", "code"), [
    (b"\xff\xfe", "EP01"), ("steps: [", "EP02"), ("- a", "EP02"), ("", "EP02"), ("a: \x00", "EP02"),
    ("steps: " + "[" * 5000, "EP02"), ("{}", "EP03"), ("steps: []", "EP03"), ("steps: [1]", "EP03"),
    ("steps: [{method: 1}]", "EP03"), ("steps: [" + "{method: take}," * 51 + "]", "EP03"),
    ("seed: 1.5\nsteps: [{method: take}]", "EP03"), ("? [a]\n: b\nsteps: [{method: take}]", "EP02"),
    ("a: &a [1]\nsteps: *a", "EP02"),
    ("? 0x" + "f" * 9000 + "\n: 1\nsteps: [{method: take}]", "EP03"),
    ('runs: {tags: [a, "\\0"]}\nsteps: [{method: take}]', "EP03"),
    ('runs: {teams: ["\\ud800"]}\nsteps: [{method: take}]', "EP03"),
    ('steps: [{method: depth, k: {"a\\0": 3}}]', "EP03"),
    ("steps: [{method: egreedy, c1: .inf}]", "EP03"),
    ("steps: [{method: egreedy, c1: .nan}]", "EP03"),
    ({"steps": [{"method": "take", "documents": True}]}, "EP03"),
    ({"steps": [{"method": "take"}], "seed": 2**63}, "EP03"),
])  # fmt: skip
def test_what_is_no_spec_is_refused(content: str | bytes | dict[str, Any], code: str) -> None:
    assert {fault.code for fault in list_faults(read_spec, content)} == {code}


def test_a_few_lines_cannot_stand_for_more_than_memory_holds() -> None:
    """Each level merges nine times what is below it."""
    lines = ["a0: &a0 {x: 1}"]
    for level in range(1, 12):
        below = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"a{level}: &a{level} {{<<: [{below}]}}")
    with pytest.raises(InvalidFile, match="aliases are not supported"):
        read_spec("\n".join(lines))


def test_what_json_made_of_a_spec_is_read_as_it_is() -> None:
    written = {"steps": [{"method": "mtc", "alpha": 1e-5}], "runs": {"teams": ["😀"]}}
    spec = read_spec(written)
    assert (spec.steps[0].values["alpha"], spec.runs.teams) == (1e-5, ("😀",))


def test_windows_and_sizes_are_read_as_they_are_written() -> None:
    written = {"method": "strata", "windows": ["1-10", [11, 150]], "sample": ["all", 0.1]}
    spec = read_spec(yaml.safe_dump({"steps": [written]}))
    assert spec.as_dict() == {"version": 1, "cutoff": 150, "steps": [written]}
    assert read_spec(yaml.safe_dump(spec.as_dict())) == spec
    shared = read_spec("steps: [{method: strata, documents: 9, windows: [1-10]}]")
    assert shared.as_dict()["steps"] == [{"method": "strata", "windows": ["1-10"], "documents": 9}]
    assert read_spec("steps: [{method: statap}]\nbudget: {per_topic: 9}").budget.per_topic == 9


@pytest.mark.parametrize(
    "window", ["10-1", "0-5", "1", "1-2-3", "[1]", "[1, 2, 3]", "[2, 1]", "[true, 2]", "{1: 2}"]
)
def test_a_window_is_a_first_and_a_last_rank(window: str) -> None:
    with pytest.raises(InvalidFile, match=r"windows must be a list of rank windows"):
        read_spec(f"steps: [{{method: strata, documents: 9, windows: [{window}]}}]")


@pytest.mark.parametrize("size", ["0", "-1", "1.0", "1.5", "some", "true", "null", ".nan", "[1]"])
def test_a_size_is_a_number_a_rate_or_all(size: str) -> None:
    with pytest.raises(InvalidFile, match=r"sample must be a list of integers of at least 1"):
        read_spec(f"steps: [{{method: strata, windows: [1-9], sample: [{size}]}}]")


def test_what_does_not_go_together_in_a_sample_is_told_at_once() -> None:
    bad = """cutoff: 15
steps:
  - method: strata
    windows: [1-10, 9-11, 20-30]
    sample: [all, 0.1]
    stop: {relevant: 3}
  - {method: statap}
"""
    assert sorted((f.line, f.message) for f in list_faults(read_spec, bad)) == [
        (4, "steps[1].windows[2] does not begin after the previous window."),
        (4, "steps[1].windows[3] begins after the cutoff, 15."),
        (5, "steps[1].sample has 2 sizes for 3 windows."),
        (6, "steps[1].stop would end a sample early."),
        (7, "steps[2] is a second sampling step."),
        (7, "steps[2] would sample all documents."),
    ]


class Entry(NamedTuple):
    tag: str
    team: str
    priority: int = 1
    kind: str = "automatic"


def test_runs_are_chosen_by_what_is_given() -> None:
    runs = [
        Entry("b2", "b", 2), Entry("a2", "a", 1, "manual"), Entry("a1", "a"), Entry("b1", "b", 3),
    ]  # fmt: skip

    def tags(choice: RunChoice) -> list[str]:
        return [run.tag for run in choice.choose(runs, lambda run: run.team)]

    assert tags(RunChoice()) == ["a1", "a2", "b2", "b1"]
    assert tags(RunChoice(per_team=1)) == ["a1", "b2"]
    assert tags(RunChoice(priority=2)) == ["a1", "a2", "b2"]
    assert tags(RunChoice(kind="manual")) == ["a2"]
    assert tags(RunChoice(teams=("b",), per_team=1)) == ["b2"]
    assert tags(RunChoice(tags=("b1", "a1"))) == ["a1", "b1"]
    # Who is left out by priority takes no place of the team.
    assert tags(RunChoice(kind="manual", per_team=1)) == ["a2"]


def test_the_specs_of_the_page_are_read() -> None:
    page = (REPOSITORY / "docs/pooling.md").read_text()
    blocks = [part.partition("```")[0] for part in page.split("```yaml\n")[1:]]
    assert blocks
    for block in blocks:
        assert read_spec(block).steps


def test_a_sample_by_influence_stands_alone_for_measures_of_its_scale() -> None:
    good = {"method": "influence", "number": 5, "measures": ["map", "P(rel=2)@10"], "top": 2}
    (step,) = read_spec({"steps": [good]}).steps
    assert (step.values["measures"], step.values["machine"]) == (["map", "P(rel=2)@10"], None)
    for more, wanted in (
        ({"top": 1}, "a measure is of a grade above top"),
        ({"documents": 3}, "documents would end a sample by influence early"),
        ({"measures": ["err"]}, "measures"),
    ):
        with pytest.raises(InvalidFile, match="spec") as bad:
            read_spec({"steps": [good | more]})
        assert wanted in " ".join(fault.message for fault in bad.value.report.faults)
