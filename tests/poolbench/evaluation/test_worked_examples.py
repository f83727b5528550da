"""The examples of the cards and of the lectures, number by number."""

from math import floor
from pathlib import Path
from typing import Any

import pytest

from poolbench.evaluation.curves import average_curves, interpolate_precision
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.preferences.interleaving import credit_picks, interleave
from tests.poolbench.evaluation.lectures import (
    BOOK,
    Check,
    area_under_curve,
    batch_of,
    listed,
    of_documents,
    of_gains,
    of_grades,
    read_book,
    value,
)
from tests.poolbench.evaluation.made import Topic, made
from tests.poolbench.evaluation.test_lecture_formulas import FORMULAS

EXAMPLES = [
    (family, example)
    for family in FAMILIES.values()
    for example in family.examples
    if not example.strata
]
"""Those of qrels; those of sampled pools are in test_sampled_measures."""
CHECKS: dict[str, Check] = {}
"""By id: what we find for each thing that the example expects."""


def test_our_copy_of_the_lectures_examples_is_exact(data_dir: Path) -> None:
    shared = data_dir.parent / "worked_examples.json"
    if not shared.exists():
        pytest.skip(f"no worked examples in {shared}")
    assert read_book(shared) == BOOK


def test_every_example_of_the_lectures_is_a_test() -> None:
    assert sorted([*CHECKS, *FORMULAS]) == sorted(BOOK)


@pytest.mark.parametrize("name", [name for name in BOOK if name not in FORMULAS])
def test_examples_of_the_lectures_hold(name: str) -> None:
    found, expected = CHECKS[name](BOOK[name]["given"]), BOOK[name]["expect"]
    assert list(found) == list(expected)
    for thing, wanted in expected.items():
        close = pytest.approx(wanted, abs=1e-12) if _is_numeric(wanted) else wanted
        assert found[thing] == close, thing


