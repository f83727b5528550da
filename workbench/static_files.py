"""Static files under names with a hash of their content, compressed, for caches of any age."""

import fcntl
import hashlib
import logging
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

UNUSED = ["drf_spectacular_sidecar/swagger-ui-dist", "rest_framework", "django_htmx/ext", "*.map"]
"""Files of packages that no page names."""
log = logging.getLogger(__name__)


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Files by their hashed names, in scripts' imports as well; by their own if not collected."""

    support_js_module_import_aggregation = True

    def hashed_name(self, name: str, *args: Any, **options: Any) -> str:
        """Packages name maps and modules that they do not have: those names stay."""
        try:
            return str(super().hashed_name(name, *args, **options))
        except ValueError:
            return name

    def stored_name(self, name: str) -> str:
        is_collected = self.hash_key(self.clean_name(name)) in self.hashed_files
        return str(super().stored_name(name)) if is_collected else name


def collect_static_files() -> None:
    """Collect the files if they are others than last time; each web process asks as it starts."""
    root = Path(settings.STATIC_ROOT)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with (root / "collected").open("a+") as stamp:
            fcntl.flock(stamp, fcntl.LOCK_EX)
            stamp.seek(0)
            digest = digest_static_files()
            if stamp.read() != digest:
                call_command(
                    "collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED
                )
                stamp.truncate(0)
                stamp.write(digest)
    except OSError as error:  # a full disk, or one that may only be read
        log.warning("static files are served without hashes: %s", error)


def digest_static_files() -> str:
    """The SHA-256 of the names and contents of all files, wherever the finders find them."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(UNUSED):
            digest.update(name.encode() + Path(storage.path(name)).read_bytes())
    return digest.hexdigest()
