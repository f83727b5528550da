"""Any sequence of claims, answers, skips, undos and lapses keeps the invariants, and the log says
what was said last."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from campaigns.errors import ActionRefused
from preferences.models import ComparisonSlot, Preference
from preferences.queries.comparisons import count_comparison_progress, list_choices
from preferences.services.comparison_plans import reopen_skipped_comparisons
from preferences.services.comparisons import (
    claim_comparison,
    skip_comparison,
    submit_preference,
    undo_preference,
)
from tests.examples import count_examples
from tests.preferences.conftest import invariants_broken, view

ACTS = ("claim", "claim", "left", "right", "tie", "skip", "undo", "lapse", "late", "reopen")
steps = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(ACTS)), max_size=25)


class Judges:
    """Three assessors at one plan, and what each of them said last of each comparison."""

    def __init__(self, campaign, plan, organizer, users) -> None:
        self.campaign, self.plan, self.organizer, self.users = campaign, plan, organizer, users
        self.seen: dict[int, list[ComparisonSlot]] = {0: [], 1: [], 2: []}
        self.last: dict[tuple[int, int], str] = {}
        self.order: dict[int, list[int]] = {0: [], 1: [], 2: []}

    def act(self, who: int, act: str) -> None:
        if act == "lapse":
            past = timezone.now() - timedelta(seconds=1)
            leased = ComparisonSlot.objects.filter(state="leased", assessor=self.users[who])
            leased.update(expires_at=past)
        elif act == "reopen":
            reopen_skipped_comparisons(actor=self.organizer, plan=self.plan)
        elif act == "claim":
            slot = claim_comparison(actor=self.users[who], campaign=self.campaign, plan=self.plan)
            if slot is not None:
                assert (who, slot.comparison_id) not in self.last
                self.seen[who].append(slot)
        elif act == "undo":
            self.undo(who)
        elif self.seen[who]:
            self.answer(who, act)

    def answer(self, who: int, act: str) -> None:
        """The comparison at hand, or with ``late`` the first one ever shown."""
        slot = self.seen[who][0 if act == "late" else -1]
        shared = {
            "actor": self.users[who], "display": view(slot), "client_uuid": uuid4(),
            "token": slot.token,
        }  # fmt: skip
        side = "left" if act == "late" else act
        if act == "skip":
            skip_comparison(**shared, reason="broken")
        else:
            submit_preference(**shared, side=side)
        number = slot.comparison_id
        self.last[who, number] = side
        self.order[who] = [it for it in self.order[who] if it != number] + [number]

    def undo(self, who: int) -> None:
        if not self.order[who]:
            with pytest.raises(ActionRefused, match="Nothing to undo"):
                undo_preference(actor=self.users[who], campaign=self.campaign)
            return
        undone = undo_preference(actor=self.users[who], campaign=self.campaign)
        assert undone.comparison_id == self.order[who].pop()
        del self.last[who, undone.comparison_id]


@given(steps)
@hypothesis_settings(max_examples=count_examples(60))
def test_no_sequence_breaks_an_invariant_or_loses_an_answer(steps):
    campaign, plan, organizer, users = PLACE
    with transaction.atomic():
        judges = Judges(campaign, plan, organizer, users)
        for who, act in steps:
            judges.act(who, act)
            assert invariants_broken(campaign) == set()
        current = {(users.index(row.assessor), row.comparison_id) for row in list_choices(plan)}
        assert current == {key for key, side in judges.last.items() if side != "skip"}
        progress = count_comparison_progress(plan)
        assert progress.judged + progress.extra == len(current)
        log = Preference.objects.filter(comparison__plan=plan)
        assert log.count() == len(set(log.values_list("client_uuid", flat=True)))
        transaction.set_rollback(True)


PLACE: list = []


@pytest.fixture(autouse=True)
def _place(make_plan, pool, campaign, organizer, assessor, assessor2, assessor3):
    """Two judges per comparison, three assessors; on hypothesis' side of the fixtures."""
    plan = make_plan(pool=pool, judges=2)
    PLACE[:] = [campaign, plan, organizer, [assessor, assessor2, assessor3]]
