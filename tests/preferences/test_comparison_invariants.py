"""``check_preferences`` finds each kind of breach, and none in what the services do."""

import json
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from preferences.models import ComparisonPlan, ComparisonSlot, Preference
from preferences.services.comparisons import skip_comparison, undo_preference
from tests.pages import run_command
from tests.preferences.conftest import answer, invariants_broken, view


@pytest.fixture
def busy(pairs_plan, assessor, assessor2, claim, campaign) -> ComparisonPlan:
    """A plan after a little of everything."""
    answer(assessor, claim(assessor))
    answer(assessor2, claim(assessor2), "tie")
    slot = claim(assessor)
    skip_comparison(actor=assessor, display=view(slot), reason="broken", client_uuid=uuid4())
    answer(assessor, claim(assessor), "right")
    undo_preference(actor=assessor, campaign=campaign)
    return pairs_plan


def test_what_the_services_do_breaks_nothing(busy, campaign):
    assert invariants_broken(campaign) == set()
    assert "20 slots, 5 answers in the log" in run_command("check_preferences", "small")


def test_slots_that_cannot_be_are_found(busy, campaign, assessor):
    slots = ComparisonSlot.objects.filter(comparison__plan=busy)
    done = slots.filter(state="judged", assessor=assessor)
    done.update(state="skipped")
    assert invariants_broken(campaign) == {"said", "held"}
    slots.filter(state="skipped", assessor=assessor).update(k=9)
    assert "wanted" in invariants_broken(campaign)


def test_answers_that_cannot_be_are_found(busy, campaign, assessor, assessor2):
    first = Preference.objects.filter(kind="choice").first()
    given = {
        "campaign": campaign, "comparison": first.comparison, "slot": first.slot,
        "assessor": assessor2, "kind": "choice", "choice": "a",
    }  # fmt: skip
    Preference.objects.create(**given, revision=7)
    assert {"filled", "held", "revisions"} <= invariants_broken(campaign)
    other = busy.comparisons.exclude(pk=first.comparison_id).last()
    Preference.objects.create(**{**given, "comparison": other}, revision=1)
    assert "comparison" in invariants_broken(campaign)
    ComparisonPlan.objects.filter(pk=busy.pk).update(ties=False)
    Preference.objects.create(
        **{**given, "comparison": other, "slot": None, "choice": "tie"}, revision=2
    )
    assert "ties" in invariants_broken(campaign)


def test_the_command_ends_with_an_error_and_counts(busy, campaign, assessor):
    slots = ComparisonSlot.objects.filter(comparison__plan=busy, state="open")
    slots.filter(pk=slots.first().pk).update(k=8)
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 7 invariants violated"):
        call_command("check_preferences", "small", "--format", "json", stdout=out)
    counts = json.loads(out.getvalue())
    assert (counts["slots"], counts["breaches"]["wanted"]) == (20, 1)
    with pytest.raises(CommandError, match="Unknown campaign: nowhere"):
        call_command("check_preferences", "nowhere")
