"""The published scores of uncut runs: TREC-COVID round 1; TREC Deep Learning 2019, passages."""

import csv
import re
from pathlib import Path

import pytest

from poolbench.evaluation import ScoringOptions, as_judged, as_run, evaluate
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.profiles import TREC_EVAL_9
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run

PUBLISHED = {"ndcg_cut_10": "ndcg@10", "P_5": "p@5", "bpref": "bpref", "map": "MAP"}


@pytest.fixture(scope="module")
def covid(data_dir: Path) -> tuple[Path, list[ScoredRun]]:
    folder = data_dir / "trec-covid-r1"
    judged = JudgmentTable.from_table(read_qrels(read_bytes(folder / "qrels-covid-round1.txt")))
    paths = sorted((folder / "runs-full").iterdir())
    runs = [read_run(read_bytes(path)) for path in paths]
    return folder, [evaluate(run, judged, [*PUBLISHED, "bpref-10"]) for run in runs]


def test_means_are_those_of_the_leaderboard(covid: tuple[Path, list[ScoredRun]]) -> None:
    folder, runs = covid
    with (folder / "leaderboard.csv").open(newline="") as stream:
        published = {row["run"]: row for row in csv.DictReader(stream)}
    assert len(runs) == 12
    for scores in runs:
        for ours, theirs in PUBLISHED.items():
            assert f"{scores.mean(ours):.4f}" == published[scores.tag][theirs], scores.tag


def test_bpref_10_by_topic_is_that_of_the_oracle(covid: tuple[Path, list[ScoredRun]]) -> None:
    folder, runs = covid
    found = {scores.tag: scores.by_topic("bpref-10") for scores in runs}
    with (folder / "oracle-bpref10.tsv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert {row["run"] for row in rows} <= set(found)
    assert len(rows) >= 12 * 30
    for row in rows:
        value = found[row["run"]][row["topic"]] if row["topic"] != "all" else None
        mean = next(s.mean("bpref-10") for s in runs if s.tag == row["run"])
        assert f"{mean if value is None else value:.4f}" == row["bpref10"]


BLOCK = re.compile(r"^#### (?P<tag>\S+) *\n(?P<body>.*?)(?=^#### |\Z)", re.MULTILINE | re.DOTALL)
TABLE = re.compile(
    r'\?\?\? example "summary \((?P<kind>[^)]+)\)"\s*```(?P<lines>.*?)```', re.DOTALL
)
LEVELS = {"trec_eval": 1, "passages-eval": 2}


def published(path: Path) -> dict[str, dict[int, dict[str, str]]]:
    """``{run: {level: {measure: value as printed}}}``; gains do not depend on the level."""
    runs: dict[str, dict[int, dict[str, str]]] = {}
    for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
        for table in TABLE.finditer(block["body"]):
            rows = [line.split() for line in table["lines"].splitlines() if line.strip()]
            values = {name: value for name, topic, value in rows if topic == "all"}
            runs.setdefault(block["tag"], {})[LEVELS[table["kind"]]] = values
    return runs


def test_every_published_figure_is_ours_to_four_decimals(data_dir: Path) -> None:
    folder = data_dir / "trec-dl19-passage"
    judged = as_judged(read_bytes(folder / "qrels.dl19-passage.txt"))
    told, compared = published(folder / "published-results.md"), 0
    assert len(told) == 75  # 37 passage runs and 38 document runs
    for path in sorted((folder / "runs-full-judged-topics").iterdir()):
        run = as_run(path)
        for level, wanted in told[path.name.removesuffix(".gz")].items():
            # They were printed by trec_eval 9, which ties scores that are 32-bit equal.
            scores = evaluate(run, judged, wanted, ScoringOptions(level=level, profile=TREC_EVAL_9))
            for name, value in wanted.items():
                assert f"{scores.mean(name):.4f}" == value, (path.name, level, name)
                compared += 1
    assert compared == 5 * 2 * 13
