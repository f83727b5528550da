"""Refusals of a submission before its file is read: team, deadline, size, limits, replacement."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import PermissionDenied

from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Run, Team, User
from campaigns.rules import is_organizer_anywhere, require_permission
from campaigns.services.run_limits import check_daily_limits


def check_can_submit(
    actor: User, campaign: Campaign, team: Team, size: int, replaces: Run | None
) -> None:
    """Refuse what can be refused before the file is read."""
    check_open(actor, campaign)
    check_topics_known(campaign)
    check_size(size)
    check_replaced(team, replaces)
    if replaces is None:
        check_quota(campaign, team)
    check_daily_limits(actor, campaign, team)


def require_team(actor: User, campaign: Campaign, team: Team) -> None:
    """The actor must be in ``team`` or an organizer; the team must belong to the campaign."""
    if team.campaign_id != campaign.pk:
        raise PermissionDenied(f"{team} belongs to another campaign")
    if is_organizer_anywhere(actor, campaign):
        return
    require_permission(actor, "campaigns.submit_run", campaign)
    if not campaign.members.filter(user=actor, team=team).exists():
        raise PermissionDenied(f"{actor.get_username()} is not a member of {team}")


def check_open(actor: User, campaign: Campaign) -> None:
    if (
        campaign.runs_deadline is None
        or campaign.takes_runs()
        or is_organizer_anywhere(actor, campaign)
    ):
        return
    raise ActionRefused(
        "deadline",
        f"The run deadline was {format_utc(campaign.runs_deadline)}.",
        "Ask the organizers; they can submit on behalf of a team.",
    )


def check_topics_known(campaign: Campaign) -> None:
    """Runs are checked against the campaign's topics, so there must be some."""
    if not campaign.topics.exists():
        raise ActionRefused(
            "no-topics",
            "Runs cannot be submitted before topics are imported.",
            "Wait until the organizers have imported the topics.",
        )


def check_size(size: int) -> None:
    limit = settings.POOLBENCH_MAX_UPLOAD_BYTES
    if size > limit:
        raise ActionRefused(
            "too-large",
            f"The file has {size:,} bytes; the limit is {limit:,}.",
            "Submit fewer documents per topic, or compress the file with gzip.",
        )


def check_quota(campaign: Campaign, team: Team) -> None:
    limit = campaign.max_runs_per_team
    if limit is not None and team.runs.scored().count() >= limit:
        raise ActionRefused(
            "quota",
            f"Run limit reached: the team has {limit} accepted runs.",
            "Replace or withdraw a run whose scores are not released.",
        )


def check_replaced(team: Team, replaces: Run | None) -> None:
    if replaces is None:
        return
    if replaces.team_id != team.pk or replaces.state != Run.State.ACCEPTED:
        raise ActionRefused(
            "not-replaceable",
            "Only an accepted run of the same team can be replaced.",
            "Submit the file as a new run.",
        )
    if replaces.is_released:
        raise ActionRefused(
            "scores-released",
            "The scores of this run have been released, so it can no longer be replaced.",
            "Submit the file as a new run.",
        )
