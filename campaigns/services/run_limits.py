"""Refusals of a submission before its file is read, and removal of old files of rejected runs."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns import store
from campaigns.errors import ActionRefused, format_thousands, format_utc
from campaigns.models import Campaign, CampaignTask, Run, Team, User
from campaigns.queries.tasks import list_open_tasks
from campaigns.rules import is_organizer_anywhere, require_open, require_permission
from campaigns.services import events

DAY = timedelta(days=1)
RECENT = 3600.0
"""Seconds. A file stored this recently may belong to a run whose row is not written yet."""


def check_can_submit(
    actor: User,
    campaign: Campaign,
    team: Team,
    size: int,
    replaces: Run | None,
    task: CampaignTask | None = None,
) -> None:
    """Refuse what can be refused before the file is read."""
    check_open(actor, campaign, team, task)
    check_topics_known(campaign)
    check_size(size)
    check_replaced(team, replaces)
    if replaces is None:
        check_quota(campaign, team, task)
    check_daily_limits(actor, campaign, team)


def require_team(actor: User, campaign: Campaign, team: Team) -> None:
    """The actor must be in ``team`` or an organizer; the team must belong to the campaign."""
    if team.campaign_id != campaign.pk:
        raise PermissionDenied(f"{team} belongs to another campaign")
    require_open(campaign)
    if is_organizer_anywhere(actor, campaign):
        return
    require_permission(actor, "campaigns.submit_run", campaign)
    if not campaign.members.filter(user=actor, team=team).exists():
        raise PermissionDenied(f"{actor.get_username()} is not a member of {team}")


def check_open(
    actor: User, campaign: Campaign, team: Team, task: CampaignTask | None = None
) -> None:
    deadline = campaign.get_deadline_for(team.runs_deadline)
    open_for_team = campaign.is_open_for(team.runs_deadline)
    if task is not None and task.is_over:
        deadline, open_for_team = task.deadline, False
    if deadline is None or open_for_team or is_organizer_anywhere(actor, campaign):
        return
    message = _("The run deadline was %(at)s.") % {"at": format_utc(deadline)}
    fix = _("Ask the organizers; they can submit on behalf of a team.")
    raise ActionRefused("deadline", message, fix)


def check_topics_known(campaign: Campaign) -> None:
    """Runs are checked against the campaign's topics, so there must be some."""
    if not campaign.topics.exists():
        message = _("Runs cannot be submitted before topics are imported.")
        fix = _("Wait until the organizers have imported the topics.")
        raise ActionRefused("no-topics", message, fix)


def choose_task(
    campaign: Campaign, task: CampaignTask | None, replaces: Run | None
) -> CampaignTask | None:
    """The task of a run: the one that was named, that of the run to be replaced, or the only one
    that is open. None in a campaign without tasks.
    """
    if task is not None and task.campaign_id != campaign.pk:
        raise PermissionDenied(f"{task} belongs to another campaign")
    if replaces is not None:
        if task is not None and task.pk != replaces.task_id:
            message = _("The run to be replaced was submitted to another task.")
            raise ActionRefused("other-task", message, _("Submit the file as a new run."))
        return replaces.task
    if task is not None or not campaign.tasks.exists():
        return task
    available = list_open_tasks(campaign)
    if len(available) != 1:
        names = ", ".join(each.slug for each in available or campaign.tasks.all())
        message = _("The campaign has several tasks; the run names none.")
        fix = _("Choose one of: %(names)s.") % {"names": names}
        raise ActionRefused("no-task", message, fix)
    return available[0]


def check_size(size: int) -> None:
    limit = settings.POOLBENCH_MAX_UPLOAD_BYTES
    if size > limit:
        values = {"size": format_thousands(size), "limit": format_thousands(limit)}
        message = _("The file has %(size)s bytes; the limit is %(limit)s.") % values
        fix = _("Submit fewer documents per topic, or compress the file with gzip.")
        raise ActionRefused("too-large", message, fix)


def check_quota(campaign: Campaign, team: Team, task: CampaignTask | None = None) -> None:
    """The limit counts the runs of one task."""
    limit = campaign.max_runs_per_team if task is None else task.run_limit
    if limit is not None and team.runs.scored().filter(task=task).count() >= limit:
        message = _("Run limit reached: the team has %(limit)s accepted runs.") % {"limit": limit}
        fix = _("Replace or withdraw a run whose scores are not released.")
        raise ActionRefused("quota", message, fix)


def check_replaced(team: Team, replaces: Run | None) -> None:
    if replaces is None:
        return
    if replaces.team_id != team.pk or replaces.state != Run.State.ACCEPTED:
        message = _("Only an accepted run of the same team can be replaced.")
        fix = _("Submit the file as a new run.")
        raise ActionRefused("not-replaceable", message, fix)
    if replaces.is_released:
        message = _("The scores of this run have been released, so it can no longer be replaced.")
        fix = _("Submit the file as a new run.")
        raise ActionRefused("scores-released", message, fix)


def check_daily_limits(actor: User, campaign: Campaign, team: Team) -> None:
    """Refuse another run of a team with too many, or too large, runs that are not accepted.

    Runs of its members in the last 24 hours count while they are waiting, rejected, replaced or
    withdrawn. Several submissions at the same moment can pass together. Organizers are exempt.
    """
    if is_organizer_anywhere(actor, campaign):
        return
    runs = team.runs.exclude(state=Run.State.ACCEPTED).filter(
        submitted_at__gt=timezone.now() - DAY, submitted_by__in=team.members.values("user")
    )
    rows = list(runs.order_by("submitted_at").values_list("submitted_at", "size"))
    end = find_limit_end(
        rows, settings.POOLBENCH_REJECTED_RUNS_PER_DAY, settings.POOLBENCH_REJECTED_BYTES_PER_DAY
    )
    if end is None:
        return
    raise ActionRefused(
        "daily-limit",
        _(
            "Too many runs in 24 hours that were not accepted: the team has %(n)s with %(size)s"
            " bytes; the limits are %(most)s runs and %(most_size)s bytes."
        )
        % {
            "n": len(rows),
            "size": format_thousands(sum(size for _at, size in rows)),
            "most": settings.POOLBENCH_REJECTED_RUNS_PER_DAY,
            "most_size": format_thousands(settings.POOLBENCH_REJECTED_BYTES_PER_DAY),
        },
        _("Submit again after %(at)s, or ask the organizers; they can submit on behalf of a team.")
        % {"at": format_utc(end)},
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
        events.log_event(run.campaign, None, "run.file_removed", run.label, run=run.pk)
    return 1


def remove_unnamed_file(name: str) -> None:
    """Remove a run's file from the store, unless another run has the same bytes.

    Only runs name files with their suffixes.
    """
    named = Run.objects.filter(file=name).exists()
    if not named and store.has_blob(name) and store.get_blob_age(name) > RECENT:
        store.remove_blob(name)
