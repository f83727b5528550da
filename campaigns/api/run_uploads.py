"""Runs sent to the API: submitted, or checked only."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404

from campaigns.api.run_fields import describe_trial
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.queries.lists import list_teams_for
from campaigns.services.run_files import SentFile
from campaigns.services.run_limits import check_size
from campaigns.services.run_trials import try_run
from campaigns.services.runs import submit_and_check_run


def read_upload_bytes(upload: Any) -> bytes:
    """The bytes of an upload, read only if its size is within the limit."""
    check_size(upload.size)
    data: bytes = upload.read()
    return data


def open_upload(upload: Any) -> SentFile:
    """The same as a file, which is not read."""
    check_size(upload.size)
    return SentFile.from_upload(upload)


def submit_uploaded_run(actor: User, campaign: Campaign, fields: dict[str, Any]) -> Run:
    """Submit the run of an upload form, and check it now if it is small."""
    find_named_rows(actor, campaign, fields)
    upload = fields.pop("file")
    return submit_and_check_run(
        one_use=True,
        actor=actor,
        campaign=campaign,
        data=open_upload(upload),
        file_name=upload.name,
        **fields,
    )


def try_uploaded_run(actor: User, campaign: Campaign, fields: dict[str, Any]) -> dict[str, Any]:
    """Check the run of an upload form without submitting it."""
    find_named_rows(actor, campaign, fields)
    trial = try_run(
        actor=actor,
        campaign=campaign,
        team=fields["team"],
        data=open_upload(fields["file"]),
        file_name=fields["file"].name,
        tag=fields.get("tag", ""),
        replaces=fields.get("replaces"),
        task=fields.get("task"),
    )
    return describe_trial(trial)


def find_named_rows(actor: User, campaign: Campaign, fields: dict[str, Any]) -> None:
    """Put the rows for the team, the task and the run to be replaced that ``fields`` name."""
    teams, name = list_teams_for(actor, campaign), fields.pop("team", None)
    fields["team"] = get_object_or_404(teams, name=name) if name else teams.first()
    if fields["team"] is None:
        raise ActionRefused("no-team", "The run has no team.", 'Set the field "team".')
    if slug := fields.pop("task", None):
        fields["task"] = get_object_or_404(campaign.tasks, slug=slug)
    if (number := fields.pop("replaces", None)) is not None:
        visible = Run.objects.visible_to(actor)
        fields["replaces"] = get_object_or_404(visible, campaign=campaign, pk=number)
