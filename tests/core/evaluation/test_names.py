"""The names of measures that users type."""

from __future__ import annotations

import pytest

from evaluation.core.measures.names import UnknownMeasureError, parse_measures


def names(*typed: str) -> list[str]:
    return [measure.name for measure in parse_measures(typed)]


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("map", ["map"]),
        ("AP", ["map"]),
        ("P_10", ["P_10"]),
        ("P@5", ["P_5"]),
        ("P.10,5", ["P_5", "P_10"]),
        ("P", [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        ("recall_100", ["recall_100"]),
        ("R@100", ["recall_100"]),
        ("ndcg", ["ndcg"]),
        ("nDCG", ["ndcg"]),
        ("nDCG@10", ["ndcg_cut_10"]),
        ("ndcg_cut_10", ["ndcg_cut_10"]),
        ("ndcg_cut.5,10", ["ndcg_cut_5", "ndcg_cut_10"]),
        ("RR", ["recip_rank"]),
        ("Rprec", ["Rprec"]),
        ("Bpref", ["bpref"]),
        ("Judged@10", ["judged_10"]),
        ("judged_10", ["judged_10"]),
        ("bpref-10", ["bpref-10"]),
        ("bpref(form=textbook)", ["bpref(form=textbook)"]),
        ("bpref-10( form = 2004 )", ["bpref-10(form=2004)"]),
        ("bpref(form=trec_eval)", ["bpref"]),
    ],
)
def test_names_are_understood_and_printed_one_way(typed: str, printed: list[str]) -> None:
    assert names(typed) == printed


def test_measures_stand_once_in_trec_eval_order() -> None:
    assert names("ndcg", "P_5", "AP", "map", "num_q", "P@5") == ["num_q", "map", "P_5", "ndcg"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("bpref_10", "Write bpref-10 with a hyphen"),
        ("ndgc", "Did you mean .*ndcg"),
        ("P_0", "a cut-off is a rank from 1"),
        ("map_10", "map has no cut-off"),
        ("AP@10", "AP has no cut-off"),
        ("R", "for example R@10"),
        ("bpref(form=old)", "form is one of trec_eval, textbook, 2004"),
        ("bpref(kind=old)", "bpref has no parameter kind. It has form"),
        ("AP(rel=2)", "use -l"),
        ("map(", "not a measure name"),
        ("", "not a measure name"),
        ("zzzzzzzz", "Known are num_q"),
    ],
)
def test_wrong_names_say_what_to_write(typed: str, told: str) -> None:
    with pytest.raises(UnknownMeasureError, match=told):
        names(typed)


def test_all_wrong_names_are_told_at_once() -> None:
    with pytest.raises(UnknownMeasureError) as refused:
        names("map", "foo", "bar")
    assert len(str(refused.value).splitlines()) == 2
