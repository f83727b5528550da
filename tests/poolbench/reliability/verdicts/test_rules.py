"""The rules of the verdicts: each state by a table, words, thresholds, acts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from poolbench.evaluation.leader_verdict import LeaderboardReport, judge_leaderboard
from poolbench.judging.agreement.coefficient import DRAWS
from poolbench.judging.agreement.report import AgreementReport, CoefficientPanel, RankingEffect
from poolbench.reliability.collection.left_out_groups import LeftOutGroups
from poolbench.reliability.verdicts.agreement import judge_agreement
from poolbench.reliability.verdicts.reusability import CollectionReport, judge_collection
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
    (agreed(), GOOD, "other assessors like these, the order of the runs stays almost the same"),
    (agreed([*LOW[:1], *HIGH[1:]]), GOOD, "1 topic to look at again"),
    (agreed([*LOW[:2], *HIGH[2:]]), AMBER, "By other assessors like these, the order of"),
    # Two shared documents say nothing about a topic.
    (agreed([*[panel(0.4, 2)] * 6, *HIGH[6:]]), GOOD, ""),
    (
        agreed(alphas=(0.8, 0.3)),
        GOOD,
        "the order of the runs stays almost the same: tau at least 0.9.",
    ),
    (agreed(alphas=(0.5, 0.8)), AMBER, "0.9; but single grades are not safe: alpha is 0.50"),
    (
        agreed(effect=RankingEffect(Estimate(0.96, 100, 0.85), {"ada": 0.97})),
        AMBER,
        "By other assessors like these, the order of the runs probably",
    ),
    # Between .85 and .9 the order often is the same after all.
    (agreed(effect=RankingEffect(Estimate(0.89, 100, 0.8), {"ada": 0.97})), AMBER, "below 0.9."),
    (agreed(effect=RankingEffect(Estimate(0.84, 100, 0.8), {"ada": 0.97})), BAD, "below 0.85."),
    (
        agreed(effect=RankingEffect(OPINIONS, {"edsger": 0.7})),
        BAD,
        "Other assessors like these would",
    ),
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
    # Other seeds have other digits: sentence and figure give the limit.
    (replace(HALF, tau_low=0.98), GOOD, "tau 0.97 or more in 99\u00a0% of likely"),
    (replace(HALF, tau_low=0.94), AMBER, "tau below 0.97 in over 1\u00a0% of likely outcomes"),
    (replace(HALF, tau_low=0.9696), AMBER, "tau below 0.97 in over 1\u00a0% of"),
    (replace(HALF, tau=0.96, tau_low=0.9), AMBER, "tau below 0.97 in over 1\u00a0% of"),
    (replace(HALF, pooled_judged=(0.8996, 0.99)), AMBER, "89.96\u00a0% of the first 10"),
    (replace(HALF, pooled_judged=(np.nextafter(0.9, 0),)), GOOD, "these 11 runs"),
    (replace(HALF, pooled_judged=(0.8,), depth=8), AMBER, "depth 8 cannot cover the first 10"),
    (replace(HALF, unjudged=0, pooled_judged=(0.5,), depth=8), AMBER, "depth 8 cannot cover"),
    (replace(HALF, topics_unjudged=2), AMBER, "2 topics have"),
    (replace(HALF, span=0, moved=None), AMBER, "fewer than 200"),
    (replace(HALF, pooled_judged=(0.8, 0.99)), AMBER, "80\u00a0%"),
    # Red only where the order is more likely to change than not.
    (replace(HALF, pooled_judged=(0.8,), tau_low=0.5), AMBER, "Go on"),
    (replace(HALF, pooled_judged=(0.8,), tau=0.9, tau_low=0.5), AMBER, "over 1\u00a0%"),
    (replace(HALF, pooled_judged=(0.8,), tau=0.89, tau_low=0.5), BAD, "tau below 0.9 in over half"),
    (replace(HALF, tau=0.89, tau_low=0.5), AMBER, "over half"),
    (replace(HALF, unjudged=0, tau_low=None, tau=None), UNKNOWN, "two runs"),
    (replace(HALF, unjudged=0, tau_low=1.0, tau=1.0), GOOD, "every document"),
    (
        replace(HALF, unjudged=0, tau_low=1.0, pooled_judged=(0.5,)),
        AMBER,
        "50\u00a0% of the first 10",
    ),
    (replace(HALF, judgments=99), UNKNOWN, "99 judgments"),
    (replace(HALF, reason=NO_ORDER), UNKNOWN, "random order"),
    (replace(HALF, tau=None, tau_low=None), UNKNOWN, "two runs"),
    (StoppingReport("–", 10, 0, 150, 0, 0, reason=NO_POOL), UNKNOWN, "no pool"),
]


TEAMS = LeftOutGroups((0, 0, 1, 0, 0, 0), (0.9, 0.95, 1.0, 1.0, 1.0, 1.0), "r3", 0, 20, 1)
KINDS = LeftOutGroups((0, 0, 1), (0.7, 0.9, 0.8), "r3", 0, 20, 1)
FAIR = CollectionReport(
    "nDCG@10", 10, 50, 8, TEAMS, KINDS, (("r1", "r2", "r3", "r4"), ("r5", "r6"), ("r7",)),
    {f"r{n}": 0.95 for n in range(1, 8)}, {"r8": 0.8}, 1000,
)  # fmt: skip
NEAR = "New runs of the 3 kinds that contributed are scored fairly by nDCG@10"


def left(groups: LeftOutGroups, **changed: object) -> dict[str, LeftOutGroups]:
    """``groups`` with some fields changed, by the field of the report that holds them."""
    return {"by_kind" if groups is KINDS else "by_team": replace(groups, **changed)}


COLLECTION = [
    (FAIR, GOOD, f"{NEAR}: left out in turn, none of 6 teams moves."),
    # One team in ten may move.
    (replace(FAIR, **left(TEAMS, places=(2, *[0] * 9))), GOOD, "1 of 10 teams moves"),
    (
        replace(FAIR, **left(TEAMS, places=(2, *[0] * 8))),
        AMBER,
        "1 of 9 teams moves by more than 1",
    ),
    (replace(FAIR, **left(TEAMS, places=(2, 2, 2, 0, 0, 0))), AMBER, "3 of 6 teams move"),
    # One new team says little of the others: no share of them makes it red.
    (replace(FAIR, **left(TEAMS, places=[2] * 6)), AMBER, "6 of 6 teams move"),
    # Without a cut-off: never good, since what lies below the pool is unknown.
    (
        replace(FAIR, of_half=replace(TEAMS, places=(2, *[0] * 9))),
        UNKNOWN,
        "cannot be determined: it reads below the pool; left out of half of it, 1 of 10",
    ),
    (replace(FAIR, of_half=TEAMS, kinds=FAIR.kinds[:1]), UNKNOWN, "none of 6 teams moves."),
    (
        replace(FAIR, of_half=replace(TEAMS, places=(2, *[0] * 8))),
        AMBER,
        "care: left out of a pool half as deep, 1 of 9 teams moves by more than 1",
    ),
    (
        replace(FAIR, of_half=replace(TEAMS, crossed=2, different=100)),
        AMBER,
        "left out of a pool half as deep, teams pass 2 of 100",
    ),
    # Many runs: a move of 3 of 71 places is none.
    (replace(FAIR, runs=71, **left(TEAMS, places=[3] * 41, allowed=3)), GOOD, "none of 41 teams"),
    (replace(FAIR, **left(TEAMS, crossed=1, different=100)), GOOD, "none"),
    (replace(FAIR, **left(TEAMS, crossed=2, different=100)), AMBER, "pass 2 of 100 significantly"),
    (replace(FAIR, judged={"r1": 0.8999, "r2": 1.0}), AMBER, "judged@10 of 0.8999 or less"),
    (replace(FAIR, judged={"r1": None, "r2": 1.0}), AMBER, "judged@10 of 0.00"),
    # One run in ten may have fewer judged documents.
    (replace(FAIR, judged=dict.fromkeys("abcdefghijk", 1.0) | {"a": 0.1}), GOOD, ""),
    (replace(FAIR, **left(TEAMS, judged=(0.849, 0.95, 1.0))), AMBER, "left out, some teams"),
    (replace(FAIR, **left(TEAMS, places=[0] * 4)), AMBER, "only 4 teams"),
    (replace(FAIR, topics=9), AMBER, "only 9 topics"),
    (replace(FAIR, kinds=FAIR.kinds[:2]), AMBER, "all 7 runs are of 2 kinds"),
    (replace(FAIR, kinds=FAIR.kinds[:1]), AMBER, "of the kind that contributed are scored fairly"),
    (replace(FAIR, **left(KINDS, places=(0, 2, 0))), AMBER, f"{NEAR}; treat others with care"),
    (replace(FAIR, **left(KINDS, crossed=2, different=20)), AMBER, "kinds pass 2 of 20"),
    (replace(FAIR, **left(KINDS, judged=(0.69, 1.0))), AMBER, "some kinds have judged@10 of 0.69"),
    (replace(FAIR, **left(TEAMS, places=[0] * 2)), UNKNOWN, "2 of at least 3"),
    (replace(FAIR, unjudged=880), UNKNOWN, "12\u00a0% of the pool is judged"),
    (replace(FAIR, pooled=10_000, unjudged=5001), UNKNOWN, "49.99\u00a0%"),
    (replace(FAIR, unjudged=500), GOOD, ""),
    (replace(FAIR, judged={}), UNKNOWN, "no run contributed"),
    (replace(FAIR, reason="no run has a score"), UNKNOWN, "no run has a score"),
    (replace(FAIR, reason="why " * 30), UNKNOWN, "cannot be determined."),
]

LED = LeaderboardReport(
    "nDCG@10", 10, 30, ("a", "b", "c", "d"), (0.6, 0.5, 0.4, 0.1), (1.0, 0.95, 0.9, 0.9), "t", 0.01,
    score_set=1, unjudged=7, low=0.58, high=(0.61, 0.57, 0.5, 0.3),
)  # fmt: skip
LEADERBOARD = [
    (
        LED,
        GOOD,
        "leads by nDCG@10 on 30 topics, significantly better than b (adjusted p 0.010), and stays",
    ),
    (replace(LED, unjudged=0, low=None, high=()), GOOD, "first 10 documents of each run are"),
    # A run that cannot be first may have unjudged documents, and one that can may have few.
    (replace(LED, judged=(1.0, 0.95, 0.9, 0.8)), GOOD, "b"),
    (replace(LED, high=(0.61, 0.58, 0.5, 0.3)), AMBER, "but 1 other run could be"),
    (replace(LED, high=(0.61, 0.59, None, 0.3)), AMBER, "but 2 other runs could be"),
    (replace(LED, low=None, high=()), UNKNOWN, "no bound is known"),
    (replace(LED, unjudged=None, low=None, high=()), UNKNOWN, "no bound is known"),
    (replace(LED, p_value=0.06), AMBER, "0.060"),
    (replace(LED, topics=9), AMBER, "9 topics"),
    (replace(LED, judged=(1.0, 0.8, 0.7, 0.9)), AMBER, "not safe: 2 of 4 runs have less than 90"),
    (replace(LED, judged=(1.0, 0.49, 0.5, 0.9)), AMBER, "2 of 4 runs"),
    (replace(LED, judged=(1.0, 0.49, 0.4, 0.9)), BAD, "not safe: 2 of 4 runs"),
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


@pytest.mark.parametrize(("report", "state", "words"), AGREEMENT)
def test_agreement_of_staff_alone_is_called_so(report, state, words):
    del words
    verdict = judge_agreement(replace(report, who="staff"))
    assert verdict.state is state
    assert "staff assessors" in verdict.sentence
    assert len(verdict.sentence.split()) <= MOST_WORDS


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


def test_two_seeds_print_the_same_tau():
    """The digits of the draws differ in one case of nine; they are on one side of each limit."""
    for low, median, text, note in (
        (0.97, 1.0, "0.97 or more", "in 99\u00a0% of likely outcomes, of 1,000 drawn"),
        (0.93, 0.96, "below 0.97", "in over 1\u00a0% of likely outcomes, of 1,000 drawn"),
        (0.6, 0.8, "below 0.9", "in over half of likely outcomes, of 1,000 drawn"),
    ):
        for other in (0.0, 0.008):
            drawn = replace(HALF, tau=median + other, tau_low=low + other, draws=1000)
            figure = judge_stopping(drawn).figures[1]
            assert (figure.text, figure.note) == (text, note)
            assert (figure.low, figure.high) == (None, None)
    for low, median, text in ((0.9, 0.95, "0.9 or more"), (0.8, 0.9, "below 0.9")):
        for other in (0.0, 0.008):
            drawn = RankingEffect(Estimate(median + other, 500, low + other), {"ada": 0.97})
            figure = judge_agreement(agreed(effect=drawn)).figures[2]
            assert (figure.text, "20 second opinions, of 500 drawn" in figure.note) == (text, True)


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


def test_a_pool_that_is_hardly_judged_says_what_to_do():
    (rest,) = judge_collection(replace(FAIR, unjudged=880)).acts
    assert (rest.page, rest.documents) == ("judging", 880)


def test_a_measure_that_reads_below_the_pool_says_what_to_do():
    cut, deeper = judge_collection(replace(FAIR, of_half=TEAMS)).acts
    assert (cut.page, deeper.page) == ("campaign-settings", "simulation")
    (rest,) = judge_collection(replace(FAIR, of_half=TEAMS, unjudged=880)).acts
    assert rest.page == "judging"


def test_a_new_run_is_like_teams_that_were_left_out():
    """One team in ten aside: of eleven the second lowest."""
    report = replace(FAIR, **left(TEAMS, judged=(0.5, 0.9, *[1.0] * 9)))
    assert [report.is_like_contributors(share) for share in (0.89, 0.9)] == [False, True]


def test_every_threshold_has_a_source_and_its_own_name():
    verdicts = (
        judge_agreement(agreed()),
        judge_stopping(HALF),
        judge_collection(FAIR),
        judge_leaderboard(LED),
    )
    thresholds = [each for verdict in verdicts for each in verdict.thresholds]
    assert len(thresholds) == 31
    assert len({each.name for each in thresholds}) == len(thresholds)
    assert all(each.source and each.value >= 0 for each in thresholds)
