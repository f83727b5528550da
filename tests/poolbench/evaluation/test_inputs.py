"""The engine as a library: what a notebook may hand to ``evaluate``."""

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from poolbench.evaluation import ScoringOptions, as_judged, as_run, evaluate
from poolbench.evaluation.profiles import TREC_EVAL_9
from poolbench.files.faults import InvalidFile

RUN = {"001": {"a": 3.0, "b": 2.0, "NA": 1.0}, "1": {"a": 0.5}}
QRELS = {"001": {"a": 0, "NA": 2}, "1": {"a": 1, "c": 1}}
RUN_TEXT = b"001 Q0 a 1 3 mine\n001 Q0 b 2 2 mine\n001 Q0 NA 3 1 mine\n1 Q0 a 1 0.5 mine\n"
QRELS_TEXT = b"001 0 a 0\n001 0 NA 2\n1 0 a 1\n1 0 c 1\n"
MAP = {"001": 1 / 3, "1": 0.5}


def frame(table: dict[str, dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    rows = [
        (topic, docno, value) for topic, pairs in table.items() for docno, value in pairs.items()
    ]
    return pd.DataFrame(rows, columns=columns)


def test_dicts_frames_bytes_and_files_give_the_same_scores(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(RUN_TEXT)
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(QRELS_TEXT))
    runs = [
        RUN, frame(RUN, ["query_id", "doc_id", "score"]), frame(RUN, ["Topic", "docno", "sim"]),
        RUN_TEXT, tmp_path / "run.txt", str(tmp_path / "run.txt"), as_run(RUN),
    ]  # fmt: skip
    qrels = [QRELS, frame(QRELS, ["qid", "docid", "rel"]), QRELS_TEXT, tmp_path / "qrels.gz"]
    for judged in [*qrels, as_judged(QRELS)]:
        for run in runs:
            assert evaluate(run, judged, ["AP"]).by_topic("map") == pytest.approx(MAP)


def test_the_scores_come_as_a_frame() -> None:
    scores = evaluate(RUN, QRELS, ["AP", "judged_2"]).to_frame()
    assert scores.columns.tolist() == ["AP", "judged_2"]
    assert scores["judged_2"].to_dict() == {"001": 0.5, "1": 1.0}


def test_the_tag_is_the_argument_else_that_of_the_source() -> None:
    tagged = frame(RUN, ["topic", "docno", "score"]).assign(tag="framed")
    assert [as_run(RUN).tag, as_run(RUN, tag="t").tag, as_run(tagged).tag] == ["run", "t", "framed"]
    assert as_run(RUN_TEXT).tag == "mine"


@pytest.mark.parametrize(("run", "told"), [
    ({1: {"a": 1.0}}, "dtype=str"), ({"1": {"a b": 1.0}}, "without whitespace"),
    ({"1": {"a": float("nan")}}, "finite score"),
    (pd.DataFrame({"topic": ["1"], "docno": ["a"]}), "missing column score"),
    (pd.DataFrame({"topic": [1], "docno": ["a"], "score": [1.0]}), "dtype=str"),
])  # fmt: skip
def test_what_is_no_run_is_refused(run: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        evaluate(run, QRELS)


def test_what_is_no_run_by_type_or_content_is_refused() -> None:
    with pytest.raises(TypeError, match="pandas frame"):
        evaluate([1, 2], QRELS)  # type: ignore[arg-type]
    with pytest.raises(InvalidFile):
        evaluate(b"1 Q0 a\n", QRELS)
    with pytest.raises(ValueError, match="must be an integer"):
        evaluate(RUN, {"1": {"a": 0.5}})  # type: ignore[dict-item]


def test_scores_are_found_by_any_spelling_of_one_measure() -> None:
    scores = evaluate(RUN, QRELS, ["AP", "nDCG@10", "judged_2"])
    assert repr(scores) == "<ScoredRun run: 2 topics, AP, nDCG@10, judged_2>"
    assert scores.by_topic("AP") == scores.by_topic("map") == pytest.approx(MAP)
    assert scores.mean("Judged@2") == scores.mean("judged_2")
    for name, told in (
        ("P", "P denotes several measures: P_5,"),
        ("Rprec", "Rprec was not scored. Scored measures: AP, nDCG@10, judged_2."),
        ("mapp", "unknown measure. Did you mean map?"),
    ):
        with pytest.raises(ValueError, match=told):
            scores.mean(name)


def test_one_name_is_a_list_of_it_and_what_is_no_name_is_refused() -> None:
    assert evaluate(RUN, QRELS, "map").names == ("map",)
    (measure,) = evaluate(RUN, QRELS, "P.3").measures
    assert evaluate(RUN, QRELS, measure).names == ("P_3",)
    with pytest.raises(TypeError, match="measures must be names, such as 'map' or 'P_10', not 5"):
        evaluate(RUN, QRELS, [5])  # type: ignore[list-item]


def test_options_take_a_profile_by_name_and_say_what_is_wrong() -> None:
    assert ScoringOptions(profile="trec_eval-9") == ScoringOptions(profile=TREC_EVAL_9)  # type: ignore[arg-type]
    for given, told in (
        ({"profile": "trec_eval"}, "use one of poolbench-1, trec_eval-9, trec_eval-10"),
        ({"gains": {"1": 1}}, "gains must be given by grade, an integer such as 1, not '1'"),
        ({"gains": {1: "1"}}, "finite numbers of at least 0, not '1'"),
        ({"gains": {1: -1}}, "finite numbers of at least 0, not -1"),
    ):
        with pytest.raises(ValueError, match=told):
            ScoringOptions(**given)  # type: ignore[arg-type]
