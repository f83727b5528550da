"""The rules of the verdicts: each state by a table, words, thresholds, acts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.verdicts import ANSWERS, MOST_WORDS
from evaluation.core.leader_verdict import LEADERBOARD_RULE, LeaderFigures
from reliability.core.verdicts.agreement import (
    AGREEMENT_RULE,
    AgreementFigures,
    AgreementPart,
    AssessorTau,
)
from reliability.core.verdicts.reusability import COLLECTION_RULE, CollectionFigures, LeftOutMove
from reliability.core.verdicts.stopping import NO_ORDER, NO_POOL, STOPPING_RULE, StoppingFigures

GOOD, AMBER, BAD, UNKNOWN = ANSWERS

TOPICS = tuple(AgreementPart(str(n), 20, 0.8) for n in range(1, 9))
AGREED = AgreementFigures(
    "nDCG@10", 11, 3, 160, TOPICS, (AgreementPart("ada, grace", 160, 0.8),),
    0.8, 0.7, 0.9, 0.3, 0.96, 0.92, (AssessorTau("ada", 0.97),), 0, "", 30.0,
)  # fmt: skip
LOW = [replace(topic, alpha=0.4) for topic in TOPICS]
AGREEMENT = [
    (AGREED, GOOD, "0.92"),
    (replace(AGREED, topics=(*LOW[:1], *TOPICS[1:])), GOOD, "1 topic to look at again"),
    (replace(AGREED, topics=(*LOW[:2], *TOPICS[2:])), AMBER, "2 of 8 topics"),
    # Two shared documents say nothing about a topic.
    (replace(AGREED, topics=(*[replace(t, documents=2) for t in LOW[:6]], *TOPICS[6:])), GOOD, ""),
    (replace(AGREED, pairs=(AgreementPart("ada, edsger", 99, 0.3),)), GOOD, "0.92"),
    (replace(AGREED, alpha=0.5), AMBER, "0.50"),
    (replace(AGREED, tau_low=0.85), AMBER, "0.85"),
    (replace(AGREED, tau=0.89, tau_low=0.8), BAD, "0.89"),
    (replace(AGREED, taus=(AssessorTau("edsger", 0.7),)), BAD, "0.70"),
    (replace(AGREED, topics=TOPICS[:4]), UNKNOWN, "4 topics"),
    (replace(AGREED, documents=31), UNKNOWN, "31 documents"),
    (replace(AGREED, prevalence=0.01), UNKNOWN, "1.0\u00a0%"),
    (replace(AGREED, alpha=None), UNKNOWN, "same grade"),
    (replace(AGREED, tau=None, tau_low=None, taus=(), reason="no run"), UNKNOWN, "no run"),
    (AgreementFigures("–", 0, 0, 0), UNKNOWN, "0 documents"),
]

HALF = StoppingFigures(
    "nDCG@10", 10, 11, 900, 850, 50, 0, 0.95, 12.0, 8.0, 20.0, 0.99, 0.97, 0, 200, (0.95, 0.99)
)
STOPPING = [
    (HALF, GOOD, "50 documents"),
    (replace(HALF, moved=1), GOOD, "0.97"),
    (replace(HALF, moved=2), AMBER, "2 places"),
    (replace(HALF, tau_low=0.94), AMBER, "0.94"),
    (replace(HALF, topics_unjudged=2), AMBER, "2 topics have"),
    (replace(HALF, span=0, moved=None), AMBER, "fewer than 200"),
    (replace(HALF, pooled_judged=(0.8, 0.99)), AMBER, "80\u00a0%"),
    (replace(HALF, pooled_judged=(0.8,), tau_low=0.5), BAD, "0.50"),
    (replace(HALF, unjudged=0, tau_low=None, tau=None), UNKNOWN, "two runs"),
    (replace(HALF, unjudged=0, tau_low=1.0, tau=1.0), GOOD, "every document"),
    (replace(HALF, unjudged=0, tau_low=1.0, pooled_judged=(0.5,)), AMBER, "deeper pool"),
    (replace(HALF, judgments=99), UNKNOWN, "99 judgments"),
    (replace(HALF, reason=NO_ORDER), UNKNOWN, "random order"),
    (replace(HALF, tau_low=None), UNKNOWN, "two runs"),
    (StoppingFigures("–", 10, 0, 150, 0, 0, reason=NO_POOL), UNKNOWN, "no pool"),
]


def move(run: str, place: int, without: int, passed: int = 0) -> LeftOutMove:
    return LeftOutMove(run, run, place, without, passed)


STAYED = tuple(move(f"r{n}", n, n) for n in range(1, 9))
FAIR = CollectionFigures("nDCG@10", 10, 8, 6, STAYED, (0.95, 1.0), left_out=(0.7, 0.9))
COLLECTION = [
    (FAIR, GOOD, "no run moves"),
    (replace(FAIR, moves=(move("a", 1, 2, 1), *STAYED[1:])), GOOD, "1 place"),
    (replace(FAIR, moves=(move("a", 1, 3), *STAYED[1:])), AMBER, "2 places"),
    # A significant change among the last runs.
    (replace(FAIR, moves=(*STAYED[:7], move("z", 8, 5, 2))), AMBER, "3 places"),
    (replace(FAIR, moves=(move("a", 1, 3, 1), *STAYED[1:])), BAD, "1 of the best runs"),
    (replace(FAIR, judged=(0.6,)), AMBER, "60%"),
    (replace(FAIR, left_out=(0.69, 0.9)), AMBER, "69%"),
    (replace(FAIR, teams=4), AMBER, "4 teams"),
    (replace(FAIR, teams=2), UNKNOWN, "2 of at least 3"),
    (replace(FAIR, moves=()), UNKNOWN, "no run has a score"),
    (replace(FAIR, moves=(), reason="why " * 30), UNKNOWN, "cannot be determined."),
]

LED = LeaderFigures(
    "nDCG@10", 10, 30, ("a", "b", "c", "d"), (0.6, 0.5, 0.4, 0.1), (1.0, 0.95, 0.9, 0.9), "t", 0.01,
    score_set=1,
)  # fmt: skip
LEADERBOARD = [
    (LED, GOOD, "0.010"),
    # A run that cannot reach the first may have unjudged documents.
    (replace(LED, judged=(1.0, 0.95, 0.9, 0.8)), GOOD, "b"),
    (replace(LED, judged=(1.0, 0.95, 0.79, 0.9)), AMBER, "1 run could"),
    (replace(LED, judged=(1.0, 0.85, 0.9, 0.9)), AMBER, "unjudged"),
    (replace(LED, p_value=0.06), AMBER, "0.060"),
    (replace(LED, topics=9), AMBER, "9 topics"),
    (replace(LED, judged=(1.0, 0.8, 0.7, 0.9)), BAD, "2 of 4 runs"),
    (replace(LED, p_value=None, reason="the two cannot be compared"), UNKNOWN, "compared"),
    (replace(LED, p_value=None, reason="why " * 30), UNKNOWN, "cannot be determined."),
    (replace(LED, tags=("a",), scores=(0.6,), judged=(1.0,)), UNKNOWN, "1 run"),
    (LeaderFigures("–", 10, 0, (), (), ()), UNKNOWN, "0 runs"),
]
CASES = [
    (rule, *case)
    for rule, cases in (
        (AGREEMENT_RULE, AGREEMENT),
        (STOPPING_RULE, STOPPING),
        (COLLECTION_RULE, COLLECTION),
        (LEADERBOARD_RULE, LEADERBOARD),
    )
    for case in cases
]


@pytest.mark.parametrize(("rule", "figures", "state", "words"), CASES)
def test_each_state_has_its_sentence(rule, figures, state, words):
    verdict = rule.apply(figures)
    assert verdict.state is state
    assert words in verdict.sentence
    assert len(verdict.sentence.split()) <= MOST_WORDS
    assert verdict.sentence.endswith(".")
    assert verdict.reason
    assert verdict.name == rule.name
    assert 0 < len(verdict.figures) <= 4 or state is UNKNOWN
    assert len(verdict.acts) <= 3
    assert verdict.acts or state is not UNKNOWN
    for figure in verdict.figures:
        if figure.text == "–":
            assert figure.value is None


@pytest.mark.parametrize(("rule", "figures", "state", "words"), CASES)
def test_long_names_leave_the_sentence_short(rule, figures, state, words):
    """Three words are those of the longest title of a measure."""
    del words
    verdict = rule.apply(replace(figures, measure="interpolated precision at"))
    assert (verdict.state, len(verdict.sentence.split()) <= MOST_WORDS) == (state, True)


def test_documents_in_another_order_say_what_to_do():
    ordered = replace(HALF, reason=NO_ORDER)
    verdict = STOPPING_RULE.apply(ordered)
    assert "plan in random order" in verdict.reason
    rest, shares, order = verdict.acts
    assert (rest.page, rest.documents, rest.minutes) == ("judging", 50, ordered.minutes)
    assert (shares.page, order.page) == ("interim-scores", "plan-new")
    (build,) = STOPPING_RULE.apply(StoppingFigures("–", 10, 0, 9, 0, 0, reason=NO_POOL)).acts
    assert build.page == "pools"


@pytest.mark.parametrize(
    ("rule", "figures", "name", "value", "state"),
    [
        (AGREEMENT_RULE, AGREED, "agreement-tau", 0.95, AMBER),
        (AGREEMENT_RULE, replace(AGREED, alpha=0.5), "agreement-alpha", 0.4, GOOD),
        (STOPPING_RULE, replace(HALF, moved=3), "stopping-places", 3, GOOD),
        (COLLECTION_RULE, FAIR, "collection-good-teams", 7, AMBER),
        (LEADERBOARD_RULE, LED, "leaderboard-p", 0.001, AMBER),
    ],
)
def test_a_changed_threshold_decides_and_is_named(rule, figures, name, value, state):
    assert "of this campaign" not in rule.apply(figures).reason
    verdict = rule.apply(figures, {name: value})
    assert verdict.state is state
    assert f"Thresholds of this campaign: {changed(verdict).meaning} {value:g}." in verdict.reason


def changed(verdict):
    (threshold,) = [each for each in verdict.thresholds if each.changed]
    return threshold


def test_acts_lead_to_a_filtered_page_with_their_cost():
    figures = replace(AGREED, topics=(*LOW[:2], *TOPICS[2:]), disputes=14)
    topic, settle = AGREEMENT_RULE.apply(figures).acts
    assert (topic.page, topic.query, topic.documents) == ("agreement", {"topic": "1"}, 20)
    assert (settle.page, settle.documents, settle.minutes) == ("adjudication", 14, 7.0)
    low = replace(AGREED, pairs=(AgreementPart("ada, edsger", 99, 0.3),))
    (pair,) = AGREEMENT_RULE.apply(low).acts
    assert pair.query == {"a": "ada", "b": "edsger"}


def test_a_verdict_that_cannot_be_determined_says_what_brings_it():
    (act,) = AGREEMENT_RULE.apply(replace(AGREED, topics=(), documents=0)).acts
    assert act.label == "Give 20 documents of 5 topics to a second assessor"
    assert (act.page, act.documents, act.minutes) == ("plan-new", 100, 50.0)


def test_every_threshold_has_a_source_and_its_own_name():
    rules = (AGREEMENT_RULE, STOPPING_RULE, COLLECTION_RULE, LEADERBOARD_RULE)
    thresholds = [each for rule in rules for each in rule.thresholds]
    assert len({each.name for each in thresholds}) == len(thresholds)
    assert all(each.source and 0 <= each.value <= each.most for each in thresholds)
