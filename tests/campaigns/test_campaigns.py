"""Creating and changing a campaign, its grade scale, and its guidelines, of which all are kept."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Event, Role
from campaigns.services.campaigns import create_campaign, get_grade_scale, update_campaign
from evaluation.services.scoring import score_campaign
from poolbench.judging.scale import GradeSpec
from poolbench.texts.text_diff import diff_lines
from tests.pages import read_page
from tests.refusals import refusing
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
    with refusing("bad-scale", match=said):
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
    with refusing("bad-settings", match="slug"):
        create_campaign(actor=organizer, title="T", slug="not a slug", scale=SCALE)


def test_judging_cannot_end_before_runs_close(campaign, organizer):
    day = datetime(2030, 1, 2, tzinfo=UTC)
    update_campaign(actor=organizer, campaign=campaign, runs_deadline=day, judging_deadline=day)
    with refusing("bad-settings", match="Judging would end before runs close"):
        early = day - timedelta(days=1)
        update_campaign(actor=organizer, campaign=campaign, judging_deadline=early)
    past = datetime(2020, 1, 2, tzinfo=UTC)
    Campaign.objects.update(runs_deadline=past, judging_deadline=past - timedelta(days=7))
    update_campaign(actor=organizer, campaign=Campaign.objects.get(), title="Over")
    assert Campaign.objects.get().title == "Over"


def test_update_writes_what_changed_and_logs_it(campaign, organizer):
    update_campaign(actor=organizer, campaign=campaign, title="New", max_runs_per_team=None)
    campaign.refresh_from_db()
    assert (campaign.title, campaign.max_runs_per_team) == ("New", None)
    told = Event.objects.get(campaign=campaign, code="campaign.updated")
    assert told.data == {"title": "New", "max_runs_per_team": "none"}


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
    with refusing("scale-in-use"):
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


def versions(campaign: Campaign) -> list[tuple[int, str]]:
    return list(campaign.guideline_versions.values_list("version", "text"))


def test_no_guidelines_have_no_version(campaign):
    assert (campaign.guideline_version, versions(campaign)) == (0, [])


def test_a_campaign_that_starts_with_guidelines_starts_with_version_1(organizer):
    made = create_campaign(actor=organizer, title="T", scale=SCALE, guidelines="Read all of it.")
    assert made.guideline_version == 1
    kept = made.guideline_versions.get()
    assert kept.sha256 == hashlib.sha256(b"Read all of it.").hexdigest()
    assert (kept.by, kept.text) == (organizer, "Read all of it.")


def test_every_change_of_the_text_is_a_version_and_nothing_else_is(campaign, organizer):
    for text in ("one", "two", "two", "", "one"):
        update_campaign(actor=organizer, campaign=campaign, guidelines=text)
    update_campaign(actor=organizer, campaign=campaign, title="Another")
    assert versions(campaign) == [(4, "one"), (3, ""), (2, "two"), (1, "one")]
    assert Campaign.objects.get(pk=campaign.pk).guideline_version == 4


def test_a_version_is_never_changed(campaign, organizer):
    update_campaign(actor=organizer, campaign=campaign, guidelines="one")
    kept = campaign.guideline_versions.get()
    with pytest.raises(TypeError):
        kept.save()
    with pytest.raises(TypeError):
        kept.delete()


def test_who_changes_something_else_on_an_old_page_brings_no_old_guidelines_back(
    campaign, organizer
):
    old = Campaign.objects.get(pk=campaign.pk)
    update_campaign(actor=organizer, campaign=campaign, guidelines="one")
    update_campaign(actor=organizer, campaign=old, title="Another")
    assert versions(campaign) == [(1, "one")]


def test_the_page_tells_each_version_and_what_it_changed(campaign, organizer, as_user, assessor):
    for text in ("Read all.\nBe *kind*.", "Read all.\nBe <b>strict</b>.", ""):
        update_campaign(actor=organizer, campaign=campaign, guidelines=text)
    page = read_page(as_user(assessor).get(reverse("guidelines", args=[campaign.slug])))
    assert [f"Version {n}" in page for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert "<del>Be *kind*.</del><ins>Be &lt;b&gt;strict&lt;/b&gt;.</ins>" in page
    assert "<span>Read all.</span>" in page
    assert "Be <em>kind</em>." in page
    assert organizer.username not in page[page.index("<main") : page.index("</main>")]
    assert page.index("Version 3") < page.index("Version 1")


def test_without_guidelines_the_page_says_so(campaign, organizer, as_user, assessor):
    address = reverse("guidelines", args=[campaign.slug])
    assert "Write guidelines" in read_page(as_user(organizer).get(address))
    assert "The organizers have not published any." in read_page(as_user(assessor).get(address))


def test_changes_are_lines_gone_before_lines_new():
    told = [(line.kind, line.text) for line in diff_lines("a\nb\nc", "a\nB\nc\nd")]
    assert told == [
        ("same", "a"), ("gone", "b"), ("new", "B"), ("same", "c"), ("new", "d"),
    ]  # fmt: skip
    assert diff_lines("", "") == []


@pytest.mark.parametrize("role", [Role.ASSESSOR, Role.ADJUDICATOR])
def test_the_front_page_leads_to_the_guidelines_who_judges_by_them(
    client, campaign, organizer, stranger, role
):
    update_campaign(actor=organizer, campaign=campaign, guidelines="Read all of it.")
    campaign.members.create(user=stranger, role=role)
    client.force_login(stranger)
    address = reverse("guidelines", args=[campaign.slug])
    assert f'href="{address}"' in read_page(client.get(campaign.get_absolute_url()))
    assert "Read all of it." in read_page(client.get(address))
