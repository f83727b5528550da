"""The commands of preferences: files in, reports out, faults by line."""

import json

import pytest

X = "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n1 Q0 c 3 2 x\n"
Y = "1 Q0 c 1 9 y\n1 Q0 b 2 8 y\n2 Q0 e 1 3 y\n"
LOG = (
    '{"session": "s", "topic": "1", "shown": ["a", "b", "c"], "clicks": ["b"]}\n'
    '{"session": "t", "topic": "1", "shown": ["a", "b", "c"], "clicks": ["a", "c"]}\n'
)


def test_derived_preferences_are_read_by_the_other_commands(run, write):
    table = run("preferences", write("log", LOG)).out
    assert table.splitlines()[2:] == [
        "topic,better,worse,times,tie,judge", "1,b,a,1,0,", "1,c,b,1,0,",
    ]  # fmt: skip
    pairs = write("pairs.csv", table)
    ran = run("score-preferences", write("x", X), write("y", Y), "--preferences", pairs,
              "--format", "json")  # fmt: skip
    values = {each["run"]: each["macro"]["value"] for each in json.loads(ran.out)["runs"]}
    assert values == {"x": 0.0, "y": 1.0}
    assert ran.err == ""
    strengths = json.loads(run("bradley-terry", pairs, "--format", "json").out)
    [topic] = strengths["topics"]
    assert topic["groups"] == [["c"], ["b"], ["a"]]
    assert [each["strength"]["value"] for each in topic["documents"]] == [None] * 3
    ran = run("bradley-terry", pairs, "--prior", "1")
    assert [line.split()[:4] for line in ran.out.splitlines()[4:7]] == [
        ["1", "1", "c", "0.6931"], ["1", "2", "b", "0.0000"], ["1", "3", "a", "-0.6931"],
    ]  # fmt: skip


def test_a_run_whose_own_lists_were_clicked_is_marked(run, write):
    ran = run("score-preferences", write("x", X), "--preferences", write("log", LOG), "-q")
    assert "x produced 2 clicked lists: preferences from clicks contradict" in ran.out
    assert "1      0.0000     0            2        0" in ran.out


def test_lists_are_of_the_topics_of_both_runs(run, write):
    ran = run("interleave", write("x", X), write("y", Y), "--depth", 2, "--format", "json")
    [merged] = json.loads(ran.out)["topics"].values()
    assert len(merged["documents"]) == 2
    assert sorted(merged["by"]) == ["A", "B"]


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("--depth", 0), "The depth must be at least 1."),
        (("--seed", -1), "The seed must be a non-negative integer."),
    ],
)
def test_wrong_options_are_refused(run, write, words, refusal):
    assert run("interleave", write("x", X), write("y", Y), *words).refusal == refusal


def test_faults_of_all_files_are_listed(run, write):
    bad = write("bad", '{"session": "s", "topic": "1", "shown": ["a"], "clicks": ["z"]}\n')
    ran = run("score-preferences", write("x", "1 Q0 a\n"), "--preferences", bad)
    assert ran.refusal == "2 files rejected; no output written."
    assert ":1:48: EC05 Clicked but not shown: z." in ran.err
    assert "E03" in ran.err
    ran = run("bradley-terry", write("p", "topic,better,worse\n1,a,b\n"), "--prior", "-1")
    assert ran.refusal == "The prior must not be negative."
