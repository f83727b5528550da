"""A document of the pool, gold and a repeat take the same queries."""

import re
from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.queries.unit_work import list_unit_slots
from judging.models import Purpose
from judging.services.stopping import set_stopping_rule
from poolbench.judging.stopping import StoppingCriteria
from tests.crowd.units.conftest import add_gold_pairs, answer, begin_unit, work_unit
from tests.examples import take


def shape(context: CaptureQueriesContext) -> list[str]:
    """The queries without their values."""
    texts = [query["sql"] for query in context.captured_queries]
    plain = [re.sub(r"'(?:[^']|'')*'(?:::\w+)?", "?", text) for text in texts]
    plain = [re.sub(r"\b[0-9a-f]{32}\b|(?<![\w\"])\d+(?:\.\d+)?\b|NULL", "?", t) for t in plain]
    return [re.sub(r"SAVEPOINT .*", "SAVEPOINT", text) for text in plain]


@pytest.mark.parametrize(("ruled", "again", "skip"), take(product((False, True), repeat=3), 3))
def test_all_purposes_take_the_same_queries(skip, again, ruled, crowd_plan, worker, campaign):
    if ruled:
        rule = StoppingCriteria(documents=1000)
        set_stopping_rule(actor=campaign.created_by, campaign=campaign, rule=rule)
    add_gold_pairs(campaign, {("1", "g0"): 0, ("2", "g1"): 1})
    work_unit(crowd_plan, worker, 4)
    unit = begin_unit(crowd_plan, worker, 4, gold=2, repeats=2)
    shapes = {}
    for slot in list(list_unit_slots(unit).select_related("unit__plan__campaign")):
        if again:
            answer(slot, 1)
        with CaptureQueriesContext(connection) as context:
            answer(slot, None if skip else 2, reason="undecided" if skip else "")
        shapes.setdefault(slot.purpose, shape(context))
    assert set(shapes) == {Purpose.JUDGE, Purpose.GOLD, Purpose.REPEAT}
    for purpose in (Purpose.GOLD, Purpose.REPEAT):
        assert shapes[purpose] == shapes[Purpose.JUDGE]


def test_slots_look_alike(crowd_plan, worker, campaign):
    """What a page may read of a slot has the same form for all purposes."""
    add_gold_pairs(campaign, {("1", f"g{n}"): n % 3 for n in range(6)})
    work_unit(crowd_plan, worker, 4)
    unit = begin_unit(crowd_plan, worker, 8, gold=4, repeats=2)
    slots = list(list_unit_slots(unit))
    assert {slot.purpose for slot in slots} == {Purpose.JUDGE, Purpose.GOLD, Purpose.REPEAT}
    same = ("state", "assessor_id", "expires_at", "leased_at", "guideline_version", "unit_id")
    for name in same:
        assert len({getattr(slot, name) for slot in slots}) == 1
    assert len({slot.token for slot in slots}) == len(slots)
    assert {slot.token.version for slot in slots} == {4}


def test_skipped_documents_leave_the_list_alike(crowd_plan, worker, campaign):
    add_gold_pairs(campaign, {("1", "g0"): 0, ("1", "g1"): 1})
    unit = begin_unit(crowd_plan, worker, 2, gold=2)
    for left, slot in zip((3, 2, 1, 0), list(list_unit_slots(unit)), strict=True):
        answer(slot, None, reason="undecided")
        assert list_unit_slots(unit).count() == left
    unit.refresh_from_db()
    assert unit.size == 4
