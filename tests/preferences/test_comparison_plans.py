"""What plans contain: pairs, rankings, lists; sides; preview, pause, close, reopen."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, ConfirmationNeeded
from campaigns.models import Event
from preferences.models import ComparisonPlan, ComparisonSlot
from preferences.services.comparison_plans import (
    ComparisonOptions,
    close_comparisons,
    pause_comparisons,
    preview_comparisons,
    reopen_skipped_comparisons,
)
from preferences.services.comparisons import skip_comparison
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
    assert not ComparisonPlan.objects.exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [({"pool": None}, "pool-missing"), ({"per_document": 1}, "too-few-comparisons"),
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
