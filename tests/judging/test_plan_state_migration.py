"""Plans of earlier versions get a state, and lose it again on the way back."""

from __future__ import annotations

import pytest
from django.utils import timezone

BEFORE = [("campaigns", "0009_run_withdrawn_at"), ("judging", "0010_plan_closed_at")]
AFTER = [("judging", "0011_plan_state")]


@pytest.mark.django_db(transaction=True)
def test_plans_are_open_paused_or_closed(migrate):
    old = migrate(BEFORE)
    user = old.get_model("campaigns", "User").objects.create(username="u")
    campaign = old.get_model("campaigns", "Campaign").objects.create(
        slug="s", title="S", created_by=user
    )
    pool = old.get_model("pooling", "Pool").objects.create(
        campaign=campaign, version=1, spec={}, inputs_hash="", size=0, frozen_by=user
    )
    closed_at = timezone.now()
    moments = {"open": (False, None), "paused": (True, None), "closed": (True, closed_at)}
    for paused, at in moments.values():
        old.get_model("judging", "Plan").objects.create(
            campaign=campaign, pool=pool, created_by=user, paused=paused, closed_at=at
        )
    plans = migrate(AFTER).get_model("judging", "Plan").objects.order_by("pk")
    assert list(plans.values_list("state", "closed_at")) == [
        ("open", None),
        ("paused", None),
        ("closed", closed_at),
    ]
    plans = migrate(BEFORE).get_model("judging", "Plan").objects.order_by("pk")
    assert list(plans.values_list("paused", "closed_at")) == list(moments.values())
