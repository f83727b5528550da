"""The examples of the cards, of the textbooks and of the bpref table, by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evaluation.core.evaluate import evaluate
from evaluation.core.measures.family import Example, Family
from evaluation.core.measures.registry import FAMILIES
from tests.core.evaluation.made import made

EXAMPLES = [(family, example) for family in FAMILIES.values() for example in family.examples]
FORMS = (
    *("bpref(form=textbook)", "bpref", "bpref(form=2004)"),
    *("bpref-10(form=textbook)", "bpref-10", "bpref-10(form=2004)"),
)
BPREF = [
    ("R N R N R", 3, 3, "2/3 2/3 1/2 12/13 2/3 1/2"),
    ("N R R N . R", 4, 2, "1/2 1/4 1/4 19/28 1/4 1/4"),
    ("N R R R R", 6, 4, "5/9 1/2 0 5/8 1/2 0"),
    ("N N N R", 2, 3, "0 0 0 3/8 0 0"),
    (". R . N . N R N N N R", 3, 10, "4/9 4/9 4/9 32/39 23/30 8/15"),
    ("R R R", 3, 0, "1 1 1 1 1 1"),
    ("N R", 1, 1, "0 0 0 10/11 0 0"),
    ("N R", 1, 5, "0 0 0 10/11 4/5 0"),
    ("N N N N N R R", 2, 20, "0 0 0 7/12 7/12 0"),
    (". .", 3, 5, "0 0 0 0 0 0"),
    ("N N N N N N N N N N N N R", 2, 40, "0 0 0 0 0 0"),
    ("R N", 5, 1, "1/5 1/5 1/5 1/5 1/5 1/5"),
    ("N R N R N N R R N R", 5, 5, "9/25 9/25 9/25 59/75 9/25 9/25"),
]


def value(measure: str, ranked: list[int | None], judged: list[int]) -> float | None:
    return evaluate(*made({"1": (ranked, judged)}), [measure]).mean(measure)


@pytest.mark.parametrize(("family", "example"), EXAMPLES)
def test_examples_of_the_cards_hold(family: Family, example: Example) -> None:
    name = example.measure or family.name
    found = value(name, list(example.ranked), list(example.judged))
    assert found == pytest.approx(example.value, abs=1e-9)


@pytest.mark.parametrize(("ranking", "relevant", "nonrelevant", "wanted"), BPREF)
def test_bpref_forms_by_hand(ranking: str, relevant: int, nonrelevant: int, wanted: str) -> None:
    ranked = [{"R": 1, "N": 0, ".": None}[mark] for mark in ranking.split()]
    scores = evaluate(*made({"1": (ranked, [1] * relevant + [0] * nonrelevant)}), FORMS)
    for name, fraction in zip(FORMS, wanted.split(), strict=True):
        assert scores.mean(name) == pytest.approx(float(Fraction(fraction)), abs=1e-12), name


@pytest.fixture(scope="module")
def book(data_dir: Path) -> dict[str, Any]:
    path = data_dir.parent / "worked_examples.json"
    if not path.exists():
        pytest.skip(f"no worked examples in {path}")
    return {entry["id"]: entry for entry in json.loads(path.read_text())}


def ranked_documents(given: dict[str, Any]) -> tuple[list[int | None], list[int]]:
    ranked: list[int | None] = [int(d in given["relevant"]) for d in given["ranking"]]
    missing = len(given["relevant"]) - sum(grade or 0 for grade in ranked)
    return ranked, [grade or 0 for grade in ranked] + [1] * missing


def ranked_grades(given: list[int], recall_base: int) -> tuple[list[int | None], list[int]]:
    return list(given), given + [1] * (recall_base - sum(given))


def test_modern_information_retrieval(book: dict[str, Any]) -> None:
    entry = book["mir-q1-precision-recall"]
    topic = ranked_documents(entry["given"])
    for name in ("P_5", "P_10", "Rprec", "recip_rank"):
        assert value(name, *topic) == pytest.approx(entry["expect"][name])
    assert value("map", *topic) == pytest.approx(entry["expect"]["AP"])
    second = book["mir-q2-interpolated"]
    topic = ranked_documents(second["given"])
    for k in (3, 8, 15):
        assert value(f"recall_{k}", *topic) == pytest.approx(second["expect"][f"R_at_{k}"])


def test_ferro(book: dict[str, Any]) -> None:
    entry = book["ferro-graded-run"]
    ranked = entry["given"]["grades_in_rank_order"]
    judged = entry["given"]["judged_grades"] + [0] * ranked.count(0)
    expect = entry["expect"]
    for ours, theirs in {"P_5": "P_5", "recall_5": "R_5", "Rprec": "Rprec", "map": "AP"}.items():
        assert value(ours, ranked, judged) == pytest.approx(expect[theirs])
    auc = book["ferro-auc"]
    topic = ranked_grades(auc["given"]["relevance_in_rank_order"], auc["given"]["recall_base"])
    assert value("map", *topic) == pytest.approx(auc["expect"]["AP"])


def test_cs276(book: dict[str, Any]) -> None:
    first = book["cs276-ap"]
    topic = ranked_grades(first["given"]["relevance_in_rank_order"], 3)
    assert value("map", *topic) == pytest.approx(first["expect"]["AP"])
    assert [value(f"P_{k}", *topic) for k in (3, 4, 5)] == pytest.approx([2 / 3, 2 / 4, 3 / 5])
    two = book["cs276-two-rankings"]
    for name in "AB":
        topic = ranked_grades(two["given"][name], two["given"]["recall_base"])
        assert value("map", *topic) == pytest.approx(two["expect"][f"AP_{name}"])


def test_cs276_means(book: dict[str, Any]) -> None:
    entry = book["cs276-map"]
    topics = {
        name: ranked_grades(given["relevance_in_rank_order"], given["recall_base"])
        for name, given in entry["given"].items()
    }
    scores = evaluate(*made(topics), ["map"])
    assert scores.mean("map") == pytest.approx(entry["expect"]["MAP"])
    assert scores.by_topic("map")["q1"] == pytest.approx(entry["expect"]["AP_q1"])
    assert scores.by_topic("map")["q2"] == pytest.approx(entry["expect"]["AP_q2"])


def test_cs276_ndcg(book: dict[str, Any]) -> None:
    entry = book["cs276-ndcg"]
    truth = entry["given"]["truth"]
    assert value("ndcg", entry["given"]["f1"], truth) == 1.0
    # f2 of the source has another discount: rank 2 undiscounted.
    assert value("ndcg", entry["given"]["f2"], truth) == pytest.approx(0.9651954696014428)


def test_ise540(book: dict[str, Any]) -> None:
    entry = book["ise540-ap-both-readings"]
    assert value("map", *ranked_documents(entry["given"])) == pytest.approx(entry["expect"]["AP"])
    ndcg = book["ise540-ndcg"]
    found = value("ndcg", *ranked_documents(ndcg["given"]))
    assert found == pytest.approx(ndcg["expect"]["nDCG_exponential"])
