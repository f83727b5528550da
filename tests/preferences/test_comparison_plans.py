"""What plans contain: pairs, rankings, lists; sides; preview, pause, close, reopen."""

from collections import Counter
from itertools import combinations, product

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, ConfirmationNeeded
from campaigns.models import Event
from pooling.models import PoolItem
from preferences.models import ComparisonPlan, ComparisonSlot
from preferences.services.comparison_plans import (
    ComparisonOptions,
    close_comparisons,
    pause_comparisons,
    preview_comparisons,
    reopen_skipped_comparisons,
)
from preferences.services.comparisons import skip_comparison
from tests.pages import read_words
from tests.preferences.conftest import answer, view
from tests.refusals import refusal


def contents(plan: ComparisonPlan) -> list[tuple[str, str, str]]:
    rows = plan.comparisons.order_by("position")
    return list(rows.values_list("topic__number", "docno_a", "docno_b"))


def test_all_pairs_of_a_pool_come_topic_by_topic_in_an_order_of_the_seed(make_plan, pool):
    plan, again, other = (make_plan(pool=pool, seed=seed) for seed in (1, 1, 2))
    assert [topic for topic, *_ in contents(plan)] == ["1"] * 6 + ["2"] + ["3"] * 3
    assert contents(plan) == contents(again) != contents(other)
    assert sorted(contents(plan)) == sorted(contents(other))
    assert ("2", "d5", "d6") in contents(plan)


def test_each_document_is_compared_as_often_as_the_plan_says(make_plan, pool):
    plan = make_plan(pool=pool, per_document=2)
    counts = Counter(docno for topic, *pair in contents(plan) for docno in pair if topic == "1")
    assert counts == {"d1": 2, "d2": 2, "d3": 2, "d4": 2}


def test_with_two_judges_each_document_stands_once_on_either_side(pairs_plan):
    for comparison in pairs_plan.comparisons.all():
        assert sorted(comparison.slots.values_list("swapped", flat=True)) == [False, True]
    first = ComparisonSlot.objects.filter(comparison__plan=pairs_plan, k=0)
    assert 0 < first.filter(swapped=True).count() < 10


def test_rankings_hold_the_top_of_both_runs_where_both_have_some(ranking_plan):
    rows = ranking_plan.comparisons.order_by("position")
    assert list(rows.values_list("topic__number", "content")) == [
        ("1", {"a": ["d3", "d1", "d9", "d2"], "b": ["d1", "d2"]}),
        ("2", {"a": ["d1"], "b": ["d5", "d1"]}),
    ]


def test_a_depth_cuts_both_rankings(make_plan, alpha, beta):
    plan = make_plan(kind="rankings", run_a=alpha, run_b=beta, depth=1)
    assert plan.comparisons.first().content == {"a": ["d3"], "b": ["d1"]}


def test_an_interleaved_list_keeps_who_brought_what(list_plan):
    content = list_plan.comparisons.first().content
    owners = dict(zip(content["documents"], content["by"], strict=True))
    assert owners["d3"] == "A"
    assert set(owners) <= {"d1", "d2", "d3", "d9"}
    assert content["first"] == content["by"][0]
    assert not ComparisonSlot.objects.filter(comparison__plan=list_plan, swapped=True).exists()


def test_a_preview_counts_and_saves_nothing(organizer, campaign, pool):
    options = ComparisonOptions("documents", "P", pool=pool, judges=3)
    preview = preview_comparisons(actor=organizer, campaign=campaign, options=options)
    assert (preview.comparisons, preview.judgments, preview.topics) == (10, 30, 3)
    assert preview.documents == 9
    # 30 assumed seconds each, as nothing is measured.
    assert (preview.seconds, preview.measured, preview.hours) == (30.0, 0, 0.25)
    assert not ComparisonPlan.objects.exists()


def test_a_plan_has_only_the_topics_ranks_and_grades_it_names(make_plan, pool, qrels):
    """Level by level against all pairs of what is left, counted one by one."""
    for at, item in enumerate(pool.items.order_by("docno")):
        PoolItem.objects.filter(pk=item.pk).update(min_rank=at % 3 + 1)
    grades = {("1", "d1"): 2, ("1", "d2"): 1, ("1", "d3"): 0, ("1", "d4"): 0, ("2", "d5"): 0}
    items = list(pool.items.values_list("topic__number", "docno", "min_rank"))
    for topics, top, grade in product(((), ("1", "3")), (None, 1, 2), (None, 0, 1)):
        left = [
            (topic, docno)
            for topic, docno, rank in items
            if (not topics or topic in topics)
            and (top is None or rank <= top)
            and (grade is None or grades.get((topic, docno), -1) >= grade)
        ]
        wanted = [(t, a, b) for (t, a), (u, b) in combinations(sorted(left), 2) if t == u]
        options = {"topics": topics, "top": top, "grade": grade, "qrels": qrels, "pool": pool}
        if not wanted:
            assert refusal(make_plan, **options) == "nothing-to-compare"
            continue
        plan = make_plan(**options)
        assert sorted(contents(plan)) == wanted
        given = {"topics": [*topics], "top": top, "grade": grade}
        given["qrels"] = None if grade is None else 1
        assert plan.narrowed == {k: v for k, v in given.items() if v not in (None, [])}