def _is_numeric(wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return all(map(_is_numeric, wanted.values()))
    if isinstance(wanted, list):
        return all(map(_is_numeric, wanted))
    return isinstance(wanted, int | float)


def eleven_points(*topics: Topic) -> list[float]:
    return interpolate_precision(batch_of(*topics))[0].tolist()


@listed(CHECKS, "mir-q1-precision-recall")
def _(given: Any) -> dict[str, Any]:
    topic = of_documents(given)
    return {
        **{name: value(name, topic) for name in ("P_5", "P_10", "Rprec", "recip_rank")},
        "ap_at_seen_relevant": value("map(over=seen)", topic),
        "AP": value("map", topic),
        "interpolated_precision_11pt": eleven_points(topic),
    }


@listed(CHECKS, "mir-q2-interpolated")
def _(given: Any) -> dict[str, Any]:
    topic = of_documents(given)
    recalls = {f"R_at_{k}": value(f"recall_{k}", topic) for k in (3, 8, 15)}
    return {"interpolated_precision_11pt": eleven_points(topic), **recalls}


@listed(CHECKS, "mir-average-curve")
def _(given: Any) -> dict[str, Any]:
    topics = [of_documents(BOOK[name]["given"]) for name in given["topics"]]
    names = [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]
    curve = average_curves(interpolate_precision(batch_of(*topics)))
    assert curve == [value(name, *topics) for name in names]
    return {"mean_interpolated_precision_11pt": curve}


@listed(CHECKS, "mir-cumulated-gain")
def _(given: Any) -> dict[str, Any]:
    topics = [of_gains(given["gains"][q], given["judged_gains"][q]) for q in ("q1", "q2")]
    way = "ideal=retrieved, mean=ratio_of_means"

    def vector(measure: str) -> list[float]:
        return [value(measure.format(k), *topics) or 0.0 for k in range(1, 16)]

    return {
        "mean_CG": vector("cg_{}"),
        "mean_DCG_rounded_down_to_1_decimal": [
            floor(dcg * 10) / 10 for dcg in vector("dcg_{}(dcg=jarvelin)")
        ],
        "NCG_2dp": [_half_up(ncg) for ncg in vector(f"ncg_{{}}({way})")],
        "NDCG_2dp": [_half_up(ndcg) for ndcg in vector(f"ndcg_cut_{{}}(dcg=jarvelin, {way})")],
    }


def _half_up(number: float) -> float:
    return floor(number * 100 + 0.5) / 100


@listed(CHECKS, "ferro-graded-run")
def _(given: Any) -> dict[str, Any]:
    topic = of_gains(given["grades_in_rank_order"], given["judged_grades"])
    ours = {
        **{name: name for name in ("set_P", "set_recall", "set_F", "P_5")}, "R_5": "recall_5",
        "Rprec": "Rprec", "AP": "map", "DCG_b2": "dcg(dcg=jarvelin)",
        "iDCG_b2": "dcg(dcg=jarvelin)", "nDCG_b2": "ndcg(dcg=jarvelin)", "RBP_0_8": "RBP(p=0.8)",
    }  # fmt: skip
    found = {theirs: value(name, topic) for theirs, name in ours.items()}
    best = sorted(given["judged_grades"], reverse=True)
    return found | {"iDCG_b2": value("dcg(dcg=jarvelin)", of_gains(best, best))}


@listed(CHECKS, "ferro-auc")
def _(given: Any) -> dict[str, Any]:
    topic = of_grades(given["relevance_in_rank_order"], given["recall_base"])
    return {
        "AUC_of_raw_PR_curve": area_under_curve(batch_of(topic))[0],
        "AP": value("map", topic),
        "interpolated_precision_11pt": eleven_points(topic),
    }


@listed(CHECKS, "ferro-second-run")
def _(given: Any) -> dict[str, Any]:
    topic = of_grades(given["relevance_in_rank_order"], given["recall_base"])
    levels = ("0.2", "0.4", "0.6", "0.8", "1.0")
    found = interpolate_precision(batch_of(topic), tuple(map(float, levels)))[0].tolist()
    return {"interpolated_precision_at_recall": dict(zip(levels, found, strict=True))}


@listed(CHECKS, "cs276-ap")
def _(given: Any) -> dict[str, Any]:
    topic = of_grades(given["relevance_in_rank_order"], given["recall_base"])
    assert [value(f"P_{k}", topic) for k in (3, 4, 5)] == [2 / 3, 2 / 4, 3 / 5]
    return {"AP": value("map", topic)}


@listed(CHECKS, "cs276-two-rankings")
def _(given: Any) -> dict[str, Any]:
    base = given["recall_base"]
    return {f"AP_{side}": value("map", of_grades(given[side], base)) for side in "AB"}


@listed(CHECKS, "cs276-map")
def _(given: Any) -> dict[str, Any]:
    topics = {
        name: of_grades(entry["relevance_in_rank_order"], entry["recall_base"])
        for name, entry in given.items()
    }
    scores = evaluate(*made(topics), ["map"])
    by_topic = {f"AP_{name}": found for name, found in scores.by_topic("map").items()}
    return {**by_topic, "MAP": scores.mean("map")}


@listed(CHECKS, "cs276-dcg")
def _(given: Any) -> dict[str, Any]:
    grades = given["grades_in_rank_order"]
    return {"DCG_b2": [value(f"dcg_{k}(dcg=jarvelin)", (grades, grades)) for k in range(1, 11)]}


@listed(CHECKS, "cs276-ndcg")
def _(given: Any) -> dict[str, Any]:
    name, truth = "ndcg(dcg=jarvelin)", given["truth"]
    return {f"nDCG_{f}": value(name, (given[f], truth)) for f in ("f1", "f2")}


@listed(CHECKS, "cs276-interleaving")
def _(given: Any) -> dict[str, Any]:
    found = interleave(given["A"], given["B"], given["first"])
    picks = ["SVM-light", "Lucent SVM demo", "Royal Holl. SVM", "Archives of SVM"]
    return {"shown": list(found.documents), "credit_example": credit_picks(found, picks)}


@listed(CHECKS, "ise540-ap-both-readings")
def _(given: Any) -> dict[str, Any]:
    topic = of_documents(given)
    return {
        "AP": value("map", topic),
        "ap_over_all_ranks_to_last_relevant": value("map(over=ranks)", topic),
    }


@listed(CHECKS, "ise540-ndcg")
def _(given: Any) -> dict[str, Any]:
    topic = of_documents(given)
    best = (sorted(topic[0], reverse=True), topic[1])
    ideal = value("dcg(dcg=exponential)", best)
    assert ideal
    return {"nDCG_exponential": value("ndcg(dcg=exponential)", topic), "Z": 1 / ideal}
