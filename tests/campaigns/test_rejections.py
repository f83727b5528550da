"""Rejected runs need a team's attention until it has mended or dismissed them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.lifecycle.head import list_pending_tasks
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign, Event
from campaigns.queries.lists import list_open_rejections
from tests.world.files import checked_run, run_text


@pytest.fixture
def submit(campaign, team, participant):
    def act(tag: str, *, good: bool, **fields):
        topics = ("1", "2", "3") if good else ("1", "2", "no-such-topic")
        data = run_text(tag, topics=topics)
        run = checked_run(participant, campaign, team, data=data, **fields)
        assert run.state == ("accepted" if good else "rejected")
        return run

    return act


def reminders(campaign, user) -> list[str]:
    campaign = Campaign.objects.get(pk=campaign.pk)
    tasks = list_pending_tasks(get_campaign_status(campaign, user))
    return [task.label for task in tasks if "rejected" in task.label]


def test_an_accepted_run_with_the_tag_ends_the_reminder(campaign, participant, submit):
    first = submit("one", good=False)
    second = submit("two", good=False)
    submit("one", good=False)
    assert reminders(campaign, participant) == ["3 runs of your team were rejected"]
    submit("one", good=True)
    assert reminders(campaign, participant) == ["1 run of your team was rejected"]
    assert list_open_rejections([first.team_id]) == [second]


def test_a_run_that_was_to_replace_another_is_mended_by_one_that_does(
    campaign, participant, submit
):
    first = submit("one", good=True)
    submit("one-b", good=False, replaces=first)
    assert reminders(campaign, participant) == ["1 run of your team was rejected"]
    submit("one-c", good=True, replaces=first)
    assert reminders(campaign, participant) == []


def test_a_run_accepted_before_ends_nothing(campaign, participant, submit):
    submit("one", good=True)
    submit("one", good=False)
    assert len(reminders(campaign, participant)) == 1


def test_a_team_dismisses_its_own(campaign, participant, rival, organizer, submit, as_user):
    submit("one", good=False)
    submit("two", good=False)
    page, act = (reverse(name, args=[campaign.slug]) for name in ("runs", "rejections-dismiss"))
    as_user(rival).post(act)
    as_user(organizer).post(act)
    assert reminders(campaign, participant) == ["2 runs of your team were rejected"]
    client = as_user(participant)
    assert "2 rejected runs of your team not resubmitted" in client.get(page).content.decode()
    client.post(act)
    assert "not resubmitted" not in client.get(page).content.decode()
    assert reminders(campaign, participant) == []
    event = Event.objects.get(code="run.rejections_dismissed")
    assert (event.actor, event.subject) == (participant, "2 runs")
    submit("one", good=False)
    assert reminders(campaign, participant) == ["1 run of your team was rejected"]


def test_nothing_is_asked_after_the_deadline(campaign, participant, submit):
    submit("one", good=False)
    past = timezone.now() - timedelta(hours=1)
    Campaign.objects.filter(pk=campaign.pk).update(runs_deadline=past)
    assert reminders(campaign, participant) == []
