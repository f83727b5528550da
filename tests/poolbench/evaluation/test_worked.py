"""One small topic followed rank by rank, and what is told of a family beside its card."""

from typing import Any

import pytest

from poolbench.cards import card_anchor
from poolbench.evaluation.measures.family import GROUPS, WorkedExample
from poolbench.evaluation.measures.lookup import (
    accepted_spellings,
    default_measures,
    families_by_group,
    find_family,
    variant_names,
)
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.worked_examples import (
    WorkedScore,
    judged_not_retrieved,
    work_card_example,
    work_example,
)
from tests.poolbench.evaluation.lectures import value
from tests.poolbench.evaluation.test_worked_examples import EXAMPLES
from workbench.card_docs import BLOCKS, render_example

ALL = list(FAMILIES.values())
EVERY = [(family, example) for family in ALL for example in family.examples]
RANKED, JUDGED = (1, 0, None, 2, 0, 1), (1, 0, 2, 0, 1, 2, 1, 0)


def worked(name: str, ranked: Any, judged: Any) -> WorkedScore:
    (measure,) = parse_measure(name)
    return work_example(measure, ranked, judged_not_retrieved(ranked, judged))


@pytest.mark.parametrize(("family", "example"), EXAMPLES)
def test_an_example_comes_out_as_by_hand_and_as_a_file_does(family, example):
    found = work_card_example(family, example)
    assert found.value == pytest.approx(example.value, abs=1e-9)
    by_file = value(found.name, (example.ranked, example.judged))
    assert found.value == pytest.approx(by_file, abs=1e-12)


def test_the_steps_of_an_example_lead_to_its_value():
    for found, example in ((work_card_example(*pair), pair[1]) for pair in EVERY):
        assert [step.grade for step in found.steps] == list(example.ranked), found.name
        if found.steps:
            # A geometric mean takes 0.00001 for less.
            assert found.steps[-1].value == pytest.approx(found.value, abs=1.1e-5), found.name


def test_steps_of_map_are_precisions_over_the_relevant() -> None:
    found = worked("map", (1, 0, 1, 0, 1), (1, 1, 1, 0, 0))
    assert [step.adds for step in found.steps] == pytest.approx([1 / 3, 0, 2 / 9, 0, 1 / 5])
    assert [step.value for step in found.steps] == pytest.approx(
        [1 / 3, 1 / 3, 5 / 9, 5 / 9, 34 / 45]
    )
    assert (found.start, found.has_visible_steps) == (0.0, True)


def test_a_step_counts_what_was_judged_above() -> None:
    steps = worked("map", RANKED, JUDGED).steps
    assert [step.relevant for step in steps] == [1, 1, 1, 2, 2, 3]
    assert [step.nonrelevant for step in steps] == [0, 1, 1, 1, 2, 2]
    assert [step.is_relevant for step in steps] == [True, False, False, True, False, True]


def test_modifiers_hold_in_the_steps() -> None:
    steps = worked("map(rel=2)", RANKED, JUDGED).steps
    assert [step.is_relevant for step in steps] == [False, False, False, True, False, False]
    condensed = worked("map(list=condensed)", (None, 1), (1,))
    assert [step.value for step in condensed.steps] == [0.0, 1.0]


def test_what_the_ranking_lacks_is_told_best_first() -> None:
    assert worked("map", RANKED, JUDGED).missed == (2, 1, 0)
    with pytest.raises(ValueError, match="lacks 1 × 1"):
        worked("map", (1,), (0,))


def test_negative_grades_are_neither_relevant_nor_non_relevant() -> None:
    step = worked("map", (-1, -2), (-1, -2)).steps[-1]
    assert (step.relevant, step.nonrelevant) == (0, 0)


def test_an_undefined_value_has_a_reason() -> None:
    found = worked("judged_10", (), (1, 0))
    assert (found.value, found.start, found.steps) == (None, None, ())
    assert found.reason == FAMILIES["judged"].card.undefined
    assert worked("map", (1,), (1,)).reason == ""


