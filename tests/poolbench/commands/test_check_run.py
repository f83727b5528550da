"""``poolbench check-run``: the report of the site, at home."""

import gzip
import json

import pytest

from poolbench.__main__ import main
from poolbench.runs.docno_files import DocnoFile
from poolbench.runs.run_checks import RunRules, check_run_file

GOOD = "1 Q0 d1 1 9 mine\n1 Q0 d2 2 8 mine\n2 Q0 d1 1 7 mine\n"


@pytest.fixture
def checked(tmp_path, monkeypatch, capsys):
    """``checked(*words)``: exit status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topics").write_text("1\n2\n")
    (tmp_path / "good").write_text(GOOD)
    (tmp_path / "docnos.gz").write_bytes(gzip.compress(b"d0\nd1\r\nd2"))

    def call(*words):
        status = main(["check-run", *words])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def test_a_good_run(checked):
    outcome = "good: accepted; 3 documents, 2 topics, 0 errors, 0 warnings.\n"
    assert checked("good", "--topics", "topics", "--docnos", "docnos.gz") == (0, outcome, "")


def test_a_bad_run_gets_the_report_of_the_library(checked, tmp_path):
    text = GOOD.replace("2 Q0 d1", "3 Q0 d9").replace(" 8 ", " x ")
    (tmp_path / "bad").write_text(text)
    words = (
        "bad",
        "--topics",
        "topics",
        "--docnos",
        "docnos.gz",
        "--max-docs",
        "1",
        "--all-topics",
    )
    rules = RunRules(frozenset("12"), docnos=frozenset({"d0", "d1", "d2"}), max_per_topic=1,
                     require_all_topics=True)  # fmt: skip
    wanted = check_run_file(text.encode(), rules, file="bad")
    status, out, _err = checked(*words, "--format", "json")
    assert (status, json.loads(out)[0]["report"]) == (1, wanted.as_report())
    status, out, _err = checked(*words)
    assert out.splitlines()[0] == "bad: rejected; 3 documents, 2 topics, 4 errors, 0 warnings."
    assert set(out.splitlines()[1:]) == set(map(str, wanted.report.faults))


def test_runs_are_compared_with_those_before(checked, tmp_path):
    (tmp_path / "again").write_text(GOOD)
    (tmp_path / "twin").write_text(GOOD.replace("mine", "other"))
    (tmp_path / "near").write_text(GOOD.replace("mine", "third").replace(" 9 ", " 10 "))
    status, out, _err = checked(
        "good", "again", "twin", "near", "--topics", "topics", "--format", "json"
    )
    codes = [set(run["report"]["counts"]) for run in json.loads(out)]
    assert (status, codes) == (1, [set(), {"E08", "W09"}, {"W09"}, {"W14"}])


def test_topics_in_a_format_of_topics_and_a_cut_off(checked, tmp_path):
    (tmp_path / "tsv").write_text("1\tfirst topic\n2\tsecond topic\n")
    (tmp_path / "tied").write_text(GOOD.replace(" 8 ", " 9 "))
    status, out, _err = checked("tied", "--topics", "tsv", "--cut-off", "1")
    assert (status, "W16 Tied scores lie across a cut-off: rank 1 in 1 topic." in out) == (0, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("missing --topics topics", "missing: No such file"),
        ("good --topics missing", "missing: No such file"),
        ("good --topics topics --docnos good", "EN01 The line is not a single docno."),
        ("good --topics topics --docnos empty", "EN02 The file contains no docnos."),
        ("good --topics topics --docnos cut.gz", "E02 The gzip file is damaged"),
        ("good --topics empty", "ET03"),
        ("good --topics topics --max-docs 0", "--max-docs must be an integer of at least 1"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_no_output(checked, tmp_path, words, told):
    (tmp_path / "empty").write_text("")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"d1\n" * 99)[:-9])
    status, out, err = checked(*words.split())
    assert (status, out, told in err) == (2, "", True), err


def test_docnos_are_found_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("poolbench.runs.docno_files._BLOCK", 5)
    (tmp_path / "docnos").write_text("alpha\nbeta\nand a blank line above\n\nlast")
    docnos = DocnoFile(tmp_path / "docnos")
    assert docnos.find_missing({"alpha", "beta", "last", "as", ""}) == {"as"}
    assert ("beta" in docnos, "bet" in docnos) == (True, False)
    assert list(docnos)[:2] == ["alpha", "beta"]
