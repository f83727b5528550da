"""Claim, choose, skip and undo: what is leased, what the log holds, what counts."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.errors import ActionRefused
from preferences.models import ComparisonSlot, Preference
from preferences.queries.comparisons import (
    count_comparison_progress,
    count_sides,
    list_choices,
    list_own_plans,
    list_topic_outcomes,
)
from preferences.services.comparisons import (
    DisplayedComparison,
    read_display,
    sign_display,
    skip_comparison,
    undo_preference,
)
from tests.preferences.conftest import answer, invariants_broken, pick, view
from tests.refusals import refusal


def lapse(slot: ComparisonSlot) -> None:
    past = timezone.now() - timedelta(seconds=1)
    ComparisonSlot.objects.filter(pk=slot.pk).update(expires_at=past)


def skip(user, slot, reason="broken", **more) -> Preference:
    given = {"client_uuid": uuid4(), **more}
    return skip_comparison(actor=user, display=view(slot), reason=reason, **given)


def test_an_assessor_gets_the_same_comparison_until_it_is_answered(pairs_plan, assessor, claim):
    slot = claim(assessor)
    assert claim(assessor) == slot
    answer(assessor, slot)
    assert claim(assessor).comparison != slot.comparison


def test_two_assessors_get_two_slots_of_a_comparison_and_a_third_goes_on(
    pairs_plan, assessor, assessor2, assessor3, claim
):
    first, second, third = (claim(user) for user in (assessor, assessor2, assessor3))
    assert first.comparison == second.comparison != third.comparison
    assert (first.k, second.k) == (0, 1)


def test_nobody_gets_a_comparison_twice(pairs_plan, assessor, claim):
    seen = []
    while slot := claim(assessor):
        seen.append(slot.comparison_id)
        answer(assessor, slot)
    assert len(seen) == len(set(seen)) == 10
    assert count_comparison_progress(pairs_plan).judged == 10
    assert count_comparison_progress(pairs_plan).open == 10


@pytest.mark.parametrize(
    ("swapped", "side", "choice"),
    [(False, "left", "a"), (False, "right", "b"), (True, "left", "b"), (True, "right", "a"),
     (False, "tie", "tie"), (True, "tie", "tie")],
)  # fmt: skip
def test_a_side_means_what_stood_there(pairs_plan, assessor, claim, swapped, side, choice):
    slot = claim(assessor)
    slot.swapped = swapped
    made = answer(assessor, slot, side)
    assert (made.choice, made.swapped) == (choice, swapped)


def test_a_double_click_saves_one_answer(pairs_plan, assessor, claim):
    slot, uuid = claim(assessor), uuid4()
    first = answer(assessor, slot, client_uuid=uuid)
    assert answer(assessor, slot, client_uuid=uuid) == first
    assert Preference.objects.count() == 1


def test_a_uuid_of_another_answer_is_refused(pairs_plan, assessor, assessor2, claim):
    uuid = uuid4()
    answer(assessor, claim(assessor), client_uuid=uuid)
    assert refusal(answer, assessor2, claim(assessor2), client_uuid=uuid) == "uuid-used"


def test_a_changed_answer_is_a_revision_and_the_latest_counts(pairs_plan, assessor, claim):
    slot = claim(assessor)
    answer(assessor, slot, "left")
    second = answer(assessor, slot, "right")
    assert second.revision == 2
    assert [row.pk for row in list_choices(pairs_plan)] == [second.pk]


def test_ties_are_refused_where_the_plan_has_none(make_plan, pool, assessor, claim):
    make_plan(pool=pool, ties=False)
    assert refusal(answer, assessor, claim(assessor), "tie") == "no-ties"


def test_an_undone_answer_comes_back_first(pairs_plan, campaign, assessor, claim):
    slot = claim(assessor)
    answer(assessor, slot)
    later = claim(assessor)
    undone = undo_preference(actor=assessor, campaign=campaign, client_uuid=later.token)
    assert (undone.kind, undone.choice) == ("withdrawn", "")
    again = undo_preference(actor=assessor, campaign=campaign, client_uuid=later.token)
    assert again == undone
    assert claim(assessor) == slot
    assert list_choices(pairs_plan) == []
    assert invariants_broken(campaign) == set()
    answer(assessor, claim(assessor))
    assert claim(assessor) == later


def test_undo_goes_back_one_by_one_and_then_stops(pairs_plan, campaign, assessor, claim):
    first = claim(assessor)
    answer(assessor, first)
    second = claim(assessor)
    answer(assessor, second)
    for slot in (second, first):
        assert undo_preference(actor=assessor, campaign=campaign).comparison == slot.comparison
    with pytest.raises(ActionRefused, match="Nothing to undo"):
        undo_preference(actor=assessor, campaign=campaign)


def test_an_answer_after_a_lapse_is_kept_and_fills_what_is_free(
    make_plan, pool, campaign, assessor, assessor2, claim
):
    plan = make_plan(pool=pool)
    slot = claim(assessor)
    lapse(slot)
    assert claim(assessor2) == slot
    late = answer(assessor, slot, "left")
    assert late.slot is None
    filled = answer(assessor2, claim(assessor2), "left")
    assert filled.slot == slot
    assert count_comparison_progress(plan).extra == 1
    assert invariants_broken(campaign) == set()


def test_a_lapsed_comparison_answered_by_its_judge_is_as_if_nothing_happened(
    pairs_plan, campaign, assessor, claim
):
    slot = claim(assessor)
    lapse(slot)
    assert answer(assessor, slot).slot == slot
    assert invariants_broken(campaign) == set()


def test_a_skip_needs_a_reason_that_is_listed_and_words_for_another(pairs_plan, assessor, claim):
    slot = claim(assessor)
    for fields, code in (({"reason": "mood"}, "reason"), ({"reason": "other"}, "no-reason")):
        assert refusal(skip, assessor, slot, **fields) == code
    assert skip(assessor, slot, "other", comment="two languages").reason == "other"
    assert claim(assessor).comparison != slot.comparison
    assert answer(assessor, slot).slot.state == "judged"


def test_after_the_deadline_nothing_is_answered(pairs_plan, campaign, assessor, claim):
    slot = claim(assessor)
    campaign.judging_deadline = timezone.now() - timedelta(minutes=1)
    campaign.save()
    slot.comparison.plan.campaign.refresh_from_db()
    for act in (lambda: claim(assessor), lambda: answer(assessor, slot)):
        assert refusal(act) == "judging-closed"
    assert not Preference.objects.exists()


def test_only_assessors_compare(pairs_plan, campaign, organizer, assessor, viewer, claim):
    slot = claim(assessor)
    for user in (organizer, viewer):
        for act in (lambda u=user: claim(u), lambda u=user: answer(u, slot)):
            with pytest.raises(PermissionDenied):
                act()


def test_what_was_shown_is_signed_for_one_assessor_and_campaign(
    pairs_plan, campaign, assessor, assessor2, claim
):
    slot = claim(assessor)
    text = sign_display(assessor, slot.comparison, swapped=True)
    shown = DisplayedComparison(slot.comparison, swapped=True)
    assert read_display(assessor, campaign, text) == shown
    for user, wrong in ((assessor2, text), (assessor, text[:-1] + "x"), (assessor, "")):
        assert refusal(read_display, user, campaign, wrong) == "not-shown"


def test_picks_credit_the_runs_that_brought_them(list_plan, assessor, claim):
    slot = claim(assessor)
    content = slot.comparison.content
    ranks = [at for at, side in enumerate(content["by"], 1) if side == "A"]
    made = pick(assessor, slot, *ranks, ranks[0])
    assert (made.choice, made.picks) == ("a", [content["documents"][at - 1] for at in ranks])
    assert pick(assessor, slot).choice == "tie"
    with pytest.raises(ActionRefused, match="Unknown rank: 99"):
        pick(assessor, slot, 99)
    assert refusal(answer, assessor, slot) == "picks-needed"


def test_outcomes_and_sides(ranking_plan, assessor, claim):
    for _ in range(2):
        answer(assessor, claim(assessor, ranking_plan), "left")
    outcomes = {row.topic.number: row for row in list_topic_outcomes(ranking_plan)}
    for slot in ComparisonSlot.objects.filter(comparison__plan=ranking_plan):
        row = outcomes[slot.comparison.topic.number]
        assert (row.wins_a, row.wins_b, row.ties) == (int(not slot.swapped), int(slot.swapped), 0)
    sides = count_sides(list_choices(ranking_plan))
    assert (sides.left, sides.right, sides.ties, sides.p_value) == (2, 0, 0, 0.5)


def test_own_plans_say_what_is_done_and_left(pairs_plan, ranking_plan, campaign, assessor, claim):
    answer(assessor, claim(assessor, pairs_plan))
    claim(assessor, pairs_plan)
    rows = {row.plan: (row.done, row.left) for row in list_own_plans(assessor, campaign)}
    assert rows == {ranking_plan: (0, 2), pairs_plan: (1, 9)}
