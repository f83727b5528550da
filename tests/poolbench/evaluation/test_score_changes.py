"""Why a score changed, as worked by hand. Cheap."""

from itertools import pairwise
from random import Random

import pytest

from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.score_changes import (
    DocumentChange,
    explain_topic,
    explain_topics,
    score_by_grades,
)
from poolbench.runs.runs import run_from_rows

RUN = run_from_rows("r", [("1", docno, 9.0 - at) for at, docno in enumerate("cabd")])
(AP,) = parse_measure("map")
SAME = ScoringOptions(), ScoringOptions()


def test_parts_of_topics_add_up_to_the_change_of_the_mean():
    rows = explain_topics({"1": 0.5, "2": 1.0}, {"1": 0.25, "2": 1.0, "3": 0.1, "4": None})
    assert [(row.topic, row.difference) for row in rows] == [
        ("1", -0.25), ("2", 0.0), ("3", None), ("4", None),
    ]  # fmt: skip
    assert [row.part for row in rows] == pytest.approx([0.25 / 3 - 0.25, 1 / 3 - 0.5, 0.1 / 3, 0])
    assert sum(row.part for row in rows) == pytest.approx(1.35 / 3 - 0.75)
    gone = explain_topics({"1": 0.5, "2": 1.0}, {"1": 0.5})
    assert [row.part for row in gone] == [0.25, -0.5]


def test_parts_of_documents_add_up_to_the_change_of_the_topic():
    # c at rank 1 is not relevant; a at rank 2, then b and d at 3 and 4, and x, not retrieved.
    before, after = {"a": 1, "c": 0}, {"a": 1, "c": 0, "b": 1, "d": 2, "x": 1}
    found = explain_topic(RUN, "1", (before, after), AP, SAME)
    values = [1 / 2, (1 / 2 + 2 / 3) / 2, (1 / 2 + 2 / 3 + 3 / 4) / 3, (1 / 2 + 2 / 3 + 3 / 4) / 4]
    assert [(each.docno, each.rank, each.before, each.after) for each in found.documents] == [
        ("b", 3, None, 1), ("d", 4, None, 2), ("x", None, None, 1),
    ]  # fmt: skip
    steps = [new - old for old, new in pairwise(values)]
    assert [each.part for each in found.documents] == pytest.approx(steps)
    assert (found.rest, found.settings) == (0, 0)
    assert found.total == pytest.approx(values[-1] - values[0])


def test_another_level_and_a_document_that_left_have_their_parts():
    options = ScoringOptions(level=1), ScoringOptions(level=2)
    found = explain_topic(RUN, "1", ({"c": 1, "a": 2}, {"a": 2}), AP, options)
    # (1 + 1) / 2 at level 1; with level 2 only a counts, at rank 2; c is no longer judged.
    assert found.settings == pytest.approx(-0.5)
    assert found.documents == (DocumentChange("c", 1, 1, None, pytest.approx(0.0)),)
    assert found.total == pytest.approx(-0.5)


@pytest.mark.parametrize("name", ["map", "ndcg_cut_3", "P_2", "bpref", "recip_rank"])
def test_parts_of_any_measure_add_up(name, monkeypatch):
    (measure,) = parse_measure(name)
    random = Random(5)  # noqa: S311
    for most in (500, 1):
        monkeypatch.setattr("poolbench.evaluation.score_changes.MOST_DOCUMENTS", most)
        for _ in range(10):
            before, after = (
                {docno: random.randrange(4) for docno in random.sample("abcdefg", 5)} for _ in "xy"
            )
            found = explain_topic(RUN, "1", (before, after), measure, SAME)
            ends = (
                score_by_grades(RUN, "1", grades, measure, options)
                for grades, options in zip((after, before), SAME, strict=True)
            )
            new, old = ends
            assert found.total == pytest.approx(new - old)
            assert len(found.documents) <= most


def test_a_topic_without_ranking_or_grades_is_nothing():
    assert explain_topic(RUN, "2", ({}, {"a": 1}), AP, SAME).total == 0
    assert explain_topic(RUN, "1", ({}, {}), AP, SAME).documents == ()
