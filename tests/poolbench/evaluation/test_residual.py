"""Residual evaluation: without the documents that earlier rounds have judged.

Against a twin that filters lines of files and leaves the rest to trec_eval; half a second on
TREC-COVID, of which half of the topics' judgments stand for a first round.
"""

import json
from collections import defaultdict
from pathlib import Path

import pytest
import pytrec_eval

import poolbench as pb
from poolbench.files.streams import read_bytes
from tests.poolbench.commands.conftest import run_on_files

RUN = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "2": {"x": 1.0}}
QRELS = {"1": {"a": 2, "c": 1, "d": 2}, "2": {"x": 1, "y": 1}, "3": {"z": 1}}
BEFORE = {"1": {"a": 2, "b": -1}, "2": {"x": 0}, "3": {"z": 1}}
MEASURES = ("ndcg_cut_10", "P_5", "map", "recall_1000", "bpref")


def test_by_hand() -> None:
    scores = pb.evaluate(RUN, QRELS, ["ndcg_cut_10", "P_2", "map"], remove=BEFORE)
    # b (not judged, only listed), c, d remain: gains 0 1 2, ideal 2 1; nothing of topic 2.
    ideal = 2 + 1 / 1.584962500721156
    assert scores.by_topic("ndcg_cut_10") == {
        "1": pytest.approx((1 / 1.584962500721156 + 2 / 2) / ideal),
        "2": 0.0,
    }
    assert scores.by_topic("P_2") == {"1": 0.5, "2": 0.0}
    assert scores.by_topic("map") == {"1": pytest.approx((1 / 2 + 2 / 3) / 2), "2": 0.0}
    counts = ("documents_removed", "judgments_removed", "topics_judged", "topics_not_retrieved")
    assert [scores.conditions[name] for name in counts] == [2, 3, 2, 1]


def test_nothing_to_remove_changes_no_score() -> None:
    plain, residual = pb.evaluate(RUN, QRELS), pb.evaluate(RUN, QRELS, remove={"9": {"a": 1}})
    assert residual.means == plain.means
    assert residual.conditions["qrels_sha256"] == plain.conditions["qrels_sha256"]
    assert residual.conditions["documents_removed"] == 0
    assert "documents_removed" not in plain.conditions


def test_a_sample_is_refused() -> None:
    sampled = pb.read_qrels(b"1 0 a 1 2\n1 0 b 1 0\n", form="strata")
    with pytest.raises(ValueError, match="no residual"):
        pb.evaluate(RUN, sampled, remove=BEFORE)


def split_lines(data: bytes) -> list[list[str]]:
    return [line.split() for line in data.decode().splitlines()]


def test_real_runs_score_as_trec_eval_scores_filtered_files(data_dir: Path, tmp_path: Path) -> None:
    """Means over the topics that are left, as published for the rounds of TREC-COVID."""
    folder = data_dir / "trec-covid-r1"
    qrels = split_lines(read_bytes(folder / "qrels-covid-round1.txt"))
    before = [row for at, row in enumerate(qrels) if at % 3 == 0 or row[0] == "7"]
    judged = {(row[0], row[2]) for row in before}
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, _, docno, grade in qrels:
        if (topic, docno) not in judged:
            grades[topic][docno] = int(grade)
    evaluator = pytrec_eval.RelevanceEvaluator(dict(grades), {*MEASURES, "P_5"})
    earlier = tmp_path / "before"
    earlier.write_text("".join(" ".join(row) + "\n" for row in before))
    for path in sorted((folder / "runs-full").iterdir())[:4]:
        ranked: dict[str, dict[str, float]] = defaultdict(dict)
        removed = 0
        for topic, _, docno, _, score, _ in split_lines(read_bytes(path)):
            if (topic, docno) in judged:
                removed += 1
            else:
                ranked[topic][docno] = float(score)
        expected = evaluator.evaluate(dict(ranked))
        options = [x for name in MEASURES for x in ("-m", name)]
        printed = run_on_files(
            "evaluate", folder / "qrels-covid-round1.txt", path, *options,
            "--residual", earlier, "--profile", "trec_eval-9", "-c", "-q", "--format", "json",
        )  # fmt: skip
        (run,) = json.loads(printed.out)["runs"]
        assert run["conditions"]["documents_removed"] == removed > 0
        assert len(run["topics"]) == len(grades) == 29
        for topic, values in run["topics"].items():
            for name in MEASURES:
                wanted = expected.get(topic, dict.fromkeys(MEASURES, 0.0))[name]
                assert values[name] == pytest.approx(wanted, abs=1e-9), (path.name, topic, name)


def test_the_command_says_what_was_removed(tmp_path: Path) -> None:
    files = {"qrels": "1 0 a 1\n1 0 b 1\n", "run": "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n"}
    files["before"] = "1 0 a 1\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in ("qrels", "run")]
    options = ("--residual", tmp_path / "before", "-m", "P_1")
    printed = run_on_files("evaluate", *paths, *options)
    assert printed.out.split()[-3:] == ["P_1", "all", "1.0000"]
    assert "1 documents and 1 judgments of earlier rounds removed" in printed.err