def test_rankings_are_compared_on_the_topics_named(make_plan, alpha, beta):
    plan = make_plan(kind="rankings", run_a=alpha, run_b=beta, topics=["2"], grade=1)
    assert list(plan.comparisons.values_list("topic__number", flat=True)) == ["2"]
    assert plan.narrowed == {"topics": ["2"]}


def test_the_preview_tells_hours_and_cost_by_what_was_measured(
    page, campaign, make_plan, pool, qrels, assessor, claim
):
    plan = make_plan(pool=pool)
    for seconds in (5, 7, 8, 9, 10, 10, 12, 50, 60, 90):
        answer(assessor, claim(assessor, plan), active_seconds=seconds)
    address = reverse("comparison-plan-new", args=["small"])
    asked = {"kind": "documents", "pool": pool.pk, "depth": 10, "method": "balanced", "judges": 18}
    asked |= {"seed": 1, "hourly": "12.50", "topics": "1, 3", "preview": "1"}
    words = read_words(page.post(address, asked))
    # 6 + 3 pairs by 18 judges at a median of 10 seconds: 162 · 10 / 3600 hours.
    assert "9 comparisons, 162 judgments" in words
    assert "7 documents of 9 of the pool" in words
    assert "at 10 seconds a comparison, the median of 10 in this campaign" in words
    assert "5.63 at 12.50 for an hour" in words
    narrower = read_words(page.post(address, asked | {"grade": "1", "qrels": qrels.pk}))
    assert "1 comparison, 18 judgments" in narrower
    assert "Unknown topics: 9." in read_words(page.post(address, asked | {"topics": "9"}))
    del asked["preview"]
    page.post(address, asked | {"grade": "1", "qrels": qrels.pk, "top": "98765432"})
    plan = read_words(page.get(ComparisonPlan.objects.first().get_absolute_url()))
    assert (
        "Documents of pool 1, ranked 98765432 or better, from grade 1 in qrels 1. Topics 1, 3"
        in plan
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [({"pool": None}, "pool-missing"), ({"per_document": 1}, "too-few-comparisons"),
     ({"grade": 1}, "no-qrels"), ({"topics": ["9"]}, "nothing-to-compare"),
     ({"judges": 0}, "judges"), ({"kind": "rankings"}, "runs-missing")],
)  # fmt: skip
def test_what_no_plan_can_be_is_refused(make_plan, pool, options, code):
    assert refusal(make_plan, **{"pool": pool, **options}) == code


def test_a_run_is_not_compared_with_itself(make_plan, alpha):
    assert refusal(make_plan, kind="rankings", run_a=alpha, run_b=alpha) == "same-run"


def test_too_many_comparisons_are_refused_with_their_number(make_plan, pool, monkeypatch):
    monkeypatch.setattr("preferences.services.comparison_plans.MOST_COMPARISONS", 9)
    with pytest.raises(ActionRefused, match="10 comparisons exceed the limit of 9"):
        make_plan(pool=pool)


def test_a_paused_plan_hands_out_nothing_until_it_goes_on(pairs_plan, organizer, assessor, claim):
    pause_comparisons(actor=organizer, plan=pairs_plan)
    assert claim(assessor) is None
    pause_comparisons(actor=organizer, plan=pairs_plan, paused=False)
    assert claim(assessor).comparison.plan == pairs_plan


def test_closing_asks_once_and_lets_what_is_out_come_back(
    pairs_plan, organizer, campaign, assessor, assessor2, claim
):
    slot = claim(assessor)
    with pytest.raises(ConfirmationNeeded):
        close_comparisons(actor=organizer, plan=pairs_plan, decision=Decision())
    confirmed = Decision(frozenset({"comparisons-open"}))
    close_comparisons(actor=organizer, plan=pairs_plan, decision=confirmed)
    assert answer(assessor, slot).slot == slot
    assert claim(assessor2) is None
    codes = Event.objects.filter(campaign=campaign).values_list("code", flat=True)
    assert {"comparisons.created", "comparisons.closed"} <= set(codes)
    assert refusal(pause_comparisons, actor=organizer, plan=pairs_plan) == "plan-closed"


def test_skipped_comparisons_go_to_others_when_offered_again(
    make_plan, pool, organizer, assessor, assessor2, claim
):
    plan = make_plan(pool=pool)
    slot = claim(assessor)
    skip_comparison(actor=assessor, display=view(slot), reason="undecided", client_uuid=slot.token)
    assert claim(assessor2).comparison != slot.comparison
    assert reopen_skipped_comparisons(actor=organizer, plan=plan) == 1
    assert reopen_skipped_comparisons(actor=organizer, plan=plan) == 0
    assert claim(assessor).comparison != slot.comparison
    seen = [claim(assessor2)]
    while seen[-1] is not None:
        answer(assessor2, seen[-1])
        seen.append(claim(assessor2))
    assert slot.comparison in [row.comparison for row in seen if row]


def test_only_organizers_plan(make_plan, pairs_plan, campaign, pool, assessor):
    options = ComparisonOptions("documents", "P", pool=pool)
    for act in (
        lambda: preview_comparisons(actor=assessor, campaign=campaign, options=options),
        lambda: pause_comparisons(actor=assessor, plan=pairs_plan),
        lambda: close_comparisons(actor=assessor, plan=pairs_plan),
        lambda: reopen_skipped_comparisons(actor=assessor, plan=pairs_plan),
    ):
        with pytest.raises(PermissionDenied):
            act()
