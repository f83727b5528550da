"""What ``evaluate`` notes or refuses: the scale, other topics, 32-bit ties, two run tags, bpref."""

import json
from io import StringIO

import pytest

from poolbench.commands import progress

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 b 1 2 {tag}\n1 Q0 a 2 1 {tag}\n2 Q0 c 1 1 {tag}\n"
OTHER = "01 Q0 a 1 1 other\n9 Q0 a 1 1 other\n"
TIED = "1 Q0 a 1 0.123456789 {tag}\n1 Q0 b 2 0.123456788 {tag}\n"


def test_the_scale_is_in_the_name_the_conditions_and_the_notes(run, write):
    files = write("qrels", QRELS), write("r", RUN.format(tag="mine"))
    ran = run("evaluate", *files, "-m", "err_20", "-m", "map")
    assert "err_20(max_rel=2)     \tall\t0.3125\n" in ran.out
    assert "err_20(max_rel=2): the highest grade of the scale is assumed to be 2" in ran.err
    told = json.loads(run("evaluate", *files, "-m", "err_20", "--format", "json").out)
    (only,) = told["runs"]
    assert only["conditions"]["highest_grade_from"] == "assumed: the highest in the qrels"
    assert only["conditions"]["remarks"][0].startswith("err_20(max_rel=2): ")
    stated = run("evaluate", *files, "-m", "err_20", "-m", "ERR@20", "--max-rel", "3")
    assert [line.split()[0] for line in stated.out.splitlines()[1:]] == [
        "err_20(max_rel=3)",
        "err_20(max_rel=4)",
    ]
    assert "assumed" not in stated.err
    both = run("evaluate", *files, "-m", "err_20", "-m", "err_20(max_rel=3)", "--max-rel", "3")
    assert both.out.count("err_20(max_rel=3)") == 1
    assert "The highest grade must be" in str(run("evaluate", *files, "--max-rel", "0").refusal)


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_swapped_files_are_said(run, write, command):
    qrels, mine = write("qrels", QRELS), write("r", RUN.format(tag="mine"))
    ran = run(command, mine, qrels, write("other", RUN.format(tag="other")))
    assert ran.err.splitlines() == [
        f"{mine}: this is a run (topic Q0 docno rank score tag), not qrels: these look swapped.",
        f"{qrels}: this is qrels (topic 0 docno grade), not a run: these look swapped.",
    ]
    assert ran.refusal == "2 files rejected; no output written."


def test_a_long_command_shows_a_bar_on_a_terminal_only(monkeypatch):
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((Terminal(), True), (StringIO(), False)):
        monkeypatch.setattr("sys.stderr", stream)
        monkeypatch.setattr(progress, "DELAY", 0.0)
        bar = progress.ProgressBar()
        assert [*bar.track("ab", "replaying", 2)] == ["a", "b"]
        bar("scoring by map", 1, 1)
        assert ("replaying" in stream.getvalue()) == shown
        assert ("scoring by map" in stream.getvalue()) == shown


@pytest.mark.parametrize(("command", "more"), [
    ("compare", ()), ("report", ("--depth", "1", "--draws", "2", "--format", "json")),
    ("simulate", ("--depth", "1", "--seeds", "1", "--format", "json")),
])  # fmt: skip
def test_other_commands_state_the_scale(run, write, command, more):
    files = [write("qrels", QRELS), *(write(tag, RUN.format(tag=tag)) for tag in "ab")]
    ran = run(command, *files, "-m", "err_20", *more)
    assert ran.refusal is None
    assert "err_20(max_rel=2)" in ran.out
    assert "err_20(max_rel=2): the highest grade of the scale is assumed to be 2" in ran.err
    stated = run(command, *files, "-m", "err_20", "--max-rel", "3", *more)
    assert "err_20(max_rel=3)" in stated.out
    assert "assumed" not in stated.err


def test_disagreement_states_the_scale(run, write):
    runs = [write(tag, RUN.format(tag=tag)) for tag in "ab"]
    qrels = [write("ann.qrels", QRELS), write("bob.qrels", QRELS.replace("a 2", "a 1"))]
    asked = ["--runs", *runs, "--qrels", *qrels, "-m", "err_20", "--draws", "100", "--swaps", "100"]
    ran = run("disagreement", *asked, "--max-rel", "3")
    assert (ran.refusal, "err_20(max_rel=3)" in ran.out) == (None, True)


@pytest.mark.parametrize("profile", ["poolbench-1", "trec_eval-9", "trec_eval-10"])
@pytest.mark.parametrize("more", [(), ("-c",), ("--bounds",), ("--jobs", "2")])
def test_runs_of_other_topics_are_rejected_by_name(run, write, profile, more):
    files = [write("qrels", QRELS), write("ok", RUN.format(tag="ok")), write("no", OTHER)]
    ran = run("evaluate", *files, "-m", "map", "--profile", profile, *more)
    assert ran.refusal == "1 file rejected; no output written."
    assert ran.out == ""
    assert "no: no topic in common with the qrels (topics of the run: 01, 9; of the" in ran.err
    assert "ok: no topic" not in ran.err


