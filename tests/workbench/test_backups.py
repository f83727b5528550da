"""A backup is whole or refused. ``tests/services/test_site`` restores one on PostgreSQL."""

import hashlib
import tarfile
from pathlib import Path

import pytest

from campaigns.errors import ActionRefused
from tests.services.test_workers import make_installation, manage
from workbench import backups
from workbench.backups import check_backup, require_fit, write_backup

MAKE = """
from campaigns.store import put_blob
put_blob(b"a run", ".run")
from campaigns.models import User
User.objects.create_user("kept")
from django.core.management import call_command
call_command("backup", "{folder}", "--keep", "1")
call_command("backup", "{file}")
"""
READ = """
from django.conf import settings
from campaigns.models import User
print(*User.objects.values_list("username", flat=True), settings.SECRET_KEY)
"""


@pytest.fixture(scope="module")
def backup(tmp_path_factory, migrated) -> Path:
    """Of an SQLite installation with one user and one file."""
    folder = tmp_path_factory.mktemp("backup")
    (folder / "kept").mkdir()
    for day in (1, 2):
        (folder / f"kept/poolbench-2026-01-0{day}-030000.tar").touch()
    env = make_installation(folder, migrated)
    made = MAKE.format(folder=folder / "kept", file=folder / "backup.tar")
    told = manage(env, "shell", "-v", "0", "-c", made)
    assert told.count(": removed") == 2
    assert len(list((folder / "kept").iterdir())) == 1
    return folder / "backup.tar"


def test_it_holds_database_store_and_key_for_its_owner_only(backup):
    manifest = check_backup(backup)
    digest = hashlib.sha256(b"a run").hexdigest()
    name = f"store/{digest[:2]}/{digest}.run"
    assert set(manifest["files"]) == {"database", name, "secret_key"}
    assert manifest["files"][name] == digest
    assert (manifest["form"], manifest["engine"]) == (1, "sqlite")
    assert "campaigns.0001_initial" in manifest["migrations"]
    assert backup.stat().st_mode & 0o777 == 0o600
    assert {path.suffix for path in backup.parent.iterdir()} & {".part"} == set()


def test_an_empty_installation_becomes_what_it_was(backup, tmp_path):
    env = make_installation(tmp_path, lambda _path: None)
    assert "3 files of version" in manage(env, "restore", str(backup))
    key = (backup.parent / "secret_key").read_text()
    assert manage(env, "shell", "-v", "0", "-c", READ).split() == ["kept", key]
    (file,) = (path for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert file.read_bytes() == b"a run"


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.9, 0.97])
def test_half_a_backup_is_refused(backup, tmp_path, part):
    data = backup.read_bytes()
    (tmp_path / "half.tar").write_bytes(data[: int(len(data) * part)])
    with pytest.raises(ActionRefused) as refused:
        check_backup(tmp_path / "half.tar")
    assert refused.value.code == "not-whole"


def test_a_damaged_file_is_named(backup, tmp_path):
    data = backup.read_bytes()
    (tmp_path / "damaged.tar").write_bytes(data.replace(b"a run", b"a pun"))
    with pytest.raises(ActionRefused, match=r"is damaged: store/../[0-9a-f]{64}\.run\."):
        check_backup(tmp_path / "damaged.tar")


def test_links_are_refused(tmp_path):
    link = tarfile.TarInfo("store/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with tarfile.open(tmp_path / "odd.tar", "w") as archive:
        archive.addfile(link)
        backups.add_bytes(archive, "manifest.json", b"{}")
    with pytest.raises(ActionRefused) as refused:
        check_backup(tmp_path / "odd.tar")
    assert refused.value.code == "odd-backup"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, "not-empty"),
        ({"engine": "other"}, "other-engine"),
        ({"form": 2}, "other-engine"),
        ({"migrations": ["campaigns.9999_of_tomorrow"]}, "other-version"),
    ],
)
def test_only_what_fits_is_restored(db, changed, code):
    fit = {"form": 1, "engine": backups.connection.vendor, "migrations": [], "version": "1"}
    with pytest.raises(ActionRefused) as refused:
        require_fit(fit | changed)
    assert refused.value.code == code


def test_a_backup_that_fails_leaves_nothing(db, tmp_path, monkeypatch):
    def fail(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "copy_database", lambda path: path.write_bytes(b"dump"))
    monkeypatch.setattr(backups, "add_bytes", fail)
    with pytest.raises(OSError, match="No space"):
        write_backup(tmp_path / "backup.tar")
    assert list(tmp_path.glob("*backup*")) == []
