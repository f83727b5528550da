"""The management commands of this app."""

import io
import sys
from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from campaigns.models import Job, User
from tests.pages import run_command


def test_make_organizer_makes_an_account_with_a_random_password(db, client):
    out = run_command("make_organizer", "ann", email="ann@example.org")
    password = out.split("(shown only once): ")[1].split()[0]
    ann = User.objects.get()
    assert (ann.can_create_campaigns, ann.email) == (True, "ann@example.org")
    assert ann.check_password(password)
    assert "/accounts/login/" in out


def test_make_organizer_of_somebody_keeps_the_password(stranger):
    assert "shown only once" not in run_command("make_organizer", "stranger")
    stranger.refresh_from_db()
    assert stranger.can_create_campaigns
    assert stranger.check_password("correct horse battery")


def test_make_organizer_reads_and_checks_a_password(db, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a quiet river\n"))
    assert "quiet" not in run_command("make_organizer", "ann", password_stdin=True)
    assert User.objects.get().check_password("a quiet river")
    monkeypatch.setattr(sys, "stdin", io.StringIO("short\n"))
    with pytest.raises(CommandError, match="too short"):
        run_command("make_organizer", "bob", password_stdin=True)
    with pytest.raises(CommandError, match="valid username"):
        run_command("make_organizer", "not a name")
    assert User.objects.count() == 1


def test_import_commands_bring_files_in(campaign, tmp_path):
    topics, documents = tmp_path / "t.tsv", tmp_path / "d.jsonl"
    topics.write_text("8\teighth\n")
    documents.write_text('{"_id": "new", "text": "x"}\n')
    assert "1 new topic\n" in run_command("import_topics", "small", str(topics))
    assert "1 new document\n" in run_command("import_documents", "small", str(documents))
    assert campaign.topics.filter(number="8").exists()


def test_import_commands_explain_what_is_wrong(campaign, tmp_path):
    bad = tmp_path / "d.jsonl"
    bad.write_text("{broken\n")
    with pytest.raises(CommandError, match="ED02"):
        run_command("import_documents", "small", str(bad))
    with pytest.raises(CommandError, match="Unknown campaign: other"):
        run_command("import_topics", "other", str(bad))
    with pytest.raises(CommandError, match="nobody is not an organizer"):
        run_command("import_topics", "small", str(bad), username="nobody")
    with pytest.raises(CommandError, match="No such file"):
        run_command("import_topics", "small", str(tmp_path / "none"))


def test_tick_queues_lost_jobs_again(campaign):
    job = Job.objects.create(campaign=campaign, kind="campaigns.check_run", state="running")
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.filter(pk=job.pk).update(heartbeat=long_ago, attempts=1)
    assert run_command("tick") == "Jobs requeued: 1\n"
    job.refresh_from_db()
    assert job.state == "queued"
