"""``poolbench compare``: files in, every pair of runs out, no database."""

import json
from collections.abc import Iterable

import pytest
from scipy import stats

from tests.csv_reading import csv_conditions, csv_rows
from tests.poolbench.commands.conftest import Write

TOPICS = range(1, 9)
QRELS = "".join(f"{topic} 0 a 1\n{topic} 0 b 0\n{topic} 0 c 2\n" for topic in TOPICS)


def ranked(tag: str, orders: Iterable[str]) -> str:
    """A run whose ranking of each topic is a word: its letters are documents."""
    return "".join(
        f"{topic} Q0 {docno} {rank} {10 - rank} {tag}\n"
        for topic, order in zip(TOPICS, orders, strict=False)
        for rank, docno in enumerate(order, 1)
    )


GOOD = ranked("good", ["acb", "acb", "acb", "abc", "acb", "cab", "acb", "bac"])
POOR = ranked("poor", ["bac", "acb", "bca", "bac", "abc", "cba", "xyb", "bxa"])
HALF = ranked("half", ["acb", "bac", "acb"])


@pytest.fixture
def files(write: Write) -> list[str]:
    texts = {"qrels": QRELS, "good": GOOD, "poor": POOR, "half": HALF}
    return [write(name, text) for name, text in texts.items()]


def test_the_table_has_runs_from_the_best_and_every_pair(run, files):
    ran = run("compare", *files)
    assert ran.refusal is None
    lines = ran.out.splitlines()
    assert lines[0].startswith("map: t, correction holm, alpha 0.05; 8 topics, 0 not in all runs")
    assert [line.split()[0] for line in lines[2:6]] == ["run", "good", "poor", "half"]
    assert [line.split()[:3] for line in lines[8:11]] == [
        ["good", "poor", "8"], ["good", "half", "8"], ["poor", "half", "8"],
    ]  # fmt: skip
    assert "2 of 3 runs: profile poolbench-1; level 1; 8 of 8 judged topics averaged" in ran.err
    assert f"{files[3]}: profile poolbench-1" in ran.err


def test_values_are_those_of_evaluate_and_p_that_of_scipy(run, files):
    scored = csv_rows(run("evaluate", *files[:3], "-m", "map", "-q", "--format", "csv").out)
    by_run = {
        tag: [float(r["value"]) for r in scored if r["run"] == tag and r["topic"] != "all"]
        for tag in ("good", "poor")
    }
    text = run("compare", *files[:3], "--format", "csv").out
    (found,) = csv_rows(text)
    wanted = stats.ttest_rel(by_run["good"], by_run["poor"])
    assert float(found["statistic"]) == pytest.approx(wanted.statistic)
    assert float(found["p_value"]) == pytest.approx(wanted.pvalue)
    held = csv_conditions(text)
    assert (found["n"], held["measures"]["map"]["correction"]) == ("8", "holm")
    assert held["scores"]["level"] == 1


@pytest.mark.parametrize(
    "test",
    ["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey-hsd", "randomised-tukey-hsd"],
)
def test_every_test_gives_a_p_for_every_pair(run, files, test):
    ran = run("compare", *files, "--test", test, "--resamples", "200", "--format", "csv")
    found = csv_rows(ran.out)
    assert [row["reason"] for row in found] == [""] * 3
    assert csv_conditions(ran.out)["measures"]["map"]["test"] == test
    assert all(0 <= float(row["p_value"]) <= float(row["adjusted"]) <= 1 for row in found)


def test_measures_level_correction_and_seed_are_told(run, files):
    arguments = ("-m", "P.1,2", "-l", "2", "--correction", "bh", "--alpha", "0.1", "--seed", "7")
    arguments += ("--test", "bootstrap", "--resamples", "300", "--format", "json")
    content = json.loads(run("compare", *files, *arguments).out)
    assert list(content["measures"]) == ["P_1", "P_2"]
    held = content["measures"]["P_1"]["conditions"]
    told = ("test", "correction", "alpha", "seed", "resamples", "runs", "pairs", "topics")
    assert [held[name] for name in told] == ["bootstrap", "bh", 0.1, 7, 300, 3, 3, 8]
    assert content["scores"]["good"]["level"] == 2
    assert len(content["measures"]["P_1"]["pairs"]) == 3
    again = json.loads(run("compare", *files, *arguments).out)
    assert again == content


def test_runs_of_one_tag_are_told_apart(run, write, files):
    twin = write("twin", GOOD)
    (found,) = csv_rows(run("compare", *files[:2], twin, "--format", "csv").out)
    assert (found["first"], found["second"]) == (f"good ({files[1]})", f"good ({twin})")
    assert (found["p_value"], found["note"]) == ("1.0", "all differences are 0")


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (("-m", "nonsense"), "nonsense"),
        (("-m", "num_q"), "Measures without per-topic values cannot be compared: num_q."),
        (("-l", "0"), "The relevance level must be an integer"),
        (
            ("--test", "tukey-hsd", "--correction", "bh"),
            "tukey-hsd corrects for multiple comparisons itself",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(run, files, arguments, refusal):
    ran = run("compare", *files, *arguments)
    assert ran.out == ""
    assert refusal in ran.refusal


@pytest.mark.parametrize(("wrong", "refusal"), [
    (("--alpha", "5"), "--alpha must be a number between 0 and 1, not 5."),
    (("--resamples", "5"), "The number of resamples must be at least 100."),
    (("--seed", "-1"), "The seed must be a non-negative integer."),
])  # fmt: skip
def test_numbers_are_refused_before_a_file_is_read(run, wrong, refusal):
    assert run("compare", "no-qrels", "no-run", "none", *wrong) == ("", "", refusal)


def test_measures_without_a_value_by_topic_are_left_out_with_a_note(run, files):
    ran = run("compare", *files, "-m", "official", "--format", "json")
    assert ran.refusal is None
    shown = list(json.loads(ran.out)["measures"])
    assert (shown[0], len(shown)) == ("num_ret", 27)
    assert "Measures without per-topic values are omitted: num_q, gm_map." in ran.err


def test_one_run_is_no_comparison(run, files):
    for runs in (files[1:2], [files[1], files[1]]):
        ran = run("compare", files[0], *runs)
        assert (ran.out, ran.refusal) == ("", "Specify at least two different runs.")


def test_a_bad_file_is_told_and_nothing_compared(run, write, files):
    ran = run("compare", *files, write("bad", "1 Q0 a\n"))
    assert (ran.out, ran.refusal) == ("", "1 file rejected; no output written.")
    assert "bad:1" in ran.err


def test_runs_of_trec_covid_differ_as_their_scores_say(run, data_dir):
    folder = data_dir / "trec-covid-r1"
    runs = [folder / "runs-full" / f"{tag}.gz" for tag in ("OHSU_RUN2", "Conv_KNRM")]
    ran = run("compare", folder / "qrels-covid-round1.txt", *runs, "--format", "json")
    (pair,) = json.loads(ran.out)["measures"]["map"]["pairs"]
    assert (pair["wins"], pair["losses"], pair["n"]) == (28, 2, 30)
    assert round(pair["difference"], 4) == 0.2050
    assert pair["different"] is True
