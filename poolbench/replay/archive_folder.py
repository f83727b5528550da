"""The folder of an archived campaign: unpacked from its zip, its checksums, its tables.

Nothing is unpacked to a path that the zip chooses, and never more bytes than allowed.
"""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.json_texts import parse_json
from poolbench.replay.manifest import MANIFEST
from poolbench.texts.document_files import is_path_outside

SUMS = "SHA256SUMS"
TABLES = "tables"
FORM = 1
"""Of archives: a change of their tables raises it."""
MAX_BYTES = 32 << 30
"""Of all files together, unpacked."""
MAX_FILE_BYTES = 8 << 30
MAX_FILES = 1_000_000
MAX_RATIO = 400
"""Unpacked bytes for each in the zip; tables of judgments are below 50."""
ALWAYS_ALLOWED = 64 << 20
"""Bytes, however well a zip is compressed."""
STEP = 1 << 20
LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")
AGAIN = "Get the archive again."


@contextmanager
def open_campaign_folder(path: Path) -> Iterator[Path]:
    """The folder with ``campaign.yaml``: ``path`` itself, or what is in the zip ``path``, until
    the block ends. Raises ``InvalidFile``.
    """
    if not path.is_file():
        yield path
        return
    with TemporaryDirectory(prefix="poolbench-archive-") as folder:
        unpack_archive(path, Path(folder))
        yield find_campaign_folder(Path(folder))


def find_campaign_folder(folder: Path) -> Path:
    """``folder``, or the only folder in it."""
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def unpack_archive(file: Path, folder: Path, max_bytes: int = MAX_BYTES) -> None:
    """Unpack the zip ``file`` below ``folder``. Raises ``InvalidFile`` for one that is damaged
    or too large, or has a member outside of the folder.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if len(members) > MAX_FILES:
                reject_archive(file, "EA03", f"The zip has more than {MAX_FILES:,} files.")
            packed = sum(each.compress_size for each in members)
            room = min(max_bytes, max(ALWAYS_ALLOWED, MAX_RATIO * packed))
            for member in members:
                room -= unpack_member(archive, member, folder, room)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        # The last: an encrypted member, or an unknown method of compression.
        reject_archive(file, "EA01", f"The zip is damaged ({error}).")


def unpack_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, room: int
) -> int:
    """Unpack one file; return its number of bytes, at most ``room``."""
    path, file = PurePosixPath(member.filename.replace("\\", "/")), Path(archive.filename or "")
    if is_path_outside(path, member) or not path.parts or "\0" in member.filename:
        message = "A path points outside the zip, or is a symbolic link."
        reject_archive(file, "EA02", message, member.filename)
    target = folder.joinpath(*path.parts)
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return 0
    size, most = 0, min(room, MAX_FILE_BYTES)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed, target.open("xb") as stream:
            while part := packed.read(min(STEP, most - size + 1)):
                size += len(part)
                if size > most:
                    message = "The zip unpacks to more bytes than allowed."
                    reject_archive(file, "EA03", message, member.filename)
                stream.write(part)
    except OSError as error:
        # Such as two members of one name, or a file where a folder should be.
        reject_archive(
            file, "EA01", f"A file cannot be unpacked ({error.strerror}).", member.filename
        )
    return size


def is_archive(folder: Path) -> bool:
    """Whether ``folder`` is an archived campaign, and not one written by hand."""
    return (folder / MANIFEST).is_file() and (folder / TABLES).is_dir()


def check_sums(folder: Path) -> dict[str, str]:
    """What is wrong with the files of ``folder`` by their name; empty if nothing is."""
    listed, wrong = read_sums(folder), dict[str, str]()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or (not path.is_dir() and name not in listed and name != SUMS):
            wrong[name] = f"not listed in {SUMS}"
    for name, digest in listed.items():
        path = folder / name
        if not path.is_file() or path.is_symlink():
            wrong[name] = "missing"
        elif hash_file(path) != digest:
            wrong[name] = f"its SHA-256 is not that of {SUMS}"
    return wrong


def read_sums(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file by its name."""
    path = folder / SUMS
    if not path.is_file():
        reject_archive(path, "EA04", f"The archive has no {SUMS}.")
    matches = map(LINE.fullmatch, path.read_text(encoding="utf-8").splitlines())
    return {match[2]: match[1] for match in matches if match}


def hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def iter_rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of the table ``name``, in their order; none without the table."""
    path = folder / TABLES / f"{name}.jsonl"
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            try:
                row = parse_json(line)
            except ValueError as error:
                reject_archive(path, "EA05", f"Not JSON: {error}.", line=number)
            if not isinstance(row, dict) or row.get("id") != number:
                reject_archive(path, "EA05", f"Not the row with id {number}.", line=number)
            yield row


def reject_archive(
    file: Path, code: str, message: str, excerpt: str = "", line: int | None = None
) -> NoReturn:
    """Raise ``InvalidFile`` with one fault."""
    report = FaultReport(file.name)
    report.add(code, message, AGAIN, excerpt=excerpt, line=line)
    raise InvalidFile(report)
