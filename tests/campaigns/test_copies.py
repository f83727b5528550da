"""Copies of a campaign for next year, and rehearsals."""

import pytest
from django.urls import reverse

from campaigns import store
from campaigns.models import Campaign, Document, Job, Mail, Member, Removal, Role, Run, User
from campaigns.services.campaigns import get_grade_scale, update_campaign
from campaigns.services.copies import COPIED, CopyChoice, copy_campaign, start_rehearsal
from campaigns.services.endings import close_campaign, delete_campaign
from campaigns.services.jobs import run_here
from campaigns.services.mail import queue_mail
from judging.models import TrainingPair
from judging.queries.slots import get_stopping_rule
from judging.services.stopping import set_stopping_rule
from poolbench.judging.stopping import StoppingCriteria
from tests.confirming import api, confirm
from tests.pages import read_page
from tests.refusals import refusing
from tests.world.people import joined


@pytest.fixture
def source(campaign, organizer):
    """With texts, a measure, a rule, a training pair and a second organizer."""
    update_campaign(
        actor=organizer, campaign=campaign, description="About", guidelines="Read on.",
        measures=["map"], relevance_level=2, max_runs_per_team=3, alpha=0.01,
    )  # fmt: skip
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria(no_relevant_in=30))
    topic = campaign.topics.get(number="1")
    TrainingPair.objects.create(campaign=campaign, topic=topic, docno="d1", grade=2, position=1)
    joined(campaign, "second", Role.ORGANIZER)
    return campaign


def test_a_copy_has_texts_settings_scale_and_organizers_and_nothing_else(source, organizer, team):
    joined(source, "judge", Role.ASSESSOR)
    Campaign.objects.filter(pk=source.pk).update(seed=1)  # Those of tests have one seed.
    source.refresh_from_db()
    copy = copy_campaign(actor=organizer, campaign=source, title="Small Task 2")
    copy = Campaign.objects.get(pk=copy.pk)
    assert [getattr(copy, name) for name in COPIED] == [getattr(source, name) for name in COPIED]
    assert (copy.title, copy.slug, copy.guideline_version) == ("Small Task 2", "small-task-2", 1)
    assert get_grade_scale(copy) == get_grade_scale(source)
    assert get_stopping_rule(copy) == StoppingCriteria(no_relevant_in=30)
    assert {(m.user.username, m.role) for m in copy.members.all()} == {
        ("organizer", "organizer"), ("second", "organizer")
    }  # fmt: skip
    rows = (copy.teams, copy.topics, copy.documents, copy.runs, copy.judgments, copy.training)
    assert [each.count() for each in rows] == [0] * 6
    assert (copy.runs_deadline, copy.seed == source.seed) == (None, False)
    assert copy.events.get(code="campaign.copied").data["source"] == "small"


def test_topics_and_documents_are_copied_if_asked(source, organizer):
    name = store.put_blob(b"image", ".png")
    Document.objects.create(campaign=source, docno="i", format="image", file=name, sha256="0")
    choice = CopyChoice(topics=True, documents=True)
    copy = copy_campaign(actor=organizer, campaign=source, title="Two", choice=choice)
    for rows in ("topics", "documents"):
        fields = ("number", "title", "position") if rows == "topics" else ("docno", "body", "file")
        there, here = (list(getattr(each, rows).values_list(*fields)) for each in (source, copy))
        assert there == here
    assert copy.training.get().topic.campaign == copy


def test_a_closed_campaign_is_copied_and_a_deleted_one_is_not(source, organizer):
    close_campaign(actor=organizer, campaign=source)
    assert copy_campaign(actor=organizer, campaign=source, title="Two").closed_at is None
    delete_campaign(actor=organizer, campaign=source)
    with refusing("campaign-deleted"):
        copy_campaign(actor=organizer, campaign=source, title="Three")


def test_the_page_and_the_api_copy(page, source, organizer):
    assert 'value="Small Task"' in read_page(page.get("/c/small/setup/life/"))
    address = reverse("campaign-copy", args=["small"])
    taken = page.post(address, {"title": "Next", "slug": "small"})
    assert (taken.status_code, "slug" in read_page(taken)) == (422, True)
    answer = page.post(address, {"title": "Next", "slug": "next", "topics": "on"})
    assert answer.url == "/c/next/setup/"
    assert Campaign.objects.get(slug="next").topics.count() == 3
    body = {"title": "Later", "documents": True}
    made = api(organizer).post("/api/campaigns/small/copy/", body, format="json")
    assert (made.status_code, made.json()["slug"]) == (201, "later")
    assert Campaign.objects.get(slug="later").documents.count() == 9


def test_a_rehearsal_has_generated_runs_and_judgments_and_is_thrown_away(page, source, organizer):
    """From the page to nothing left of it. Costs three seconds."""
    before = source.events.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("replay.rehearsal.POOL_DEPTH", 4)
        answer = page.post(reverse("rehearsal-new", args=["small"]), {"judged": "on"})
        job = run_here(Job.objects.get(kind="replay.rehearse"))
    assert (job.state, job.error) == ("done", "")
    copy = job.campaign
    assert answer.url == f"/c/{copy.slug}/jobs/{job.pk}/"
    runs = copy.runs.accepted()
    # Two rankers read what these topics and documents lack.
    assert (runs.count(), runs.values("team").distinct().count()) == (4, 3)
    assert copy.runs.count() == 4
    assert copy.pools.get().size == copy.judgments.count() / 2 > 0
    assert copy.judgments.values("grade").distinct().count() > 1
    assert "no figure here means anything" in read_page(page.get(f"/c/{copy.slug}/"))
    assert (source.events.count(), source.runs.count()) == (before, 0)
    drawn = User.objects.filter(judgments__campaign=copy).distinct()
    assert [user.has_usable_password() for user in drawn] == [False] * 2
    users = User.objects.count()
    confirm(page, reverse("campaign-delete", args=[copy.slug]))
    assert User.objects.count() == users - 2
    assert list(Campaign.objects.all()) == [source]
    assert Removal.objects.get().rows["run"] == 4
    assert not Run.objects.exists()
    assert Member.objects.filter(campaign=source).count() == 2


def test_a_rehearsal_sends_no_mail(source, organizer):
    organizer.email = "o@example.org"
    copy = copy_campaign(actor=organizer, campaign=source, title="R", rehearsal=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("campaigns.services.mail.render_mail", lambda *_: ("subject", "body"))
        for campaign, count in ((copy, 0), (source, 1)):
            sent = queue_mail("any", [organizer], key="1", campaign=campaign)
            assert len(sent) == count
    assert Mail.objects.count() == 1


def test_a_rehearsal_is_of_one_organizer_and_needs_texts(source, organizer):
    copy = copy_campaign(actor=organizer, campaign=source, title="R", rehearsal=True)
    assert copy.members.get().user == organizer
    with refusing("nothing-to-rehearse"):
        start_rehearsal(actor=organizer, campaign=copy)


def test_only_organizers_who_may_create_campaigns_copy(source, organizer):
    second = source.members.exclude(user=organizer).get().user
    made = api(second).post("/api/campaigns/small/copy/", {"title": "T"}, format="json")
    assert made.status_code == 403
