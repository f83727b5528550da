import pytest

from campaigns.models import User
from judging.models import Judgment, Plan, Slot
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from tests.world.judgments import submit_judgment


@pytest.fixture
def adjudicator(restore, campaign) -> User:
    return restore("adjudicator")


@pytest.fixture
def disputed(restore, double_plan, campaign):
    """Topic 1: d1 0/3, d2 1/1, d3 1/2, d4 0/1; relevant from 1."""
    restore("disputes")
    return campaign


@pytest.fixture
def begin(disputed, organizer, adjudicator):
    """``begin(apart=1, …)``: a round over the disputes."""

    def make(apart: int = 1, crossing: bool = False, people=None, **more: object) -> Plan:
        wanted = list_pairs_to_adjudicate(disputed, min_difference=apart, crossing=crossing)
        people = [adjudicator] if people is None else people
        return open_round(
            actor=organizer, campaign=disputed, pairs=wanted, adjudicators=people, **more
        )

    return make


@pytest.fixture
def decide(campaign, topic):
    """``decide(user, slot, grade)``: an adjudication under the lease of ``slot``."""

    def give(user: User, slot: Slot, value: int, **more: object) -> Judgment:
        return submit_judgment(
            actor=user, slot=slot, grade=value, kind=Plan.Kind.ADJUDICATE, **more
        )

    return give