@pytest.mark.parametrize(("command", "more"), [
    ("compare", ()), ("report", ("--depth", "1")), ("simulate", ("--depth", "1")),
])  # fmt: skip
def test_other_commands_reject_them_too(run, write, command, more):
    files = [write("qrels", QRELS), write("ok", RUN.format(tag="ok")), write("no", OTHER)]
    ran = run(command, *files, *more)
    assert (ran.out, "rejected" in str(ran.refusal)) == ("", True)
    assert "no: no topic in common" in ran.err


def test_user_measures_and_disagreement_reject_them_too(run, write):
    qrels, ok, no = write("qrels", QRELS), write("ok", RUN.format(tag="ok")), write("no", OTHER)
    known = write("known", "1 a\n")
    assert "rejected" in str(run("user-measures", qrels, ok, no, "--known", known).refusal)
    assert "rejected" in str(run("disagreement", "--runs", ok, no, "--qrels", qrels).refusal)


def test_scores_that_tie_as_32_bit_numbers_are_noted(run, write):
    tied = [write(f"tied{number}", TIED.format(tag=f"t{number}")) for number in range(6)]
    plain = [write(f"plain{number}", RUN.format(tag=f"p{number}")) for number in range(7)]
    qrels = write("qrels", QRELS)
    note = "scores tie as 32-bit numbers; published figures of trec_eval 9 need --profile "
    err = run("evaluate", qrels, *plain, *tied, "-m", "map").err
    assert f"6 of 13 runs ({', '.join(tied[:5])}, …): {note}trec_eval-9." in err
    assert note not in run("evaluate", qrels, *tied, "--profile", "trec_eval-9").err
    assert note in run("evaluate", qrels, *tied, "--profile", "trec_eval-10").err
    assert note not in run("evaluate", qrels, *plain).err
    told = json.loads(run("evaluate", qrels, tied[0], "-m", "map", "--format", "json").out)
    assert told["runs"][0]["conditions"]["remarks"] == [f"{note}trec_eval-9."]


@pytest.mark.parametrize(
    "harmless",
    [
        "1 Q0 b 1 0.123456789 t\n1 Q0 a 2 0.123456788 t\n",  # already in docno order
        "1 Q0 a 1 2 t\n7 Q0 a 1 0.123456789 t\n7 Q0 b 2 0.123456788 t\n",  # not in the qrels
        "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n",  # ties in both
    ],
)
def test_ties_that_change_no_judged_ranking_are_not_noted(run, write, harmless):
    assert "32-bit" not in run("evaluate", write("qrels", QRELS), write("r", harmless)).err


def test_a_second_run_tag_is_noted(run, write):
    two = RUN.format(tag="one") + "2 Q0 d 2 0.5 two\n"
    ran = run("evaluate", write("qrels", QRELS), write("r", two), "-m", "num_ret")
    assert ran.refusal is None
    assert "r:4:14: W13 The run tag two differs from that of the first line, one." in ran.err
    assert "all\tone" in ran.out
    assert "W13" not in run("evaluate", write("qrels", QRELS), write("r", RUN)).err


@pytest.mark.parametrize("score", ["infinity", "-inf", "1e400", "Infinity"])
def test_infinite_scores_are_numbers_and_messages_agree(run, write, score):
    qrels = write("qrels", QRELS)
    assert run("evaluate", qrels, write("r", f"1 Q0 a 1 {score} t\n")).refusal is None
    wrong = run("evaluate", qrels, write("r", "1 Q0 a 1 nan t\n")).err
    assert "E14 The score is not a number: nan." in wrong
    assert "nan, commas and hexadecimal are not accepted" in wrong
    assert "inf," not in wrong


TWO = "1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n"


@pytest.mark.parametrize(("qrels", "measure", "told"), [
    ("1 0 a 1\n", "bpref", "bpref is uninformative"), ("1 0 a 1\n", "map", None),
    ("1 0 a 1\n1 0 b 0\n", "bpref", None),
    ("1 0 a 1\n1 0 b 0\n", "bpref-10", "(N < R + 10): 1 of 1 topics (1)."),
    ("1 0 a 1\n1 0 b 0\n2 0 a 1\n", "bpref", "(N = 0): 1 of 2 topics (2)."),
    ("1 0 a 1\n1 0 b 1\n1 0 c 0\n", "bpref", "(N < R): 1 of 1 topics (1)."),
])  # fmt: skip
def test_bpref_is_told_about_when_it_is_asked_for(run, write, qrels, measure, told):
    ran = run("evaluate", write("qrels", qrels), write("r", TWO), "-m", measure)
    assert ran.refusal is None
    remarks = [line for line in ran.err.splitlines() if line.startswith("bpref")]
    assert [told in remark for remark in remarks if told] == [True] * bool(told)
    assert bool(remarks) == bool(told)


def test_the_level_of_the_command_counts(run, write):
    files = write("qrels", "1 0 a 2\n1 0 b 1\n"), write("r", TWO)
    assert "uninformative" in run("evaluate", *files, "-m", "bpref").err
    assert "uninformative" not in run("evaluate", *files, "-m", "bpref", "-l", "2").err
