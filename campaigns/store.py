"""The content store: immutable files named by their sha256, below ``STORE_DIR``."""

from __future__ import annotations

import hashlib
from pathlib import Path
from uuid import uuid4

from django.conf import settings


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put_blob(data: bytes, suffix: str = "") -> str:
    """Store ``data`` and return its name. The same bytes are stored once."""
    digest = sha256(data)
    name = f"{digest[:2]}/{digest}{suffix}"
    target = blob_path(name)
    if target.exists():
        # The row that will name it is still to come: ``check_store --clean`` spares new files.
        target.touch()
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Written to a temporary file and renamed, so that no reader sees half a file.
        part = target.with_name(f"{target.name}.{uuid4().hex}.part")
        part.write_bytes(data)
        part.replace(target)
    return name


def get_blob(name: str) -> bytes:
    return blob_path(name).read_bytes()


def blob_path(name: str) -> Path:
    """The path of the file ``name``. ``name`` comes from ``put_blob``, never from a request."""
    return Path(settings.STORE_DIR) / name
