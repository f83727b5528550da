"""The highest grade of the scale: stated in options or names, or assumed with a note."""

import pytest

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.stated_scale import reads_highest_grade
from tests.poolbench.evaluation.everything import everything
from tests.poolbench.evaluation.made import made

TOPICS = {"1": ([2, None, 1, 0], [2, 1, 1, 0]), "2": ([0, 1], [0, 1, 2])}
LACKING = made(TOPICS)
"""Graded 0 to 3 by intention; nobody gave a 3."""
NAMES = {
    "err_20": "err_20(max_rel={0})", "nerr": "nerr(max_rel={0})", "sdcg_5": "sdcg_5(max_rel={0})",
    "insq": "insq(max_rel={0})", "inst(T=2)": "inst(T=2, max_rel={0})",
    "rbp(gain=graded)": "rbp(gain=graded, max_rel={0})", "cwl": "cwl(max_rel={0})",
    "cwl_total(user=rr)": "cwl_total(max_rel={0}, user=rr)",
}  # fmt: skip


@pytest.mark.parametrize(("asked", "printed"), NAMES.items())
def test_an_assumed_highest_grade_is_in_the_name_and_noted(asked: str, printed: str) -> None:
    scores = evaluate(*LACKING, [asked])
    assert scores.names == (printed.format(2),)
    assert scores.mean(asked) == scores.overall[0]
    assert scores.conditions["highest_grade"] == 2
    assert scores.conditions["highest_grade_from"] == "assumed: the highest in the qrels"
    (remark,) = scores.conditions["remarks"]
    assert remark.startswith(f"{printed.format(2)}: the highest grade of the scale is assumed")
    assert "--max-rel" in remark


@pytest.mark.parametrize(("asked", "printed"), NAMES.items())
def test_a_stated_highest_grade_does_not_depend_on_the_judgments(asked: str, printed: str) -> None:
    options = ScoringOptions(max_rel=3)
    scores = evaluate(*LACKING, [asked], options)
    assert scores.names == (printed.format(3),)
    assert (scores.conditions["highest_grade"], scores.conditions["remarks"]) == (3, [])
    assert scores.conditions["highest_grade_from"] == "as stated"
    assert scores.overall == evaluate(*LACKING, [printed.format(3)]).overall
    more = made(TOPICS | {"3": ([], [3])})
    whole = evaluate(*more, [asked], options)
    assert whole.values[:2].tolist() == scores.values.tolist()
    if asked != "nerr":
        assert scores.overall != evaluate(*LACKING, [asked]).overall


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        # By ir_measures' name; nobody else asks for the scale of the qrels.
        (["ERR@20"], (4, "as stated")),
        (["ERR@20", "nERR@20", "map"], (4, "as stated")),
        (["err(max_rel=3)"], (3, "as stated")),
        (["ERR@20", "err_20"], (2, "assumed: the highest in the qrels")),
        (["map"], (2, "assumed: the highest in the qrels")),
    ],
)
def test_conditions_name_the_highest_grade_that_the_measures_use(asked, used) -> None:
    found = evaluate(*LACKING, asked).conditions
    assert (found["highest_grade"], found["highest_grade_from"]) == used


def test_a_gain_table_is_the_scale_and_names_stay() -> None:
    table = ScoringOptions(gains={0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0})
    scores = evaluate(*LACKING, ["err_20", "ERR@20"], table)
    assert scores.names == ("err_20", "err_20(max_rel=4)")
    assert scores.overall == evaluate(*LACKING, ["err_20(max_rel=3)", "err_20(max_rel=4)"]).overall
    assert scores.conditions["highest_grade"] == 3
    assert scores.conditions["highest_grade_from"] == "the gain table"
    assert scores.conditions["remarks"] == []


def test_judgments_above_the_highest_grade_are_noted() -> None:
    scores = evaluate(*LACKING, ["err_20(max_rel=1)", "ERR@5", "map"])
    assert scores.conditions["remarks"] == [
        "err_20(max_rel=1): 2 judgments above grade 1 count as 1."
    ]


def test_only_measures_that_depend_on_the_scale_are_named_after_it() -> None:
    names = ["map", "rbp", "cwl(gain=binary)", "cwl_items", "ndcg_cut_10", "q_measure", "dcg"]
    scores = evaluate(*LACKING, names)
    assert not any("max_rel" in name for name in scores.names)
    assert scores.conditions["remarks"] == []
    filled = evaluate(*LACKING, ["ndcg(unjudged=relevant)"]).conditions["remarks"]
    assert filled[0].startswith(
        "ndcg(unjudged=relevant): the highest grade of the scale is assumed"
    )


def changes_with_the_scale(measure: Measure) -> bool:
    low, high = (evaluate(*LACKING, [measure], ScoringOptions(max_rel=top)) for top in (2, 7))
    return low.values.tobytes() != high.values.tobytes()


@pytest.mark.parametrize("measure", everything(), ids=lambda measure: measure.name)
def test_no_other_measure_changes_with_the_highest_grade(measure: Measure) -> None:
    stated = "max_rel" in dict(measure.params)
    if changes_with_the_scale(measure):
        assert reads_highest_grade(measure)
        assert not stated


def test_scores_asked_for_by_an_open_name_must_be_of_one_scale() -> None:
    scores = evaluate(*LACKING, ["err", "err(max_rel=4)"])
    assert scores.mean("err(max_rel=4)") == scores.overall[1]
    with pytest.raises(ValueError, match=r"err denotes several of the scores: err\(max_rel=2\)"):
        scores.mean("err")


@pytest.mark.parametrize("wrong", [0, 10_001])
def test_a_highest_grade_is_a_grade(wrong: int) -> None:
    with pytest.raises(ValueError, match="the highest grade must be an integer"):
        ScoringOptions(max_rel=wrong)
    with pytest.raises(ValueError, match="the highest grade must be an integer"):
        ScoringOptions(max_rel=1, level=2)


def test_a_name_of_a_measure_of_the_scale_parses_back() -> None:
    for name in evaluate(*LACKING, [*NAMES]).names:
        assert [measure.name for measure in parse_measure(name)] == [name]
