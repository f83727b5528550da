"""The rules of the verdicts: each state by a table, words, thresholds, acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from poolbench.evaluation.leader_verdict import LeaderboardReport, judge_leaderboard
from poolbench.judging.agreement.coefficient import DRAWS
from poolbench.judging.agreement.report import AgreementReport, CoefficientPanel, RankingEffect
from poolbench.reliability.verdicts.agreement import judge_agreement
from poolbench.reliability.verdicts.reusability import (
    CollectionReport,
    LeftOutMove,
    judge_collection,
)
from poolbench.reliability.verdicts.stopping import (
    NO_ORDER,
    NO_POOL,
    StoppingReport,
    judge_stopping,
)
from poolbench.statistics.estimate import Estimate
from poolbench.verdicts import ANSWERS, MOST_WORDS

GOOD, AMBER, BAD, UNKNOWN = ANSWERS


def panel(alpha: float | None, n: int = 20) -> CoefficientPanel:
    return CoefficientPanel({"alpha-ordinal": Estimate(alpha, n)}, {})


HIGH, LOW = [panel(0.8)] * 8, [panel(0.4)] * 8
OPINIONS = Estimate(0.96, 100, 0.92)
EFFECT = RankingEffect(OPINIONS, {"ada": 0.97})


def agreed(
    topics: Sequence[CoefficientPanel] = HIGH,
    *,
    pair: tuple[str, str] = ("ada", "grace"),
    alphas: tuple[float | None, float | None] = (0.8, 0.8),
    documents: int = 160,
    prevalence: float | None = 0.3,
    effect: RankingEffect = EFFECT,
) -> AgreementReport:
    """``alphas``: over all assessors, and of the ``pair``."""
    overall = {
        "alpha-ordinal": Estimate(alphas[0], documents, 0.7, 0.9),
        "percent": Estimate(0.9, documents, prevalence=prevalence),
    }
    return AgreementReport(
        overall, {}, 1, binary=False, scale=(0, 1), documents=documents, assessors=(),
        pairs={pair: panel(alphas[1], 99).overall}, confusion={},
        by_topic={str(at): each for at, each in enumerate(topics, 1)},
        topic_means=CoefficientPanel({}, {}), draws=DRAWS, effect=effect, seconds_each=30.0,
    )  # fmt: skip


AGREEMENT = [
    (agreed(), GOOD, "0.92"),
    (agreed([*LOW[:1], *HIGH[1:]]), GOOD, "1 topic to look at again"),
    (agreed([*LOW[:2], *HIGH[2:]]), AMBER, "2 of 8 topics"),
    # Two shared documents say nothing about a topic.
    (agreed([*[panel(0.4, 2)] * 6, *HIGH[6:]]), GOOD, ""),
    (agreed(alphas=(0.8, 0.3)), GOOD, "0.92"),
    (agreed(alphas=(0.5, 0.8)), AMBER, "0.50"),
    (agreed(effect=RankingEffect(Estimate(0.96, 100, 0.85), {"ada": 0.97})), AMBER, "0.85"),
    (agreed(effect=RankingEffect(Estimate(0.89, 100, 0.8), {"ada": 0.97})), BAD, "0.89"),
    (agreed(effect=RankingEffect(OPINIONS, {"edsger": 0.7})), BAD, "0.70"),
    (agreed(HIGH[:4]), UNKNOWN, "4 topics"),
    (agreed(documents=31), UNKNOWN, "31 documents"),
    (agreed(prevalence=0.01), UNKNOWN, "1.0\u00a0%"),
    (agreed(alphas=(None, 0.8)), UNKNOWN, "same grade"),
    (agreed(effect=RankingEffect(reason="no run")), UNKNOWN, "no run"),
    (agreed((), documents=0), UNKNOWN, "0 documents"),
]

HALF = StoppingReport(
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
    (StoppingReport("–", 10, 0, 150, 0, 0, reason=NO_POOL), UNKNOWN, "no pool"),
]


def move(run: str, place: int, without: int, passed: int = 0) -> LeftOutMove:
    return LeftOutMove(run, run, place, without, passed)


STAYED = tuple(move(f"r{n}", n, n) for n in range(1, 9))
FAIR = CollectionReport("nDCG@10", 10, 8, 6, STAYED, (0.95, 1.0), left_out=(0.7, 0.9))
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

LED = LeaderboardReport(
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
    (LeaderboardReport("–", 10, 0, (), (), ()), UNKNOWN, "0 runs"),
]
CASES = [
    (judge, *case)
    for judge, cases in (
        (judge_agreement, AGREEMENT),
        (judge_stopping, STOPPING),
        (judge_collection, COLLECTION),
        (judge_leaderboard, LEADERBOARD),
    )
    for case in cases
]


@pytest.mark.parametrize(("judge", "report", "state", "words"), CASES)
def test_each_state_has_its_sentence(judge, report, state, words):
    verdict = judge(report)
    assert verdict.state is state
    assert words in verdict.sentence
    assert len(verdict.sentence.split()) <= MOST_WORDS
    assert verdict.sentence.endswith(".")
    assert verdict.reason
    assert verdict.name == judge.__name__.removeprefix("judge_")
    assert 0 < len(verdict.figures) <= 4 or state is UNKNOWN
    assert len(verdict.acts) <= 3
    assert verdict.acts or state is not UNKNOWN
    for figure in verdict.figures:
        if figure.text == "–":
            assert figure.value is None


@pytest.mark.parametrize(
    ("judge", "report", "state", "words"),
    [case for case in CASES if case[0] is not judge_agreement],
)
def test_long_names_leave_the_sentence_short(judge, report, state, words):
    """Three words are those of the longest title of a measure."""
    del words
    verdict = judge(replace(report, measure="interpolated precision at"))
    assert (verdict.state, len(verdict.sentence.split()) <= MOST_WORDS) == (state, True)


def test_documents_in_another_order_say_what_to_do():
    ordered = replace(HALF, reason=NO_ORDER)
    verdict = judge_stopping(ordered)
    assert "plan in random order" in verdict.reason
    rest, shares, order = verdict.acts
    assert (rest.page, rest.documents, rest.minutes) == ("judging", 50, ordered.minutes)
    assert (shares.page, order.page) == ("interim-scores", "plan-new")
    (build,) = judge_stopping(StoppingReport("–", 10, 0, 9, 0, 0, reason=NO_POOL)).acts
    assert build.page == "pools"


def test_the_level_of_the_leaderboard_is_the_preregistered_one():
    verdict = judge_leaderboard(replace(LED, level=0.001))
    assert (verdict.state, verdict.thresholds[0].value) == (AMBER, 0.001)


def test_acts_lead_to_a_filtered_page_with_their_cost():
    figures = agreed([*LOW[:2], *HIGH[2:]], effect=RankingEffect(OPINIONS, disputes=14))
    topic, settle = judge_agreement(figures).acts
    assert (topic.page, topic.query, topic.documents) == ("agreement", {"topic": "1"}, 20)
    assert (settle.page, settle.documents, settle.minutes) == ("adjudication", 14, 7.0)
    low = agreed(pair=("ada", "edsger"), alphas=(0.8, 0.3))
    (pair,) = judge_agreement(low).acts
    assert pair.query == {"a": "ada", "b": "edsger"}


def test_a_verdict_that_cannot_be_determined_says_what_brings_it():
    (act,) = judge_agreement(agreed((), documents=0)).acts
    assert act.label == "Give 20 documents of 5 topics to a second assessor"
    assert (act.page, act.documents, act.minutes) == ("plan-new", 100, 50.0)


def test_every_threshold_has_a_source_and_its_own_name():
    verdicts = (
        judge_agreement(agreed()),
        judge_stopping(HALF),
        judge_collection(FAIR),
        judge_leaderboard(LED),
    )
    thresholds = [each for verdict in verdicts for each in verdict.thresholds]
    assert len(thresholds) == 21
    assert len({each.name for each in thresholds}) == len(thresholds)
    assert all(each.source and each.value >= 0 for each in thresholds)
