"""A backup of an installation in one file, and its restoration into an empty one.

The file is a tar archive of the database (a dump by ``pg_dump``, or a copy by SQLite's own means),
the store and the secret key. Its last member is ``manifest.json`` with the SHA-256 of each other:
a file whose writing was cut off has none, and is refused.
"""

import hashlib
import io
import json
import os
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.services.store_marker import clear_marker, require_own_store
from campaigns.storages import MARKER
from poolbench.files.replacement import replace_file

FORM = 1
MANIFEST, DATABASE, STORE, SECRET_KEY = "manifest.json", "database", "store/", "secret_key"
SUFFIX, ANOTHER = ".tar", "Take another backup."


def write_backup(target: Path) -> dict[str, Any]:
    """Write a backup and return its manifest; in a folder, under the time of its making.

    The database comes first: a file without a row is harmless, a row without its file is not.
    """
    if has_markers():
        require_own_store()
    if target.is_dir():
        target /= f"poolbench-{timezone.now():%Y-%m-%d-%H%M%S}{SUFFIX}"
    manifest: dict[str, Any] = describe_installation() | {"file": target.name, "files": {}}
    with (
        replace_file(target) as part,
        open(part, "xb", opener=open_private) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        with store.keep_files():
            for name, size, content in list_parts(target.parent):
                manifest["files"][name] = add_file(archive, name, size, content)
        key = add_bytes(archive, SECRET_KEY, settings.SECRET_KEY.encode())
        manifest["files"][SECRET_KEY] = key
        add_bytes(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
    return manifest


def open_private(path: str, flags: int) -> int:
    """It has passwords' hashes and the secret key: for its owner only."""
    return os.open(path, flags, 0o600)


def describe_installation() -> dict[str, Any]:
    applied = MigrationLoader(connection).applied_migrations
    return {
        "form": FORM,
        "version": version("poolbench"),
        "made_at": timezone.now().isoformat(),
        "engine": connection.vendor,
        "migrations": sorted(f"{app}.{name}" for app, name in applied),
    }


class Hashed(io.BufferedIOBase):
    """A stream that hashes what is read of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int | None = -1, /) -> bytes:
        data = self.stream.read(-1 if size is None else size)
        self.digest.update(data)
        return data


def list_parts(scratch: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Name, size and content of each file; the first is the database."""
    with TemporaryDirectory(dir=scratch, prefix="poolbench-") as folder:
        dump = Path(folder) / DATABASE
        copy_database(dump)
        with dump.open("rb") as stream:
            yield DATABASE, dump.stat().st_size, stream
    for file in sorted(store.list_blobs()):
        # Half of a file that is being written, or the probe of /health/.
        if not file.name.endswith(".part"):
            with store.open_blob(file.name) as stream:
                yield f"{STORE}{file.name}", file.size, stream


def add_file(archive: tarfile.TarFile, name: str, size: int, stream: IO[bytes]) -> str:
    """Add the file and return its SHA-256."""
    info, hashed = tarfile.TarInfo(name), Hashed(stream)
    info.size, info.mode = size, 0o600
    archive.addfile(info, cast(IO[bytes], hashed))
    return hashed.digest.hexdigest()


def add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> str:
    return add_file(archive, name, len(data), io.BytesIO(data))


def list_known_migrations() -> set[str]:
    """Of this version, as ``app.name``, with those that they have replaced."""
    migrations = MigrationLoader(None).disk_migrations
    replaced = {key for migration in migrations.values() for key in migration.replaces}
    return {f"{app}.{name}" for app, name in {*migrations, *replaced}}


def copy_database(target: Path) -> None:
    """The state of one moment, while others write."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            connection.connection.backup(copy)
    else:
        run_postgresql("pg_dump", "--format=custom", f"--file={target}")


def run_postgresql(program: str, *options: str) -> None:
    """Run a program of PostgreSQL on our database; the password is not among its arguments."""
    words, env = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    command = [program, *words[1:-1], "--dbname", words[-1], *options]
    done = subprocess.run(  # noqa: S603
        command, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        fix = f"It ended with {done.returncode}: {done.stderr.strip()[-500:]}"
        raise ActionRefused("program-failed", f"{program} failed.", fix)


def check_backup(source: Path) -> dict[str, Any]:
    """The manifest, once all members have been read and found to be what it says."""
    files: dict[str, str] = {}
    manifest: dict[str, Any] = {}
    try:
        with tarfile.open(source) as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isreg() else None
                if stream is None or member.name in files or manifest:
                    raise ActionRefused("odd-backup", f"{member.name} does not belong to a backup.")
                if member.name == MANIFEST:
                    manifest = json.loads(stream.read())
                else:
                    digest = hashlib.file_digest(stream, "sha256")  # type: ignore[arg-type]
                    files[member.name] = digest.hexdigest()
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise ActionRefused("not-whole", f"{source} cannot be read: {error}.", ANOTHER) from error
    if not manifest:
        raise ActionRefused("not-whole", f"{source} was not written to its end.", ANOTHER)
    if odd := sorted({name for name, _ in files.items() ^ manifest["files"].items()}):
        raise ActionRefused("damaged", f"{source} is damaged: {', '.join(odd[:5])}.", ANOTHER)
    return manifest


def restore_backup(source: Path) -> dict[str, Any]:
    """Fill an empty installation; nothing is changed where the backup or the place is not fit."""
    manifest = check_backup(source)
    require_fit(manifest)
    with TemporaryDirectory(dir=settings.VAR_DIR, prefix="restore-") as folder:
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")  # no link, nothing outside
        load_database(Path(folder, DATABASE))
        for path in sorted(Path(folder, STORE).rglob("*")):
            if path.is_file():
                name = path.relative_to(Path(folder, STORE)).as_posix()
                store.get_storage().put_file(name, path)
        if has_markers():
            clear_marker()
        Path(folder, SECRET_KEY).replace(settings.VAR_DIR / SECRET_KEY)
        os.sync()
    return manifest


def require_fit(manifest: dict[str, Any]) -> None:
    """Refuse another engine, a newer version, and whatever is not empty."""
    if manifest["form"] != FORM or manifest["engine"] != connection.vendor:
        message = f"The backup is of {manifest['engine']}, DATABASE_URL of {connection.vendor}."
        raise ActionRefused("other-engine", message, "Name such a database in DATABASE_URL.")
    if newer := set(manifest["migrations"]) - list_known_migrations():
        message = f"The backup is of another version, {manifest['version']}: {min(newer)}."
        raise ActionRefused("other-version", message, "Install that version, or a newer one.")
    if connection.introspection.table_names():
        fix = "Create a database of its own, and name it in DATABASE_URL."
        raise ActionRefused("not-empty", "The database is not empty.", fix)
    if any(store.list_blobs()) or store.has_blob(MARKER):
        fix = "Name an empty folder in POOLBENCH_VAR, or an empty bucket in POOLBENCH_STORE."
        raise ActionRefused("not-empty", "The store is not empty.", fix)


def has_markers() -> bool:
    """Whether the database is new enough to know its store."""
    return "campaigns_storemarker" in connection.introspection.table_names()


def load_database(dump: Path) -> None:
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(dump)) as copy:
            copy.backup(connection.connection)
    else:
        run_postgresql("pg_restore", "--no-owner", "--no-acl", "--single-transaction", str(dump))
