"""Who can be first, against all completions of small campaigns, for all runs at once."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.lead_bounds import FALLING, compute_lead_bounds, has_lead_bounds
from poolbench.evaluation.leader_verdict import LeaderboardReport, judge_leaderboard
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.run_matrix import RunMatrix
from poolbench.runs.tables import group_starts
from poolbench.verdicts import VerdictState
from tests.examples import examples, take
from tests.poolbench.evaluation.everything import everything, with_modifiers

UNJUDGED, TOP = -1, 2
OF_MOST = tuple(
    measure
    for name in ("ndcg_cut_3", "map", "P_3", "recip_rank")
    for measure in parse_measure(name)
)
LISTED = [FAMILIES[name] for name in sorted(FALLING)]
OTHERS = [m for m in (*everything(LISTED), *with_modifiers(LISTED)) if has_lead_bounds(m)]
BOUND = tuple(dict.fromkeys((*OF_MOST, *take(OTHERS, 30))))
DOCUMENTS = 5
UNASKED = [UNJUDGED, *[None] * (DOCUMENTS - 1)]
"""A query without a judgment."""
GRADED = st.just(UNASKED) | st.lists(
    st.sampled_from([None, None, UNJUDGED, 0, 1, 2]), min_size=DOCUMENTS, max_size=DOCUMENTS
).filter(lambda grades: sum(grade in (None, UNJUDGED) for grade in grades) <= 3)
RANKED = st.permutations(range(DOCUMENTS)).flatmap(
    lambda order: st.integers(0, DOCUMENTS).map(lambda size: order[:size])
)
CAMPAIGN = st.lists(
    st.tuples(GRADED, st.lists(RANKED, min_size=3, max_size=3)), min_size=1, max_size=2
)


def list_judgments(by_topic):
    """Judgments, and the row of each document in them; a grade None is not listed."""
    flat = [grade for grades in by_topic for grade in grades]
    listed = [grade is not None for grade in flat]
    starts = group_starts([sum(grade is not None for grade in grades) for grades in by_topic])
    grades = np.array([grade for grade in flat if grade is not None], np.int32)
    topics = [f"{at:04}" for at in range(len(by_topic))]
    places = np.where(listed, np.cumsum(listed) - 1, -1).astype(np.int32)
    return JudgmentTable.from_arrays(topics, starts, grades), PairPlaces.from_array(places)


def list_run(rankings, documents=DOCUMENTS):
    """Codes count the documents of all topics in order."""
    topics = tuple(f"{at:04}" for at in range(len(rankings)))
    codes = [at * documents + document for at, docs in enumerate(rankings) for document in docs]
    starts = group_starts([len(docs) for docs in rankings])
    return RunMatrix(topics, starts, np.array(codes, np.int32), np.zeros(len(codes)))


def complete(grades, runs, cut):
    """Each way to judge what is unjudged among the first ``cut`` of any of the runs."""
    reached = {document for docs in runs for document in docs[:cut]}
    open_ones = [at for at in sorted(reached) if grades[at] is None or grades[at] < 0]
    for given_grades in product(range(TOP + 1), repeat=len(open_ones)):
        filled = list(grades)
        for at, grade in zip(open_ones, given_grades, strict=True):
            filled[at] = grade
        yield filled


@examples(30)
@given(st.sampled_from([1, 3]), st.sampled_from([1, TOP]), CAMPAIGN)
def test_no_completion_makes_another_run_first_than_the_bounds_say(cut, level, campaign):
    options = ScoringOptions(level, gains={1: 1.0, TOP: 3.0})
    judged, places = list_judgments([grades for grades, _ in campaign])
    runs = [list_run([rankings[at] for _, rankings in campaign]) for at in range(3)]
    # By topic, run and completion: each is a topic of its own.
    filled = [list(complete(grades, rankings, cut)) for grades, rankings in campaign]
    for measure in BOUND:
        found = compute_lead_bounds(runs, judged, places, options, measure, cut)
        most, least = np.zeros(3), 0.0
        for (_, rankings), ways in zip(campaign, filled, strict=True):
            table, rows = list_judgments(ways)
            values = [
                measure(build_run_batch(list_run([docs] * len(ways)), table, rows, options))
                for docs in rankings
            ]
            most += [np.max(value - values[0]) for value in values]
            least += np.min(values[0])
        if not found.unjudged:
            assert found.low is None
            continue
        size = len(campaign)
        assert found.low <= least / size + 1e-12, measure.name
        for run in (1, 2):
            assert found.high[run] - found.low >= most[run] / size - 1e-12, measure.name


TOPICS = 25


def judge(name, grades, rankings, changed=None):
    """Of 25 topics; in the first ``changed[0]`` the rankings are ``changed[1]``."""
    many, others = changed or (0, rankings)
    judged, places = list_judgments([grades] * TOPICS)
    drawn = [others if at < many else rankings for at in range(TOPICS)]
    runs = [list_run([of[run] for of in drawn], len(grades)) for run in range(len(rankings))]
    measures = [parse_measure(each)[0] for each in (name, "judged_10")]
    batches = [build_run_batch(run, judged, places, ScoringOptions()) for run in runs]
    scores, shares = [[float(np.mean(each(batch))) for batch in batches] for each in measures]
    bounds = compute_lead_bounds(runs, judged, places, ScoringOptions(), measures[0], 10)
    report = LeaderboardReport(
        name, 10, TOPICS, ("bm25", "new", "weak", "weaker"), scores, shares, "t", 0.0001,
        depth=10, unjudged=bounds.unjudged, low=bounds.low, high=bounds.high,
    )  # fmt: skip
    return judge_leaderboard(report), report


def test_by_reciprocal_rank_one_unjudged_document_can_be_enough():
    """Judged@10 of ``new`` is .9, so by 1 − judged@10 it could reach .6 only."""
    grades = [1, 1, *[0] * 10, None]
    bm25, late = [0, *range(2, 11)], [2, 0, *range(3, 11)]
    new = [12, 1, *range(2, 10)]
    weak = [list(range(2, 12)), list(range(2, 12))]
    verdict, report = judge("recip_rank", grades, [bm25, new, *weak], (5, [late, new, *weak]))
    assert report.scores[:2] == pytest.approx([0.9, 0.5])
    assert report.judged[1] == pytest.approx(0.9)
    assert (report.low, report.high[1]) == pytest.approx((0.9, 1.0))
    assert verdict.state is VerdictState.AMBER
    assert "1 other run could be" in verdict.sentence


def test_by_ndcg_unjudged_documents_raise_more_than_their_share():
    """Four of ten documents unjudged: by 1 − judged@10 ``new`` could reach .82 at most."""
    grades = [1, 1, 1, 1, *[0] * 10, None, None, None, None]
    bm25 = [0, 1, 2, 4, 5, 6, 3, *range(7, 10)]
    new = [*range(14, 18), 0, 1, 2, 4, 5, 6]
    weak = [list(range(4, 14)), list(range(4, 14))]
    verdict, report = judge("ndcg_cut_10", grades, [bm25, new, *weak])
    assert report.scores[:2] == pytest.approx([0.962, 0.420], abs=0.001)
    assert report.high[1] == pytest.approx(0.920, abs=0.001)
    assert report.low == pytest.approx(0.623, abs=0.001)
    assert verdict.state is VerdictState.AMBER
    judged, _ = judge("ndcg_cut_10", [grade or 0 for grade in grades], [bm25, new, *weak])
    assert judged.state is VerdictState.GOOD
    assert judged.sentence.endswith("and the first 10 documents of each run are judged.")


def test_measures_without_bounds_say_so():
    grades = [1, *[0] * 10, None]
    first, last = list(range(10)), [*range(1, 10), 0]
    verdict, report = judge("bpref", grades, [first, last, last, [*range(1, 10), 11]])
    assert (report.unjudged, report.low) == (TOPICS, None)
    assert verdict.state is VerdictState.UNKNOWN
    assert "no bound is known" in verdict.sentence