def test_a_count_that_no_rank_changes_tells_nothing() -> None:
    found = worked("num_rel", RANKED, JUDGED)
    assert (found.value, found.start, found.has_visible_steps) == (5.0, 5.0, False)


def test_every_family_is_told_whole() -> None:
    for family in ALL:
        assert family.group in GROUPS
        names = accepted_spellings(family)
        assert [name for name in names if find_family(name)[0] is not family] == []
        assert names, family.name
        for known in family.all_parameters().values():
            for name in variant_names(family, known):
                (measure,) = parse_measure(name)
                assert (measure.name, measure.family) == (name, family)
                assert known.name in dict(measure.params)


def test_spellings_begin_with_the_printed_name() -> None:
    assert accepted_spellings(FAMILIES["map"]) == ("map", "AP", "MAP")
    assert accepted_spellings(FAMILIES["P"]) == ("P_10", "P.10", "P@10", "Precision@10")
    assert default_measures(FAMILIES["P"])[:2] == ("P_5", "P_10")
    assert default_measures(FAMILIES["map"]) == ()


def test_variants_are_printed_names_with_the_parameter() -> None:
    (form,) = FAMILIES["bpref"].card.parameters
    assert variant_names(FAMILIES["bpref"], form) == ("bpref(form=textbook)", "bpref(form=2004)")
    level = FAMILIES["P"].all_parameters()["rel"]
    assert variant_names(FAMILIES["P"], level) == ("P_10(rel=2)",)


def test_a_family_is_found_by_the_name_of_any_measure_of_it() -> None:
    assert find_family("nDCG@10") == (FAMILIES["ndcg_cut"], {"k": "10"})
    assert find_family("bpref(form=2004)") == (FAMILIES["bpref"], {"form": "2004"})
    assert find_family("P.5,10") == (FAMILIES["P"], {})
    assert find_family("P") == (FAMILIES["P"], {})
    assert find_family("nope") == (None, {})
    assert find_family("map" + " " * 200) == (None, {})


def test_every_family_stands_in_one_group() -> None:
    groups = families_by_group(FAMILIES)
    assert sorted(it.name for found in groups.values() for it in found) == sorted(FAMILIES)
    titles = [group.title for group in GROUPS.values()]
    assert list(groups) == [title for title in titles if title in groups]


def test_the_page_has_a_section_and_a_link_for_each_family() -> None:
    contents, told = BLOCKS["measures.contents"](), BLOCKS["measures.families"]()
    for family in ALL:
        assert f"\n### `{family.name}`: {family.card.title}\n" in told
        assert f"(#{card_anchor(family.card)})" in contents
        for example in family.examples:
            assert render_example(family, example) in told


def test_an_example_of_the_page_has_the_value_of_the_engine() -> None:
    family = FAMILIES["map"]
    text = render_example(family, WorkedExample((None, 1), (1, 1), 0.99, "(1/2) / 2"))
    wanted = "Example: ranking `· 1`, judged and not retrieved `1`: map = (1/2) / 2 = 0.25."
    assert text == wanted


def test_a_stratum_is_told_of_what_is_pooled() -> None:
    (measure,) = parse_measure("statAP")
    found = work_example(measure, (1, -1, None, 1), (0,), "ab.bb")
    assert [step.stratum for step in found.steps] == ["a", "b", "", "b"]
    # One of stratum a's one, two of stratum b's three.
    assert found.value == pytest.approx((1 + 1.5 * (1 + 1) / 4) / 2.5)


def test_without_strata_no_probability_is_known() -> None:
    assert worked("statAP", (1,), (1,)).value is None


def test_a_wrong_example_says_which_grades_it_lacks() -> None:
    family = FAMILIES["recip_rank"]
    example = WorkedExample((2, None, 1, 1), (2, 1, 0), 0.5, "")
    said = r"of recip_rank: judged \(2, 1, 0\) lacks 1 × 1 of ranked \(2, None, 1, 1\)"
    with pytest.raises(ValueError, match=said):
        work_card_example(family, example)
