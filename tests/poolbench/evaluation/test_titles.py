"""Measure titles: the field's writing of every name of the registry."""

import re

import pytest

from poolbench.evaluation.measures.lookup import accepted_spellings
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from poolbench.evaluation.measures.titles import WRITINGS, format_measure_hint, format_measure_title
from poolbench.evaluation.profiles import PROFILES
from tests.poolbench.evaluation.everything import everything, with_modifiers

PUBLISHED = {
    "ndcg_cut_10": "nDCG@10", "ndcg": "nDCG", "map": "AP", "map_cut_100": "AP@100",
    "recip_rank": "RR", "recip_rank(k=10)": "RR@10", "P_5": "P@5", "Rprec": "R-prec",
    "bpref": "bpref", "bpref-10": "bpref-10", "infAP": "infAP", "xinfAP": "xinfAP",
    "infNDCG": "infNDCG", "statAP": "statAP", "rbp": "RBP(p=.8)", "rbp(p=0.95)": "RBP(p=.95)",
    "RBP(p=0.5)": "RBP(p=.5)", "err": "ERR", "ERR@20": "ERR@20(max_rel=4)", "err(k=20)": "ERR@20",
    "recall_1000": "Recall@1000", "success_1": "Success@1", "judged_10": "Judged@10",
    "unj_10": "Unjudged@10", "gm_map": "GMAP", "iprec_at_recall_0.10": "IPrec@0.10",
    "11pt_avg": "11-pt AP", "set_F": "Set F1", "num_rel_ret": "Relevant retrieved",
    "q_measure": "Q-measure", "sdcg_10": "SDCG@10", "P(rel=2)@5": "P@5 (rel=2)",
    "ndcg_cut_10(list=condensed)": "nDCG@10 (condensed)",
    "map(list=condensed, rel=2)": "AP (condensed, rel=2)", "map(mean=median)": "AP (median)",
    "P(unjudged=relevant)@10": "P@10 (unjudged as relevant)",
    "P(unjudged=2)@10": "P@10 (unjudged as grade 2)",
    "bpref(form=textbook)": "bpref(form=textbook)",
    "ndcg_cut_10(dcg=jarvelin)": "nDCG@10(dcg=jarvelin)",
    "ndcg(mean=ratio_of_means)": "nDCG (ratio of means)",
}  # fmt: skip
"""As in the papers of the cards, the TREC overviews and ir_measures, written by hand."""


@pytest.mark.parametrize(("name", "title"), PUBLISHED.items())
def test_published_writing(name: str, title: str) -> None:
    assert format_measure_title(name) == title


@pytest.mark.parametrize(
    ("name", "title"),
    [("map", "MAP"), ("recip_rank", "MRR"), ("map_cut_100", "MAP@100"), ("P_5", "P@5"),
     ("map(mean=median)", "AP (median)"), ("set_map", "Set MAP")],
)  # fmt: skip
def test_mean_over_topics_has_its_own_name(name: str, title: str) -> None:
    assert format_measure_title(name, over_topics=True) == title


def test_every_family_has_a_writing() -> None:
    assert WRITINGS.keys() == FAMILIES.keys()


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_every_spelling_has_the_title_of_its_measure(family) -> None:
    for spelling in accepted_spellings(family):
        measures = parse_measure(spelling)
        title = format_measure_title(spelling)
        assert title.startswith(WRITINGS[family.name].title)
        if len(measures) == 1:
            assert title == format_measure_title(measures[0].name), spelling
        assert not re.search(r"[a-zA-Z]_\d", title), title


def test_titles_are_unique_among_measures() -> None:
    measures = {
        measure.name
        for measure in (*everything(FAMILIES.values()), *with_modifiers(FAMILIES.values()))
    }
    titles: dict[str, str] = {}
    for name in measures:
        title = format_measure_title(name)
        assert titles.setdefault(title, name) == name, (title, name, titles[title])


def test_names_that_are_no_measures_stay() -> None:
    assert format_measure_title("nope") == "nope"
    assert format_measure_title("") == ""
    assert format_measure_title("P") == "P"
    assert format_measure_hint("nope") == "nope"


def test_hint_has_the_name_of_files_and_the_form() -> None:
    hint = format_measure_hint("ndcg_cut_10")
    expected = "Normalized discounted cumulated gain at cut-off 10; ndcg_cut_10"
    assert hint == f"{expected} in files and commands"
    assert "bpref (form: trec_eval)" in format_measure_hint("bpref")
    for name in DEFAULT_NAMES:
        assert f"; {name}" in format_measure_hint(name)


def test_sets_of_measures_have_titles() -> None:
    named = [name for profile in PROFILES.values() for of in SETS.values() for name in of(profile)]
    plain = {"bpref", "bpref-10", "infAP", "P", "G"}
    assert all(format_measure_title(name) != name or name in plain for name in named)
