"""``poolbench report`` from files: no database."""

import json
import re

import pytest

from poolbench.reliability.collection.report_tables import CARDS
from tests.csv_reading import csv_conditions, csv_rows
from tests.poolbench.commands.conftest import Write
from tests.poolbench.html_pages import Page
from tests.poolbench.pooling.toy import TOY
from tests.poolbench.reliability.collection.toy import GRADES, POOLED, TEAMS


@pytest.fixture
def files(write: Write) -> dict[str, str]:
    qrels = "".join(f"{t} 0 {d} {g}\n" for t, docs in GRADES.items() for d, g in docs.items())
    names = {
        "qrels": qrels,
        "teams": "".join(f"{run} {team}\n" for run, team in TEAMS.items()),
        "pooled": "\n".join(POOLED),
    }
    return {name: write(name, text) for name, text in (names | runs_as_text()).items()}


def runs_as_text() -> dict[str, str]:
    return {
        tag: "".join(
            f"{topic} Q0 {docno} {at} {-at} {tag}\n"
            for topic, docnos in topics.items()
            for at, docno in enumerate(docnos, 1)
        )
        for tag, topics in TOY.items()
    }


@pytest.fixture
def given(files: dict[str, str]) -> list[str]:
    """Everything but the format."""
    runs = [files[tag] for tag in TOY]
    names = ["--teams", files["teams"], "--pooled", files["pooled"]]
    return [files["qrels"], *runs, *names, "--depth", "2", "--draws", "2"]


def test_json(run, given):
    told = json.loads(run("report", *given, "--format", "json").out)
    facts = told["facts"]
    assert (facts["depth"], facts["depth_told"], facts["seed"], facts["draws"]) == (2, True, 0, 2)
    assert len(told["reduced"]) == 17 * 5


def test_csv_has_every_value_of_json_by_its_names(run, given):
    told = json.loads(run("report", *given, "--format", "json").out)
    text = run("report", *given, "--format", "csv").out
    lines = csv_rows(text)
    found = {(line["table"], line["row"], line["column"]): line["value"] for line in lines}
    assert len(found) == len(lines)
    assert csv_conditions(text) == {"table": "reusability"} | told["facts"]
    third = told["leave_team_out"][1]["runs"][2]
    assert found["leave_team_out.runs", "2.3", "run"] == third["run"]
    assert float(found["leave_team_out.runs", "2.3", "score"]) == third["score"]
    last = told["reduced"][-1]
    assert float(found["reduced", str(len(told["reduced"])), "tau.mean"]) == last["tau"]["mean"]
    place = "reduced", str(len(told["reduced"]))
    assert float(found[*place, "tau.standard_error"]) == last["tau"]["standard_error"]
    assert float(found[*place, "score_standard_error"]) == last["score_standard_error"]
    assert told["extrapolation"]["further"] is None
    assert found["extrapolation", "1", "further"] == ""


def test_options(run, given):
    more = ["-m", "P_2", "-l", "2", "--seed", "7", "--target", "9", "--format", "json"]
    told = json.loads(run("report", *given, *more).out)
    assert (told["facts"]["measures"], told["facts"]["relevant"]) == (["P_2"], 1)
    assert (told["facts"]["seed"], told["extrapolation"]["target"]) == (7, 9)


def test_depth_and_tags_need_no_file(run, given, files):
    runs = [files[tag] for tag in TOY]
    told = run("report", files["qrels"], *runs, "--pooled", *POOLED, "--draws", "2")
    assert "3 contributing runs of 3 teams, depth 2 (inferred from the judgments)" in told.out
    assert "P_10: Precision at cut-off k;" in told.out
    assert "Every run is its own team" in told.out


def test_any_number_of_processes_prints_the_same(run, given):
    one, two = (run("report", *given, "--jobs", jobs).out for jobs in (1, 2))
    assert one == two
    assert "REDUCED JUDGMENTS" in one
    heads = [line for line in one.splitlines() if "SE of tau" in line]
    assert len(heads) == 5
    assert all("SE of score" in head and "SE to first" in head for head in heads)
    html = run("report", *given, "--format", "html").out
    assert html.count(">SE of score<") == html.count(">SE to first<") == 5


def test_html_is_one_file_that_needs_nothing(run, given):
    text = run("report", *given, "--format", "html").out
    page = Page(text)
    assert page.open == []
    assert sorted(page.ids) == sorted(set(page.ids))
    assert page.links == ["#verdict", *(f"#{card.name}" for card in CARDS)]
    assert {card.name for card in CARDS} <= set(page.ids)
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert page.tags.count("figure") == 4
    assert page.tags.count("polyline") == 5
    assert not re.search(r"https?:|@import|url\(", text)
    assert "light-dark(" in text


def test_names_are_escaped_in_html(run, given, files, write):
    teams = "".join(f"{tag} <b>{tag}</b>\n" for tag in TOY)
    given[given.index("--teams") + 1] = write("odd", teams)
    text = run("report", *given, "--format", "html").out
    assert "&lt;b&gt;alpha&lt;/b&gt;" in text
    assert "<b>" not in text


def test_all_faults_are_told_before_anything_is_computed(run, given, write, files):
    bad = [write("run", "1 Q0 a 1 one\n"), "--teams", write("bad", "alpha n\nalpha m\n")]
    told = run("report", given[0], *bad, "--pooled", write("none", "# nothing\n"))
    assert told.refusal == "3 files rejected; no output written."
    assert told.out == ""
    for code in ("E03", "EG04", "EG03"):
        assert code in told.err


def test_names_that_do_not_fit_are_told_together(run, given, write, files):
    again = write("again", runs_as_text()["alpha"])
    teams = write("some", "alpha n\nbeta n\n")
    runs = [files["alpha"], again, files["gamma"]]
    told = run("report", files["qrels"], *runs, "--teams", teams, "--pooled", "alpha", "zeta")
    assert told.refusal == "3 errors in run tags and teams; no output written."
    for words in (
        f"{again}: duplicate run tag alpha",
        "gamma has no team",
        "run zeta is not among",
    ):
        assert words in told.err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--depth", "0"], "--depth must be an integer of at least 1, not 0."),
        (["--jobs", "0"], "--jobs must be an integer of at least 1, not 0."),
        (["--draws", "0"], "--draws must be an integer of at least 1, not 0."),
        (["--seed", "-1"], "--seed must be an integer of at least 0, not -1."),
        (["--target", "1"], "--target must be at least --depth."),
        (["-l", "0"], "The relevance level must be an integer between 1"),
        (["-m", "nonsense"], "nonsense"),
        (["-m", "search_length"], "Measures that do not rank runs: search_length"),
    ],
)
def test_what_cannot_be_is_refused(run, given, more, told):
    assert told in run("report", *given, *more).refusal


def test_a_depth_that_cannot_be_seen_must_be_told(run, files, write):
    qrels = write("few", "1 0 d 1\n")
    refusal = run("report", qrels, files["alpha"]).refusal
    assert refusal is not None
    assert refusal.startswith("The pool depth cannot be inferred from the judgments")


def test_a_hint_where_zeros_before_a_topic_differ(run, given, write):
    odd = write("zeros", "1 Q0 a 1 1 alpha\n02 Q0 x 1 1 alpha\n")
    told = run("report", given[0], odd, "--depth", "1", "--draws", "1")
    assert "topic 02 is not in the qrels, but 2 is" in told.err
    quiet = run("report", given[0], odd, "--depth", "1", "--draws", "1", "-v", "0")
    assert quiet.err == ""
