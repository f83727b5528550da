"""``check_store`` and ``housekeeping``: the content store against the rows that name its files, in
a folder and in a bucket.
"""

import errno
import io
import os
import stat
import time
from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessLog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaigns import store
from campaigns.models import Run
from campaigns.services.run_files import SENT, remove_sent_file
from campaigns.storages import StoreAwayError
from evaluation.models import ScoreSet
from tests.object_store import in_both
from tests.pages import run_command

DAY = 24 * 3600


@pytest.fixture
def world(world):
    """Its checks remove the files as sent once their transaction has ended, which is never."""
    for file in list(store.list_blobs()):
        if SENT in file.name:
            remove_sent_file(file.name)
    return world


def test_a_whole_store_is_whole_and_every_file_in_it_has_its_row(world, files):
    told = run_command("check_store").splitlines()
    count = len(list(store.list_blobs()))
    assert count > 20
    assert told == [
        f"Files named by rows: {count}; missing: 0; damaged: 0; not named by any row: 0"
    ]


@pytest.mark.parametrize("field", ["file", "matrix"])
def test_a_missing_file_is_named_with_its_row(world, files, field):
    name = getattr(world.run, field)
    files.remove(name)
    out = io.StringIO()
    with pytest.raises(CommandError, match="Restore"):
        call_command("check_store", stdout=out)
    assert f"missing: {name}, named by run {world.run.pk} of " in out.getvalue()
    rows = Run.objects.filter(**{field: name}).count()
    assert f"missing: {rows}; damaged: 0" in out.getvalue()


def test_a_file_with_other_content_is_damaged(world, files):
    files.write(world.qrels.path, store.get_blob(world.qrels.path)[:-1] + b"?")
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("check_store", stdout=out)
    assert f"damaged: {world.qrels.path}, named by qrels" in out.getvalue()


def test_a_lost_report_of_a_job_is_missing(world):
    name = world.report.result["report"]
    store.find_blob_path(name).unlink()
    with pytest.raises(CommandError):
        run_command("check_store")


@in_both
def test_cleaning_removes_old_unnamed_files_only(world, files):
    left_over, young, part = store.put_blob(b"old"), store.put_blob(b"young"), "ab/abc.part"
    files.write(part, b"half")
    for name in (left_over, part, world.run.file):
        files.make_old(name)
    told = run_command("check_store")
    assert "not named by any row: 3" in told
    assert store.has_blob(left_over)
    told = run_command("check_store", "--clean")
    assert "Files removed: 2" in told
    assert list(map(store.has_blob, (left_over, part, young))) == [False, False, True]
    assert store.has_blob(world.run.file)
    assert "Files removed: 1" in run_command("check_store", "--clean", "--older-than", "0")


@in_both
def test_a_file_that_is_stored_again_is_young_again(files):
    """Its new row may not be committed yet when ``--clean`` looks."""
    name = store.put_blob(b"same")
    files.make_old(name)
    assert store.get_blob_age(name) > DAY
    store.put_blob(b"same")
    assert store.get_blob_age(name) < DAY
    assert store.get_blob(name) == b"same"


def test_housekeeping_removes_what_is_over(world, settings, tmp_path, files):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "uploads")
    abandoned = tmp_path / "uploads" / "tmpx.upload.txt"
    abandoned.parent.mkdir()
    for path in (abandoned, abandoned.with_name("tmpy.upload.txt")):
        path.write_bytes(b"half a run")
    left_over = store.put_blob(b"left over")
    files.make_old(left_over)
    os.utime(abandoned, (time.time() - 2 * DAY,) * 2)
    now = timezone.now()
    for key, end in (("over", now - timedelta(days=1)), ("open", now + timedelta(days=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=end)
    for days in (100, 1):
        record = AccessLog.objects.create(username="ann", ip_address="192.0.2.1")
        AccessLog.objects.filter(pk=record.pk).update(attempt_time=now - timedelta(days=days))
    before = Run.objects.count(), ScoreSet.objects.count()
    assert run_command("housekeeping").splitlines() == [
        "Ended sessions: 1 removed",
        "Sign-in records: 1 removed",
        "Accounts never confirmed: 0 removed",
        "Unfinished uploads: 1 removed",
        "Files of rejected runs: 0 removed",
        "Indexes of campaigns that were deleted: 0 removed",
        "Keys of worker IDs past their retention date: 0 removed",
        "Store files not named by any row: 1 removed",
    ]
    assert (abandoned.exists(), store.has_blob(left_over)) == (False, False)
    assert (Run.objects.count(), ScoreSet.objects.count()) == before
    assert list(Session.objects.values_list("session_key", flat=True)) == ["open"]


def test_a_file_is_on_disk_before_its_name_is_given(monkeypatch):
    """Its bytes before the rename, the folder with the name after it, both before the row."""
    done = []
    fsync, replace = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def note_rename(path: Path, target: Path) -> Path:
        done.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    store.put_blob(b"new")
    assert done[-3:] == ["file", "rename", "folder"]
    store.put_blob(b"new")
    assert done[-1] == "folder"


def test_a_file_of_another_disk_is_on_this_one_before_its_name_is_given(monkeypatch, tmp_path):
    """As an upload is if the store is a shared folder: it is moved as a copy, and synced itself."""
    synced, fsync = [], os.fsync

    def note_sync(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def refuse(*_paths) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "rename", refuse)  # by shutil.move; the store's own is os.replace
    sent = tmp_path / "sent"
    sent.write_bytes(b"of another disk")
    name = store.put_file(sent)
    assert store.find_blob_path(name).stat().st_ino in synced


@pytest.mark.parametrize("failing", ["write", "rename"])
def test_what_could_not_be_stored_leaves_nothing(monkeypatch, failing):
    store.put_blob(b"before")

    def fail(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if failing == "write" else (Path, "replace")), fail)
    with pytest.raises(StoreAwayError, match="No space"):
        store.put_blob(b"after")
    files = [path for path in Path(settings.STORE_DIR).rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in files] == [b"before"]
