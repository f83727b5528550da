"""Limits on what a team may store besides its accepted runs, and removal of old files."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Run, Team, User
from campaigns.rules import is_organizer_anywhere
from campaigns.services import events

DAY = timedelta(days=1)
RECENT = 3600.0
"""Seconds. A file stored this recently may belong to a run whose row is not written yet."""


def check_daily_limits(actor: User, campaign: Campaign, team: Team) -> None:
    """Refuse another run of a team with too many, or too large, runs that are not accepted.

    Runs of its members in the last 24 hours count while they are waiting, rejected, replaced or
    withdrawn. Several submissions at the same moment can pass together. Organizers are exempt.
    """
    if is_organizer_anywhere(actor, campaign):
        return
    runs = team.runs.exclude(state=Run.State.ACCEPTED).filter(
        submitted_at__gt=timezone.now() - DAY,
        submitted_by__in=team.members.values("user"),
    )
    rows = list(runs.order_by("submitted_at").values_list("submitted_at", "size"))
    end = find_limit_end(
        rows, settings.POOLBENCH_REJECTED_RUNS_PER_DAY, settings.POOLBENCH_REJECTED_BYTES_PER_DAY
    )
    if end is None:
        return
    raise ActionRefused(
        "daily-limit",
        "Too many runs in 24 hours that were not accepted: the team has"
        f" {len(rows)} with {sum(size for _at, size in rows):,} bytes; the limits are"
        f" {settings.POOLBENCH_REJECTED_RUNS_PER_DAY} runs and"
        f" {settings.POOLBENCH_REJECTED_BYTES_PER_DAY:,} bytes.",
        f"Submit again after {format_utc(end)}, or ask the organizers;"
        " they can submit on behalf of a team.",
    )


def find_limit_end(rows: list[tuple[datetime, int]], most: int, most_bytes: int) -> datetime | None:
    """When the rows ``(submitted at, bytes)``, oldest first, are below both limits again.

    None if they are now.
    """
    count, size, end = len(rows), sum(size for _at, size in rows), None
    for at, run_size in rows:
        if count < most and size < most_bytes:
            return end
        count, size, end = count - 1, size - run_size, at + DAY
    return end


def remove_old_rejected_files() -> int:
    """Remove the files of runs rejected ``POOLBENCH_REJECTED_FILES_DAYS`` ago; how many runs.

    The run stays on record with its report. A file that another row names stays in the store.
    """
    before = timezone.now() - timedelta(days=settings.POOLBENCH_REJECTED_FILES_DAYS)
    old = Run.objects.filter(state=Run.State.REJECTED, checked_at__lt=before).exclude(file="")
    removed = 0
    for run in old.select_related("campaign", "team").order_by("pk"):
        removed += forget_run_file(run)
        remove_unnamed_file(run.file)
    return removed


def forget_run_file(run: Run) -> int:
    """Note that the file was removed; 1, or 0 if another process was faster."""
    with transaction.atomic():
        named = Run.objects.filter(pk=run.pk, state=Run.State.REJECTED, file=run.file)
        if not named.update(file="", file_removed_at=timezone.now()):
            return 0
        events.log_event(
            campaign=run.campaign,
            actor=None,
            code="run.file_removed",
            subject=f"{run.tag or run.file_name} ({run.team.name})",
            run=run.pk,
        )
    return 1


def remove_unnamed_file(name: str) -> None:
    """Remove a run's file from the store, unless another run has the same bytes.

    Only runs name files with their suffixes.
    """
    named = Run.objects.filter(file=name).exists()
    path = store.blob_path(name)
    if not named and path.exists() and time.time() - path.stat().st_mtime > RECENT:
        path.unlink(missing_ok=True)
