"""Guidelines: every text that was ever in force is kept under its number."""

from __future__ import annotations

import hashlib

import pytest
from django.urls import reverse

from campaigns.models import Campaign, Role
from campaigns.services.campaigns import create_campaign, update_campaign
from poolbench.texts.text_diff import diff_lines
from tests.pages import read_page
from tests.world.people import SCALE


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
