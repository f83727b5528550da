"""Scores as text, CSV and JSON."""

import json

from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.formats import FORMATS
from poolbench.evaluation.trec_eval_text import SCORE_FORMATS, scores_to_trec_eval
from tests.csv_reading import csv_conditions
from tests.poolbench.evaluation.made import made


def scores() -> ScoredRun:
    topics = {"q,1": ([1, 0, 1], [1, 1, 1, 0]), "q2": ([], [1])}
    return evaluate(*made(topics), ["num_q", "num_ret", "map", "judged_5"])


def test_text_is_that_of_trec_eval() -> None:
    pad = " " * 12
    assert scores_to_trec_eval([scores()], by_topic=True) == (
        f"num_ret   {pad}\tq,1\t3\nmap       {pad}\tq,1\t0.5556\njudged_5  {pad}\tq,1\t1.0000\n"
        f"num_ret   {pad}\tq2\t0\nmap       {pad}\tq2\t0.0000\njudged_5  {pad}\tq2\tnull\n"
        f"runid     {pad}\tall\tmade\nnum_q     {pad}\tall\t2\nnum_ret   {pad}\tall\t3\n"
        f"map       {pad}\tall\t0.2778\njudged_5  {pad}\tall\t1.0000\n"
    )


def test_a_command_knows_the_names_of_all_formats() -> None:
    assert tuple(FORMATS) == SCORE_FORMATS


def test_csv_has_full_precision_and_empty_for_undefined() -> None:
    text = FORMATS["csv"]([scores()], by_topic=True)
    lines = text.splitlines()
    assert lines[2] == "run,measure,topic,value"
    assert 'made,map,"q,1",0.5555555555555555' in lines
    assert "made,judged_5,q2," in lines
    assert lines[-3] == "made,num_ret,all,3"
    assert csv_conditions(text) == {"table": "scores"} | scores().conditions
    assert len(FORMATS["csv"]([scores()]).splitlines()) == 7


def test_json_has_null_and_the_conditions() -> None:
    (run,) = json.loads(FORMATS["json"]([scores()], by_topic=True))["runs"]
    assert run["topics"]["q2"] == {"num_ret": 0, "map": 0.0, "judged_5": None}
    assert run["all"]["num_q"] == 2
    assert run["conditions"]["profile"] == "poolbench-1"
    assert run["conditions"]["topics_not_retrieved"] == 1
    assert "nothing is retrieved" in run["reasons"]["judged_5"]


def test_texts_are_printed_by_topic_and_in_no_mean() -> None:
    topics = {"1": ([1, None, -1, 12], [1, -1, 12, 0]), "2": ([], [1])}
    told = evaluate(*made(topics), ["map", "relstring", "relstring.2"])
    lines = scores_to_trec_eval([told], by_topic=True).splitlines()
    assert [line.split("\t")[1:] for line in lines if line.startswith("relstring")] == [
        *(["1", "'1-.>'"], ["1", "'1-'"], ["2", "''"], ["2", "''"])
    ]
    assert told.overall[1:] == (None, None)
    assert told.reasons["relstring"] == "it is text and cannot be averaged."
    assert "made,relstring,1,'1-.>'" in FORMATS["csv"]([told], by_topic=True).splitlines()
    (run,) = json.loads(FORMATS["json"]([told], by_topic=True))["runs"]
    assert (set(run["all"]), run["topics"]["1"]["relstring_2"]) == ({"map"}, "'1-'")


def test_the_summary_can_be_left_out() -> None:
    assert "all" not in scores_to_trec_eval([scores()], by_topic=True, summary=False)
    assert ",all," not in FORMATS["csv"]([scores()], by_topic=True, summary=False)
    (run,) = json.loads(FORMATS["json"]([scores()], by_topic=True, summary=False))["runs"]
    assert set(run) == {"run", "conditions", "reasons", "topics"}
