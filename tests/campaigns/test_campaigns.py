"""Creating and changing a campaign and its grade scale."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Event
from campaigns.services.campaigns import create_campaign, get_grade_scale, update_campaign
from evaluation.services.scoring import score_campaign
from poolbench.judging.scale import GradeSpec
from tests.confirming import refusal
from tests.world.files import accepted_run, qrels_release
from tests.world.people import SCALE


def test_create_makes_the_actor_organizer(campaign, organizer):
    assert campaign.slug == "small"
    assert [(m.user, m.role) for m in campaign.members.all()] == [(organizer, "organizer")]
    assert get_grade_scale(campaign) == SCALE
    assert Event.objects.get(campaign=campaign).code == "campaign.created"


def test_create_finds_a_free_slug(campaign, organizer):
    titles = ["Small", "Small", "small", "Ünïcode ☃", "☃"]
    made = [create_campaign(actor=organizer, title=t, scale=SCALE).slug for t in titles]
    assert made == ["small-2", "small-3", "small-4", "unicode", "campaign"]


def test_create_needs_the_permission(assessor):
    with pytest.raises(PermissionDenied):
        create_campaign(actor=assessor, title="Mine", scale=SCALE)


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (SCALE[:1], "at least 2"),
        ((*SCALE, GradeSpec(3, "again", "4", 4)), "values must be unique"),
        ((*SCALE, GradeSpec(4, "more", "3", 4)), "Keys must be unique"),
        ((*SCALE, GradeSpec(4, "more", "S", 4)), "judging screen"),
        ((*SCALE, GradeSpec(4, "more", "%", 4)), "one letter or digit"),
        ((*SCALE, GradeSpec(4, " ", "4", 4)), "needs a label"),
        ((*SCALE, GradeSpec(4, "more", "4", -1)), "gain must be 0 or more"),
        ((*SCALE, GradeSpec(4, "more", "4", float("nan"))), "gain must be 0 or more"),
        ((GradeSpec(0, "no", "0", 0), GradeSpec(2, "yes", "y", 1)), "relevance level 1"),
    ],
)
def test_a_scale_that_cannot_be_judged_with_is_refused(organizer, scale, said):
    with refusal("bad-scale", match=said):
        create_campaign(actor=organizer, title="T", scale=scale)
    assert not Campaign.objects.exists()


def test_all_faults_of_a_scale_are_told_at_once(organizer):
    scale = (GradeSpec(0, "", "0", 0), GradeSpec(0, "x", "0", 0))
    with pytest.raises(ActionRefused) as caught:
        create_campaign(actor=organizer, title="T", scale=scale)
    assert caught.value.message == (
        "Grade values must be unique. Keys must be unique. Every grade needs a label."
        " The relevance level 1 is not a grade of the scale."
    )


def test_bad_fields_are_refused(organizer):
    with refusal("bad-settings", match="slug"):
        create_campaign(actor=organizer, title="T", slug="not a slug", scale=SCALE)


def test_update_writes_what_changed_and_logs_it(campaign, organizer):
    update_campaign(actor=organizer, campaign=campaign, title="New", max_runs_per_team=None)
    campaign.refresh_from_db()
    assert (campaign.title, campaign.max_runs_per_team) == ("New", None)
    told = Event.objects.get(campaign=campaign, code="campaign.updated")
    assert told.data == {"title": "New", "max_runs_per_team": "None"}


def test_update_without_a_change_logs_nothing(campaign, organizer):
    update_campaign(actor=organizer, campaign=campaign, title=campaign.title, scale=SCALE)
    assert Event.objects.filter(campaign=campaign).count() == 1


def test_relevance_level_must_stay_in_the_scale(campaign, organizer):
    with pytest.raises(ActionRefused, match="relevance level 7"):
        update_campaign(actor=organizer, campaign=campaign, relevance_level=7)
    campaign.refresh_from_db()
    assert campaign.relevance_level == 1


def test_scale_changes_until_the_first_judgment(campaign, organizer, assessor):
    wider = (*SCALE, GradeSpec(4, "ideal", "4", 4))
    update_campaign(actor=organizer, campaign=campaign, scale=wider)
    assert get_grade_scale(Campaign.objects.get()) == wider
    topic = campaign.topics.first()
    campaign.judgments.create(
        topic=topic, docno="d1", assessor=assessor, revision=1, kind="grade", grade=1,
        source="screen",
    )  # fmt: skip
    with refusal("scale-in-use"):
        update_campaign(actor=organizer, campaign=campaign, scale=SCALE)
    relabelled = (replace(wider[0], label="other"), *wider[1:])
    with pytest.raises(ActionRefused):
        update_campaign(actor=organizer, campaign=campaign, scale=relabelled, title="Other")
    assert Campaign.objects.get().title == "Small Task"


def test_others_change_nothing(campaign, assessor):
    with pytest.raises(PermissionDenied):
        update_campaign(actor=assessor, campaign=campaign, title="Mine")
    with pytest.raises(PermissionDenied):
        update_campaign(actor=assessor, campaign=campaign, scale=SCALE)


def test_the_significance_test_is_fixed_once_scores_have_been_computed(organizer, campaign, team):
    update_campaign(actor=organizer, campaign=campaign, test="wilcoxon", alpha=0.01)
    qrels = qrels_release(campaign)
    accepted_run(team, "early", "1 Q0 d1 1 1 early\n")
    score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    for change in ({"test": "t"}, {"correction": "none"}, {"alpha": 0.05}):
        with pytest.raises(ActionRefused, match="cannot be changed"):
            update_campaign(actor=organizer, campaign=Campaign.objects.get(), **change)
    update_campaign(actor=organizer, campaign=Campaign.objects.get(), test="wilcoxon", title="New")
    kept = Campaign.objects.get()
    assert (kept.test, kept.correction, kept.alpha, kept.title) == ("wilcoxon", "holm", 0.01, "New")


def test_a_significance_test_that_does_not_exist_is_refused(organizer, campaign):
    with pytest.raises(ActionRefused, match="test"):
        update_campaign(actor=organizer, campaign=campaign, test="z")
    with pytest.raises(ActionRefused, match="alpha"):
        update_campaign(actor=organizer, campaign=Campaign.objects.get(), alpha=0.9)
