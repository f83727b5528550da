"""``poolbench doctor``: what is wrong, in words, with its cure."""

import json
import os
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from campaigns.models import Mail, ProcessHeartbeat
from campaigns.services.heartbeats import record_heartbeat
from workbench import doctor
from workbench.doctor import Finding, check_newest_backup, check_secret_key, examine_installation


@pytest.fixture
def findings(organizer, settings):
    """Of a sound installation, apart from what a test does to it: by name."""
    settings.POOLBENCH_INLINE = False
    settings.ALLOWED_HOSTS = settings.LOCAL_HOSTS
    for process in ProcessHeartbeat.Process.values:
        record_heartbeat(process)
    return lambda: {finding.name: finding for finding in examine_installation()}


def test_a_sound_installation(findings):
    assert {finding.state for finding in findings().values()} == {"ok"}
    assert {finding.fix for finding in findings().values()} == {""}
    told = StringIO()
    call_command("doctor", stdout=told)
    assert "ok       database    Rows can be read.\n" in told.getvalue()


def test_what_failed_is_the_exit_and_has_a_fix(findings, settings):
    ProcessHeartbeat.objects.filter(process="worker").delete()
    told = StringIO()
    with pytest.raises(CommandError, match="Failed: worker") as raised:
        call_command("doctor", "--format", "json", stdout=told)
    assert raised.value.returncode == 1
    (failed,) = (it for it in json.loads(told.getvalue()) if it["state"] != "ok")
    assert failed.pop("fix").startswith("systemctl restart poolbench-worker")
    assert failed == {"name": "worker", "state": "failed", "message": "It has never reported."}


def test_one_worker_that_is_silent_among_others_is_named(findings):
    long_ago = timezone.now() - timedelta(minutes=4)
    ProcessHeartbeat.objects.create(process="worker", name="second", at=long_ago)
    assert findings()["worker"].message == "1 stopped reporting."
    assert findings()["worker"].state == "failed"


FAULTS = {
    "hosts": [
        ({"ALLOWED_HOSTS": ["*"]}, "Any host name is accepted, also in links."),
        ({"ALLOWED_HOSTS": ["a.org"]}, "Passwords travel unencrypted."),
        (
            {"ALLOWED_HOSTS": ["a.org"], "BEHIND_TLS": True},
            "All clients have the proxy's address and limits.",
        ),
    ],
    "debug": [({"DEBUG": True}, "Error pages show settings and code to anybody.")],
    "secret key": [({"SECRET_KEY": "short"}, "It is short enough to be guessed.")],
    "mail": [
        (
            {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend",
             "ADMINS": [("", "a@a.org")]},
            "There is no mail server; errors are in the log only.",
        ),
        (
            {"EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
             "EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": 1},
            "[Errno 111] Connection refused",
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [(name, *case) for name, cases in FAULTS.items() for case in cases],
)
def test_settings_that_are_amiss(findings, settings, name, changed, message):
    for setting, value in changed.items():
        setattr(settings, setting, value)
    found = findings()[name]
    assert (found.message, found.state == "ok", found.fix == "") == (message, False, False)


def test_a_cache_that_is_away(findings, settings):
    backend = "django.core.cache.backends.redis.RedisCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "redis://127.0.0.1:1/0"}}
    found = findings()["cache"]
    assert (found.state, found.message[:26]) == ("failed", "Requests are not limited. ")


def test_backups_that_no_longer_come(tmp_path):
    assert check_newest_backup(tmp_path).message == f"{tmp_path} has none."
    (tmp_path / "poolbench-1.tar").touch()
    assert check_newest_backup(tmp_path).state == "ok"
    os.utime(tmp_path / "poolbench-1.tar", (1767225600, 1767225600))
    assert check_newest_backup(tmp_path).message == "The newest is of 2026-01-01 00:00 UTC."


def test_a_key_that_others_read(tmp_path):
    (tmp_path / "key").touch(mode=0o640)
    assert check_secret_key(tmp_path / "key").fix == f"chmod 600 {tmp_path / 'key'}"


def test_migrations_that_are_missing_or_of_a_newer_version(findings):
    applied = MigrationRecorder.Migration.objects
    rows = list(applied.filter(app="campaigns"))
    applied.filter(app="campaigns").delete()
    assert findings()["migrations"].message.endswith(" have not been applied.")
    applied.bulk_create(rows)
    applied.create(app="campaigns", name="9999_of_tomorrow")
    assert findings()["migrations"].message == "The database is of a newer version."


def test_a_clock_that_is_late(findings):
    ahead = timezone.now() + timedelta(minutes=10)
    ProcessHeartbeat.objects.filter(process="tick").update(at=ahead)
    assert findings()["clock"].message in {
        f"It differs from the database's by {n} s." for n in (599, 600)
    }


def test_a_database_that_is_away_leaves_the_rest(findings, monkeypatch):
    health = {"store": "ok", "store_free_bytes": 5 << 30, "database": "failed", "broker": "ok"}
    health |= {"database_error": "no route", "newest_tick_seconds": 1, "newest_worker_seconds": 1}
    monkeypatch.setattr(doctor, "check_health", lambda: health)
    told = findings()
    assert told["database"] == Finding(
        "database", "failed", "no route", doctor.WORKING["database"][1]
    )
    assert told["disk"].message == "5.4 GB are free."
    assert "migrations" not in told


@pytest.mark.parametrize(
    ("fields", "state", "message"),
    [
        ({"hours": 0}, "ok", "1 queued; the oldest that is due has waited "),
        ({"hours": 2}, "failed", "1 could not be sent for an hour."),
        ({"hours": 2, "state": "failed"}, "warning", "1 failed in the last day."),
        ({"hours": 30, "state": "failed"}, "ok", "0 queued"),
    ],
)
def test_mails_that_wait_or_failed(findings, fields, state, message):
    at = timezone.now() - timedelta(hours=fields.pop("hours"))
    Mail.objects.create(kind="message", created_at=at, send_after=at, **fields)
    finding = findings()["outbox"]
    assert finding.state == state
    assert message in finding.message


def test_a_dry_run_is_a_warning(findings, settings):
    settings.POOLBENCH_MAIL_DRY_RUN = True
    assert findings()["outbox"].message == "A dry run: no mail is sent."
