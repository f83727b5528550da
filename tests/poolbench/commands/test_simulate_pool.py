"""``poolbench simulate``: what specs would have found, from files; no database."""

import json
import re

import pytest

from tests.csv_reading import csv_rows
from tests.poolbench.commands.conftest import Write
from tests.poolbench.html_pages import Page

FILES = {
    "qrels": "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 x 1\n2 0 y 0\n",
    "one": "1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n2 Q0 x 1 1 one\n",
    "two": "1 Q0 b 1 3 two\n1 Q0 c 2 2 two\n2 Q0 y 1 1 two\n",
    "take.yaml": "steps: [{method: take}]\nbudget: {per_topic: 2}\n",
    "greedy.yaml": "steps: [{method: maxmean}]\n",
    "bad.yaml": "steps: [{method: guess}]\n",
    "teams.yaml": "steps: [{method: take}]\nruns: {per_team: 1}\n",
    "tags": "one\n",
}


@pytest.fixture
def files(write: Write) -> dict[str, str]:
    return {name: write(name, text) for name, text in FILES.items()}


@pytest.fixture
def given(files: dict[str, str]) -> list[str]:
    return [files["qrels"], files["one"], files["two"]]


def test_specs_side_by_side(run, files, given):
    specs = ["--depth", "1", "--spec", files["take.yaml"], "--spec", files["greedy.yaml"]]
    more = ["--budgets", "2,4", "-m", "map", "--seeds", "2", "--format", "json"]
    ran = run("simulate", *given, *specs, *more)
    told = json.loads(ran.out)
    assert [spec["name"] for spec in told["specs"]] == ["depth 1", "take", "greedy"]
    # depth 1: a b, x y; take: two a topic; greedy: all five.
    assert [spec["judged"]["mean"] for spec in told["specs"]] == [4, 4, 5]
    assert told["budgets"] == [2, 4]
    assert told["measures"] == ["map"]
    assert ran.err == ""


@pytest.mark.parametrize("how", ["one", "one,", "file"])
def test_the_runs_that_feed_the_pool(run, files, given, how):
    pooled = files["tags"] if how == "file" else how
    ran = run("simulate", *given, "--depth", "1", "--pooled", pooled, "--format", "json")
    told = json.loads(ran.out)
    assert (told["facts"]["runs"], told["facts"]["pooled"]) == (2, 1)
    assert told["specs"][0]["judged"]["mean"] == 2


def test_the_table_and_the_csv(run, given):
    text = run("simulate", *given, "--depth", "1", "-m", "P_1", "--seeds", "1").out
    assert "2 runs, 2 contributing; 2 topics, 5 judged pairs" in text
    ran = run("simulate", *given, "--depth", "1", "-m", "P_1", "--format", "csv")
    rows = csv_rows(ran.out)
    done = {row["figure"]: row["mean"] for row in rows if not row["budget"]}
    assert (done["judged"], done["relevant"], done["topics_that_reach_90"]) == ("4.0", "2.0", "1.0")


def test_the_page_needs_nothing_else(run, write, given):
    odd = write("a<b>&'.yaml", FILES["greedy.yaml"])
    ran = run("simulate", *given, "--depth", "1", "--spec", odd, "--format", "html")
    page = Page(ran.out)
    assert page.open == []
    assert not {"script", "link", "img", "a"} & set(page.tags)
    assert not re.search(r"(src|href|url)\s*[=(]|@import|https?:", ran.out)
    assert "color-scheme: light dark" in ran.out
    assert "<b>" not in ran.out
    assert ran.out.count("a&lt;b&gt;&amp;&#x27;") > 10
    # Found; two taus and the drop by four measures.
    assert ran.out.count("<figure>") == 1 + 3 * 4
    assert ran.out.count("<table>") == 3 + 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Specify at least one pool: --spec or --depth."),
        (["--depth", "0"], "--depth must be an integer of at least 1."),
        (["--depth", "1", "--seeds", "0"], "Seeds and budgets must be at least 1."),
        (["--depth", "1", "--budgets", "0"], "Seeds and budgets must be at least 1."),
        (["--depth", "1", "--budgets", "5,many"], "--budgets must be integers, such as"),
        (["--depth", "1", "-m", "nonsense"], "nonsense"),
        (["--depth", "1", "-m", "num_rel"], "Measures that do not rank runs: num_rel. Use"),
        (["--depth", "1", "-l", "0"], "The relevance level must be an integer between 1"),
        (["--depth", "1", "-l", "2"], "The qrels have no relevant document."),
        (["--depth", "1", "--pooled", "three"], "Unknown run tag: three."),
        (["--depth", "1", "--pooled", ","], "No run tags in the list"),
        (["--spec", "teams.yaml"], "teams: Run files have no team"),
        (["--spec", "bad.yaml"], "1 file rejected; no output written."),
        (["--spec", "take.yaml", "--spec", "./take.yaml"], "Duplicate spec names: take."),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_computed(
    run, files, given, arguments, told, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    ran = run("simulate", *given, *arguments)
    assert told in ran.refusal
    assert ran.out == ""
    assert "replaying" not in ran.err


def test_all_bad_files_are_told_together(run, write, files):
    broken = write("broken", "1 Q0 a 1 x bad\n")
    qrels = write("odd", "1 0 a\n")
    ran = run("simulate", qrels, files["one"], broken, "--spec", files["bad.yaml"])
    assert ran.refusal == "3 files rejected; no output written."
    for name in ("odd:1", "broken:1", "bad.yaml:1"):
        assert name in ran.err


def test_runs_of_one_tag_are_refused(run, write, given):
    twin = write("twin", FILES["one"])
    refusal = run("simulate", *given, twin, "--depth", "1").refusal
    assert "must be unique in a pool: one in " in refusal
