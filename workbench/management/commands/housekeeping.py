"""``manage.py housekeeping``: remove what is no longer needed. Run it every night."""

import time
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand
from django.utils import timezone

from campaigns.services.accounts import remove_unconfirmed_accounts
from campaigns.services.matrices import remove_unused_segments
from campaigns.services.run_limits import remove_old_rejected_files
from campaigns.services.store_marker import require_own_store
from crowd.services.keys import destroy_expired_keys
from workbench.stored_files import list_unnamed_files, remove_unnamed_files

UPLOAD_HOURS = 24.0
"""An upload takes minutes; older files are of requests that were cut off."""


class Command(BaseCommand):
    help = (
        "Remove ended sessions, old sign-in records, accounts never confirmed, rejected files, "
        "files left over, old keys."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days",
            type=int,
            default=90,
            help="keep the records of sign-ins for so long (default: %(default)s)",
        )

    def handle(self, **options: Any) -> None:
        chores: dict[str, Callable[[], int]] = {
            "Ended sessions": remove_ended_sessions,
            "Sign-in records": lambda: remove_sign_in_records(options["days"]),
            "Accounts never confirmed": remove_unconfirmed_accounts,
            "Unfinished uploads": remove_unfinished_uploads,
            "Files of rejected runs": remove_old_rejected_files,
            "Indexes of campaigns that were deleted": remove_unused_segments,
            "Keys of worker IDs past their retention date": destroy_expired_keys,
            # Last: it refuses another store, which must not hold up the others.
            "Store files not named by any row": remove_left_over_files,
        }
        for name, remove in chores.items():
            self.stdout.write(f"{name}: {remove()} removed")


def remove_left_over_files() -> int:
    """Never of another installation's store, where all files are."""
    require_own_store()
    return remove_unnamed_files(list_unnamed_files())


def remove_ended_sessions() -> int:
    before = Session.objects.count()
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return before - Session.objects.count()


def remove_sign_in_records(days: int) -> int:
    old = timezone.now() - timedelta(days=days)
    records = (AccessAttempt, AccessFailureLog, AccessLog)
    return sum(model.objects.filter(attempt_time__lt=old).delete()[0] for model in records)


def remove_unfinished_uploads() -> int:
    uploads = Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*")
    return sum(map(remove_old_upload, uploads))


def remove_old_upload(path: Path) -> bool:
    try:
        if time.time() - path.stat().st_mtime < UPLOAD_HOURS * 3600:
            return False
        path.unlink()
    except FileNotFoundError:
        return False
    return True
