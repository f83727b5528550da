"""What a team may store besides accepted runs, when files of rejected runs go, and until when a
rejected run needs the team's attention.
"""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as installation
from django.urls import reverse
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused, format_utc
from campaigns.lifecycle.head import list_pending_tasks
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign, Event, Run
from campaigns.queries.lists import list_open_rejections
from campaigns.services.run_files import PACKED, read_original_file
from campaigns.services.run_limits import remove_old_rejected_files
from campaigns.services.runs import withdraw_run
from tests.pages import read_page
from tests.world.files import checked_run, run_form, run_text, upload

BAD = b"99 Q0 d1 1 1 bad\n"


@pytest.fixture
def submit(campaign, participant, team):
    def act(data: bytes = BAD, actor=participant) -> Run:
        return checked_run(actor, campaign, team, data)

    return act


def test_rejected_runs_are_counted_per_team_and_day(submit, settings, organizer, rival, other_team):
    settings.POOLBENCH_REJECTED_RUNS_PER_DAY = 3
    first = submit()
    for _ in range(2):
        assert submit().state == Run.State.REJECTED
    Run.objects.filter(pk=first.pk).update(submitted_at=timezone.now() - timedelta(hours=20))
    first.refresh_from_db()
    with pytest.raises(ActionRefused, match=r"3 with .* the limits are 3 runs") as refused:
        submit(run_text())
    assert refused.value.code == "daily-limit"
    end = first.submitted_at + timedelta(days=1)
    assert f"Submit again after {format_utc(end)}" in refused.value.fix
    assert submit(actor=organizer).state == Run.State.REJECTED
    assert checked_run(rival, first.campaign, other_team, BAD).state == Run.State.REJECTED
    Run.objects.filter(pk=first.pk).update(submitted_at=timezone.now() - timedelta(hours=25))
    assert submit(run_text()).state == Run.State.ACCEPTED


def test_bytes_are_counted_too_and_withdrawn_runs_with_them(submit, settings, participant):
    settings.POOLBENCH_REJECTED_BYTES_PER_DAY = 100
    accepted = submit(run_text("a", docnos=["d1", "d2", "d3"]))
    assert accepted.size > 100
    assert submit(run_text("b", docnos=["d2", "d3"])).state == Run.State.ACCEPTED
    withdraw_run(actor=participant, run=accepted)
    with pytest.raises(ActionRefused, match="the limits are 50 runs and 100 bytes"):
        submit(run_text("c"))


def test_page_and_api_tell_the_daily_limit(submit, settings, as_user, participant, team):
    settings.POOLBENCH_REJECTED_RUNS_PER_DAY = 1
    submit()
    client = as_user(participant)
    files = len(list(Path(installation.STORE_DIR).rglob("??/*")))

    page = client.post(reverse("run-upload", args=["small"]), run_form(team))
    assert (page.status_code, "Too many runs in 24 hours" in read_page(page)) == (422, True)
    api = client.post("/api/runs/", {"campaign": "small", "file": upload(run_text())})
    assert (api.status_code, api.json()["code"]) == (409, "daily-limit")
    assert len(list(Path(installation.STORE_DIR).rglob("??/*"))) == files


def age(days: float) -> None:
    """Let rejected runs and all files become older."""
    for run in Run.objects.exclude(checked_at=None):
        Run.objects.filter(pk=run.pk).update(checked_at=run.checked_at - timedelta(days=days))
    for path in Path(installation.STORE_DIR).rglob("??/*"):
        old = time.time() - days * 86_400
        os.utime(path, (old, old))


def test_files_of_old_rejected_runs_are_removed(submit, as_user, participant, settings):
    settings.POOLBENCH_REJECTED_FILES_DAYS = 30
    run = submit()
    path = store.find_blob_path(run.file)
    age(29)
    assert remove_old_rejected_files() == 0
    age(2)
    assert remove_old_rejected_files() == 1
    assert remove_old_rejected_files() == 0
    run.refresh_from_db()
    assert (path.exists(), run.file, run.state) == (False, "", Run.State.REJECTED)
    assert run.fault_report.has_errors
    assert Event.objects.get(code="run.file_removed").data == {"run": run.pk}
    client = as_user(participant)
    page = read_page(client.get(run.get_absolute_url()))
    assert "The file was removed on" in page
    assert reverse("run-file", args=["small", run.pk]) not in page
    assert client.get(reverse("run-file", args=["small", run.pk])).status_code == 409
    answer = client.get(f"/api/runs/{run.pk}/file/")
    assert (answer.status_code, answer.json()["code"]) == (409, "file-removed")
    assert client.get(f"/api/runs/{run.pk}/").json()["file_removed_at"]


def test_a_file_that_another_row_names_stays(submit, campaign, organizer):
    good = run_text("good")
    accepted = submit(good)
    same = submit(good)  # its tag is taken
    assert (same.state, same.file) == (Run.State.REJECTED, accepted.file)
    age(31)
    assert remove_old_rejected_files() == 1
    assert read_original_file(accepted) == good


def test_a_file_that_was_just_sent_again_stays(submit):
    run = submit()
    age(31)
    assert store.put_blob(store.get_blob(run.file), PACKED) == run.file
    assert remove_old_rejected_files() == 1
    assert store.find_blob_path(run.file).exists()


@pytest.fixture
def send(campaign, team, participant):
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


def test_an_accepted_run_with_the_tag_ends_the_reminder(campaign, participant, send):
    first = send("one", good=False)
    second = send("two", good=False)
    send("one", good=False)
    assert reminders(campaign, participant) == ["3 runs of your team were rejected"]
    send("one", good=True)
    assert reminders(campaign, participant) == ["1 run of your team was rejected"]
    assert list_open_rejections([first.team_id]) == [second]


def test_a_run_that_was_to_replace_another_is_mended_by_one_that_does(campaign, participant, send):
    first = send("one", good=True)
    send("one-b", good=False, replaces=first)
    assert reminders(campaign, participant) == ["1 run of your team was rejected"]
    send("one-c", good=True, replaces=first)
    assert reminders(campaign, participant) == []


def test_a_run_accepted_before_ends_nothing(campaign, participant, send):
    send("one", good=True)
    send("one", good=False)
    assert len(reminders(campaign, participant)) == 1


def test_a_team_dismisses_its_own(campaign, participant, rival, organizer, send, as_user):
    send("one", good=False)
    send("two", good=False)
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
    send("one", good=False)
    assert reminders(campaign, participant) == ["1 run of your team was rejected"]


def test_nothing_is_asked_after_the_deadline(campaign, participant, send):
    send("one", good=False)
    past = timezone.now() - timedelta(hours=1)
    Campaign.objects.filter(pk=campaign.pk).update(runs_deadline=past)
    assert reminders(campaign, participant) == []
