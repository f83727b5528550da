"""``check_judging`` finds each kind of breach, and none in what the services do."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaigns.models import Grade
from judging.models import Judgment, Plan, Slot
from judging.queries.invariants import INVARIANTS, list_violations
from tests.pages import run_command


def broken(campaign) -> set[str]:
    return {it.name for it, count in list_violations(campaign) if count}


@pytest.fixture
def busy(restore, pool, assessor, assessor2, assessor3):
    """A campaign after a little of everything that assessors and organizers do."""
    return restore("busy")


def test_what_the_services_do_breaks_nothing(busy, campaign):
    assert broken(campaign) == set()
    told = run_command("check_judging", "small")
    assert "0  slots beyond the plan's judgments per document" in told
    assert run_command("check_judging") == f"small: {told}"


def slot(plan, **values) -> Slot:
    return plan.slots.filter(**values).first()


def test_slots_that_cannot_be_are_found(busy, campaign, assessor, assessor2):
    taken = slot(busy, state="judged", item__docno="d1", purpose="judge", assessor=assessor)
    Slot.objects.filter(pk=taken.pk).update(reserved_for=assessor2)
    assert broken(campaign) == {"reserved"}
    Slot.objects.filter(pk=taken.pk).update(reserved_for=None, state="skipped")
    assert broken(campaign) == {"said", "held"}
    Slot.objects.filter(pk=taken.pk).update(state="judged", k=50)
    assert broken(campaign) == {"wanted"}


def test_a_lease_without_its_moment_is_found(busy, campaign):
    Slot.objects.filter(state="leased").update(leased_at=None)
    assert broken(campaign) == {"lease"}


def test_one_assessor_twice_on_a_pair_is_found(busy, campaign, pool, organizer, assessor):
    first = slot(busy, state="judged", item__docno="d1", purpose="judge", assessor=assessor)
    twin = Plan.objects.create(campaign=campaign, pool=pool, overlap=9, created_by=organizer)
    copy = pool.items.model.objects.create(
        pool=_second_pool(pool), topic=first.topic, docno="d1", min_rank=1, contributors=b"",
        position=0,
    )  # fmt: skip
    Slot.objects.create(
        plan=twin, item=copy, topic=first.topic, k=0, position=0, state="leased", assessor=assessor,
        leased_at=timezone.now(), expires_at=timezone.now(),
    )  # fmt: skip
    assert "once" in broken(campaign)


def _second_pool(pool):
    return type(pool).objects.create(
        campaign=pool.campaign, version=9, spec={}, inputs_hash="9" * 64, size=1,
        frozen_by=pool.frozen_by,
    )  # fmt: skip


def judgment(campaign, topic, assessor, **values) -> Judgment:
    given = {"docno": "d9", "revision": 1, "kind": "grade", "grade": 1, "source": "api", **values}
    return Judgment.objects.create(campaign=campaign, topic=topic, assessor=assessor, **given)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        pytest.param({"revision": 3}, "revisions", marks=pytest.mark.full),  # and the command's
        ({"grade": 2}, "scale"),
        ({"slot": "d4"}, "pair"),
        ({"slot": "d1"}, "filled"),
    ],
)
def test_judgments_that_cannot_be_are_found(values, name, busy, campaign, topic, assessor):
    if "slot" in values:
        values = {"slot": slot(busy, item__docno=values["slot"], purpose="judge", k=0)}
    judgment(campaign, topic, assessor, **values)
    if name == "scale":
        Grade.objects.filter(campaign=campaign, value=2).delete()
    assert name in broken(campaign)


def test_the_command_ends_with_an_error_and_counts(busy, campaign, topic, assessor):
    judgment(campaign, topic, assessor, revision=3)
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 22 invariants violated"):
        call_command("check_judging", "small", "--format", "json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["breaches"] == {it.name: int(it.name == "revisions") for it in INVARIANTS}
    assert told["judgments"] == Judgment.objects.count()
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 22 invariants violated"):
        call_command("check_judging", "--format", "json", stdout=out)
    assert json.loads(out.getvalue()) == {"small": told}
    with pytest.raises(CommandError, match="Unknown campaign: nowhere"):
        call_command("check_judging", "nowhere")
