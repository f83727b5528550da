"""The names of measures that users type, and their titles: the field's writing of every name."""

import re

import pytest

from poolbench.evaluation.measures.lookup import accepted_spellings
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measure, parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from poolbench.evaluation.measures.titles import WRITINGS, format_measure_hint, format_measure_title
from poolbench.evaluation.profiles import POOLBENCH, PROFILES, TREC_EVAL_9, Profile
from tests.poolbench.evaluation.everything import everything, with_modifiers


def names_of(*typed: str, profile: Profile = POOLBENCH) -> list[str]:
    return [measure.name for measure in parse_measures(typed, profile)]


@pytest.mark.parametrize(("typed", "printed"), [
    ("map", ["map"]), ("AP", ["map"]), ("P_10", ["P_10"]), ("P@5", ["P_5"]),
    ("P.10,5", ["P_5", "P_10"]),
    ("P", [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
    ("recall_100", ["recall_100"]), ("R@100", ["recall_100"]), ("ndcg", ["ndcg"]),
    ("nDCG", ["ndcg"]), ("nDCG@10", ["ndcg_cut_10"]), ("ndcg_cut_10", ["ndcg_cut_10"]),
    ("ndcg_cut.5,10", ["ndcg_cut_5", "ndcg_cut_10"]), ("RR", ["recip_rank"]), ("Rprec", ["Rprec"]),
    ("Bpref", ["bpref"]), ("Judged@10", ["judged_10"]), ("judged_10", ["judged_10"]),
    ("bpref-10", ["bpref-10"]), ("bpref(form=textbook)", ["bpref(form=textbook)"]),
    ("bpref-10( form = 2004 )", ["bpref-10(form=2004)"]), ("bpref(form=trec_eval)", ["bpref"]),
    ("AP(rel=2)", ["map(rel=2)"]), ("P(rel=2)@10", ["P_10(rel=2)"]),
    ("AP(judged_only=True)", ["map(list=condensed)"]), ("map(unjudged=as_is)", ["map"]),
    ("map(unjudged=relevant)", ["map(unjudged=relevant)"]),
    ("P(unjudged=3, rel=2)@5", ["P_5(rel=2, unjudged=3)"]),
    ("AP(judged_only=True, unjudged=0)", ["map(list=condensed, unjudged=0)"]),
    ("ndcg_1=3,2=9", ["ndcg_1=3,2=9"]),
    ("nDCG(gains={0:0, 1:3, 2:9})@10", ["ndcg_cut_10(gains=0=0,1=3,2=9)"]),
    ("nDCG(dcg='exp-log2')@20", ["ndcg_cut_20(dcg=exponential)"]),
    ("nDCG(dcg=log2)@20", ["ndcg_cut_20"]),
    ("nDCG(dcg=jarvelin, b=2)@10", ["ndcg_cut_10(dcg=jarvelin)"]), ("ndcg@10", ["ndcg_cut_10"]),
    ("NCG@3", ["ncg_3"]), ("dcg.3", ["dcg_3"]), ("CG", ["cg"]),
    ("DCG(k=3, dcg=jarvelin)", ["dcg_3(dcg=jarvelin)"]), ("err@20", ["err_20(max_rel=4)"]),
    ("err_20", ["err_20"]), ("nERR@10", ["nerr_10(max_rel=4)"]),
    ("ERR(max_rel=3)@20", ["err_20(max_rel=3)"]), ("INST@10", ["inst_10"]), ("P(k=3)", ["P_3"]),
    ("P.1,3,7", ["P_1", "P_3", "P_7"]),
    ("iprec_at_recall..10,.20", ["iprec_at_recall_0.10", "iprec_at_recall_0.20"]),
    ("iprec_at_recall.1,.125", ["iprec_at_recall_0.125", "iprec_at_recall_1.00"]),
    ("IPrec@0.1", ["iprec_at_recall_0.10"]),
    ("Rprec_mult.5.0,0.35", ["Rprec_mult_0.35", "Rprec_mult_5.00"]), ("11pt_avg", ["11pt_avg"]),
    ("11pt_avg..25,.5,.75", ["11pt_avg_.25,.5,.75"]),
    ("11pt_avg(levels=0.2,0.8)", ["11pt_avg_0.2,0.8"]), ("set_F", ["set_F"]),
    ("set_F.0.5", ["set_F_0.5"]), ("set_F.1", ["set_F"]), ("utility", ["utility"]),
    ("utility.2,-1,0,0", ["utility_2,-1,0,0"]), ("utility.1,-1,0,0", ["utility"]),
    ("ndcg.1=3,2=9,4=4.5", ["ndcg_1=3,2=9,4=4.5"]), ("Rndcg.1=3,2=9", ["Rndcg_1=3,2=9"]),
    ("relstring.20", ["relstring_20"]), ("relstring", ["relstring"]), ("MRR@10", ["recip_rank_10"]),
    ("NumRet(rel=2)", ["num_rel_ret(rel=2)"]), ("SetP(relative=True)", ["set_relative_P"]),
])  # fmt: skip
def test_names_are_understood_and_printed_one_way(typed: str, printed: list[str]) -> None:
    assert names_of(typed) == printed
    assert names_of(*printed) == printed


def test_measures_stand_once_in_trec_eval_order() -> None:
    assert names_of("ndcg", "P_5", "AP", "map", "num_q", "P@5") == ["num_q", "map", "P_5", "ndcg"]


def test_sets_are_those_of_the_profile() -> None:
    nine, ten = (names_of("all_trec", profile=TREC_EVAL_9), names_of("all_trec"))
    assert [name for name in ten if name not in nine] == ["unj_5", "unj_10", "unj_20"]
    assert [*nine, *ten[len(nine) :]] == ten
    official = names_of("official")
    assert (len(official), official[-1]) == (29, "P_1000")
    assert names_of("set") == [
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P"),
        *("set_recall", "set_map", "set_F"),
    ]
    assert names_of("default") == list(DEFAULT_NAMES)


def test_parameters_stand_for_the_measure_of_a_set_as_with_trec_eval() -> None:
    assert names_of("official", "P.7", profile=TREC_EVAL_9)[-1:] == ["P_7"]
    assert names_of("official", "P.7", "P.9", profile=TREC_EVAL_9)[-2:] == ["P_7", "P_9"]
    assert "P_5" not in names_of("official", "P.7", profile=TREC_EVAL_9)
    assert {"P_5", "P_7"} < set(names_of("official", "P.7"))


@pytest.mark.parametrize(("typed", "told"), [
    ("bpref_10", "Write bpref-10 with a hyphen"), ("ndgc", "Did you mean .*ndcg"),
    ("P_0", "a cut-off must be an integer between 1"),
    ("map_10", "map has no cut-off. Write map or map_cut_10"),
    ("ndcg_cut10", "Did you mean ndcg_cut_10"), ("P10", "Did you mean P_10"),
    ("rbp@.8", r"Write rbp\(p=.8\)"),
    ("ndcg_cut.10,20,23.4", "a cut-off must be an integer between 1"),
    ("iprec_at_recall.1.5", "recall must be a recall level between 0 and 1"),
    ("11pt_avg.0.2,1.5", "levels must be comma-separated recall levels between 0 and 1"),
    ("utility.2,-1", "coefficients must be four comma-separated numbers"),
    ("set_F.-1", "beta must be a number above 0"),
    ("Rprec_mult.0", "multiple must be a number above 0"),
    ("G.1=-2", "gains must be gains by grade"), ("Rprec@10", "Rprec has no cut-off"),
    ("R", "for example R@10"), ("IPrec", "for example IPrec@0.10"),
    ("bpref(form=old)", "form must be one of trec_eval, textbook, 2004"),
    ("bpref(kind=old)", "bpref has no parameter kind. Known parameters: form"),
    ("map(", "not a measure name"), ("AP(rel=2", "A parenthesis is not closed."),
    ("AP(rel=2))", "A parenthesis is not opened."),
    ("map(over=seen,over=ranks)", "over is given twice"), ("P(k=5)@10", "k is given twice"),
    ("ndcg_10", "ndcg has no cut-off. Write ndcg or ndcg_cut_10."),
    ("ndcg.10", "ndcg has no cut-off. Write ndcg or ndcg_cut_10."),
    ("P@5,10", r"@ takes one cut-off. Write P.5,10\."),
    ("R(rel=2)@5,10", r"Write recall.5,10\(rel=2\)\."),
    ("P@5,x", "a cut-off must be an integer between 1"),
    ("RBP@10", "Write RBP, and truncate the rankings with -M 10."),
    ("runid", "not a measure but the run tag"), ("", "not a measure name"),
    ("zzzzzzzz", "Known measures: num_q"), ("ndcg(b=10)", "b requires dcg=jarvelin"),
    ("ndcg(dcg=jarvelin, b=1)", "b must be a number above 1"),
    ("ndcg_1=3(dcg=exponential)", "remove gains"), ("ndcg(rel=2)", "add level=applied"),
    ("ndcg.1=-3", "gains must be gains by grade"),
    ("cg(ideal=judged)", "cg has no parameter ideal"), ("cwl(user=precision)", "for example _10"),
    ("cwl(T=2)", "T requires user=insq or user=inst"),
    ("cwl(user=rr, p=0.5)", "p requires user=rbp"),
    ("sdcg_2000000", "the cut-off of a user model must be at most 1,000,000"),
    ("inst(T=0)", "T must be a number above 0"), ("q_measure(beta=-1)", "beta must be at least 0"),
    ("rbp(p=1.5)", "p must be a number between 0 and 1"), ("insq(T=1e101)", "T must be"),
    ("map(rel=10001)", "rel must be"), ("set_F(beta=1e400)", "beta must be"),
])  # fmt: skip
def test_wrong_names_say_what_to_write(typed: str, told: str) -> None:
    with pytest.raises(UnknownMeasureError, match=told):
        names_of(typed)


def test_all_wrong_names_are_told_at_once() -> None:
    with pytest.raises(UnknownMeasureError) as refused:
        names_of("map", "foo", "bar")
    assert len(str(refused.value).splitlines()) == 2


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
