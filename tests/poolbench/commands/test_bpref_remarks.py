"""``poolbench evaluate`` says what the judgments let bpref say."""

from __future__ import annotations

import pytest

RUN = "1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n"


@pytest.mark.parametrize(("qrels", "measure", "told"), [
    ("1 0 a 1\n", "bpref", "bpref is uninformative"), ("1 0 a 1\n", "map", None),
    ("1 0 a 1\n1 0 b 0\n", "bpref", None),
    ("1 0 a 1\n1 0 b 0\n", "bpref-10", "(N < R + 10): 1 of 1 topics (1)."),
    ("1 0 a 1\n1 0 b 0\n2 0 a 1\n", "bpref", "(N = 0): 1 of 2 topics (2)."),
    ("1 0 a 1\n1 0 b 1\n1 0 c 0\n", "bpref", "(N < R): 1 of 1 topics (1)."),
])  # fmt: skip
def test_bpref_is_told_about_when_it_is_asked_for(run, write, qrels, measure, told):
    ran = run("evaluate", write("qrels", qrels), write("r", RUN), "-m", measure)
    assert ran.refusal is None
    remarks = [line for line in ran.err.splitlines() if line.startswith("bpref")]
    assert [told in remark for remark in remarks if told] == [True] * bool(told)
    assert bool(remarks) == bool(told)


def test_the_level_of_the_command_counts(run, write):
    files = write("qrels", "1 0 a 2\n1 0 b 1\n"), write("r", RUN)
    assert "uninformative" in run("evaluate", *files, "-m", "bpref").err
    assert "uninformative" not in run("evaluate", *files, "-m", "bpref", "-l", "2").err
