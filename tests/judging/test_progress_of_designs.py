"""What remains by each design is the same on all pages and in the API, until all is judged."""

import pytest

from judging.queries.tallies import judging_progress
from judging.services.judgments import claim_ahead
from judging.services.plans import PlanOptions, create_plan, preview_plan
from judging.services.slots import pause_work
from tests.examples import take
from tests.judging.test_one_progress import look
from tests.world.files import make_pool

__all__ = ["look"]


DESIGNS = [
    ("blocks", {"n": 2, "shared": 2}, 3, [4, 4, 4]),
    ("topic-owner", {}, 1, [6]),
    ("overlap", {"n": 2}, 3, [4, 4, 4]),
    ("overlap", {"n": 3}, 3, [6, 6, 6]),
    ("share", {"n": 3, "share": 0.5}, 3, [4, 4, 4]),
    ("round-robin", {"n": 2}, 3, [4, 4, 4]),
]


@pytest.mark.parametrize(("design", "parameters", "people", "loads"), take(DESIGNS, 6))
def test_what_remains_is_the_same_for_assessor_and_organizer(
    design,
    parameters,
    people,
    loads,
    campaign,
    organizer,
    assessor,
    assessor2,
    assessor3,
    topic,
    look,
    grade,
    next_of,
):
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(6)]})
    users = [assessor, assessor2, assessor3][:people]
    scheme = PlanOptions(design, parameters)
    seen = preview_plan(actor=organizer, pool=pool, assessors={"1": users}, scheme=scheme)
    plan = create_plan(actor=organizer, pool=pool, assessors={"1": users}, scheme=scheme)
    # At first what the preview said.
    assert [round(load) for _, load in seen.loads] == loads
    assert list(look(*users).remaining.values()) == loads
    for number in range(2):
        slot = next_of(assessor)
        grade(assessor, slot.item.docno, number % 2, token=slot.token)
    claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=1)
    now = look(*users).remaining
    left = judging_progress(campaign).left
    # Shares add up to what is left, but for rounding.
    assert left <= sum(now.values()) < left + people
    if people > 1:
        pause_work(actor=organizer, plan=plan, assessor=assessor2)
        assert look(*users).remaining["assessor2"] == 0
        pause_work(actor=organizer, plan=plan, assessor=assessor2, paused=False)
    for user in users:
        while slot := next_of(user):
            grade(user, slot.item.docno, 0, token=slot.token)
    seen = look(*users)
    assert (seen.state, set(seen.remaining.values())) == ("done", {0})
