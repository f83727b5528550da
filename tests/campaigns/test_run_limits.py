"""What a team may store besides accepted runs, and when files of rejected runs go."""

from __future__ import annotations

import os
import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Event, Run
from campaigns.services.run_limits import remove_old_rejected_files
from campaigns.services.runs import read_original_file, withdraw_run
from tests.pages import read_page
from tests.world.files import checked_run, run_text

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
    files = len(list(store.blob_path("").rglob("*.gz")))

    def body():
        from tests.world.files import upload

        return {"team": team.pk, "kind": "automatic", "priority": 1, "file": upload(run_text())}

    page = client.post(reverse("run-upload", args=["small"]), body())
    assert (page.status_code, "Too many runs in 24 hours" in read_page(page)) == (422, True)
    api = client.post("/api/runs/", {"campaign": "small", "file": body()["file"]})
    assert (api.status_code, api.json()["code"]) == (409, "daily-limit")
    assert len(list(store.blob_path("").rglob("*.gz"))) == files


def age(days: float) -> None:
    """Let rejected runs and all files become older."""
    for run in Run.objects.exclude(checked_at=None):
        Run.objects.filter(pk=run.pk).update(checked_at=run.checked_at - timedelta(days=days))
    for path in store.blob_path("").rglob("*.gz"):
        old = time.time() - days * 86_400
        os.utime(path, (old, old))


def test_files_of_old_rejected_runs_are_removed(submit, as_user, participant, settings):
    settings.POOLBENCH_REJECTED_FILES_DAYS = 30
    run = submit()
    path = store.blob_path(run.file)
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
    assert store.put_blob(store.get_blob(run.file), ".packed.gz") == run.file
    assert remove_old_rejected_files() == 1
    assert store.blob_path(run.file).exists()
