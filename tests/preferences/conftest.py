from collections.abc import Callable
from uuid import uuid4

import pytest

from campaigns.models import Campaign, User
from judging.queries.invariants import list_violations
from pooling.models import Pool
from preferences.models import ComparisonPlan, ComparisonSlot, Preference
from preferences.queries.invariants import COMPARISON_INVARIANTS
from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
from preferences.services.comparisons import (
    DisplayedComparison,
    claim_comparison,
    submit_picks,
    submit_preference,
)


@pytest.fixture
def pool(restore, campaign) -> Pool:
    """Topic 1: d1 d2 d3 d4; topic 2: d5 d6; topic 3: d7 d8 d9: 6 + 1 + 3 pairs."""
    return restore("pool")


@pytest.fixture
def assessor3(restore, campaign) -> User:
    return restore("assessor3")


@pytest.fixture
def make_plan(organizer, campaign) -> Callable[..., ComparisonPlan]:
    """``make_plan(**options)``: a plan of two documents unless another kind is given."""

    def make(**options: object) -> ComparisonPlan:
        given = {"kind": "documents", "title": "Pairs", "seed": 5, **options}
        return create_comparison_plan(
            actor=organizer, campaign=campaign, options=ComparisonOptions(**given)
        )

    return make


@pytest.fixture
def pairs_plan(make_plan, pool) -> ComparisonPlan:
    """All 10 pairs, two judges each."""
    return make_plan(pool=pool, judges=2)


@pytest.fixture
def ranking_plan(make_plan, alpha, beta) -> ComparisonPlan:
    """Runs alpha and beta side by side on topics 1 and 2."""
    return make_plan(kind="rankings", title="Lists", run_a=alpha, run_b=beta)


@pytest.fixture
def list_plan(make_plan, alpha, beta) -> ComparisonPlan:
    """Runs alpha and beta interleaved on topics 1 and 2."""
    return make_plan(kind="interleaved", title="One list", run_a=alpha, run_b=beta)


@pytest.fixture
def claim(campaign) -> Callable[..., ComparisonSlot | None]:
    return lambda user, plan=None: claim_comparison(actor=user, campaign=campaign, plan=plan)


def view(slot: ComparisonSlot) -> DisplayedComparison:
    return DisplayedComparison(slot.comparison, slot.swapped)


def answer(user: User, slot: ComparisonSlot, side: str = "left", **more: object) -> Preference:
    given = {"client_uuid": uuid4(), "token": slot.token, **more}
    return submit_preference(actor=user, display=view(slot), side=side, **given)


def pick(user: User, slot: ComparisonSlot, *ranks: int, **more: object) -> Preference:
    given = {"client_uuid": uuid4(), "token": slot.token, **more}
    return submit_picks(actor=user, display=view(slot), picks=ranks, **given)


def invariants_broken(campaign: Campaign) -> set[str]:
    return {rule.name for rule, count in list_violations(campaign, COMPARISON_INVARIANTS) if count}
