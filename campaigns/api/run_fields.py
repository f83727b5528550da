"""Runs in the API: their fields, and those that are sent to be submitted or checked only."""

from dataclasses import asdict
from functools import cached_property
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.serializers import Serializer

from campaigns.api.limits import is_storable, iter_json
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run, User
from campaigns.models.runs import CheckPlace
from campaigns.queries.lists import list_teams_for
from campaigns.queries.run_checks import find_check_places
from campaigns.services.run_files import SentFile
from campaigns.services.run_limits import check_size
from campaigns.services.run_trials import RunTrial, try_run
from campaigns.services.runs import submit_and_check_run
from poolbench.files.json_texts import parse_json
from poolbench.runs.run_form import FIELD_KINDS


class RunFieldSerializer(Serializer[Any]):
    """A question of the run form; `name` is the key of its answers."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.ChoiceField(choices=list(FIELD_KINDS.items()), required=False)
    choices = serializers.ListField(child=serializers.CharField(), required=False)
    required = serializers.BooleanField(required=False)  # type: ignore[assignment]
    help = serializers.CharField(required=False, allow_blank=True)


class CheckPlaceSerializer(Serializer[Any]):
    state = serializers.CharField()
    place = serializers.IntegerField()
    waiting = serializers.IntegerField()


class RunTrialSerializer(Serializer[Any]):
    """The check of a file that was not submitted."""

    accepted = serializers.BooleanField()
    tag = serializers.CharField()
    lines = serializers.IntegerField()
    report = serializers.DictField()
    refusal = serializers.CharField(help_text="Why it cannot be submitted now, or empty.")


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run with the result of its check: ``report`` lists faults by code, line and column."""

    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    team = serializers.SlugRelatedField[Any](slug_field="name", read_only=True)
    task = serializers.SlugRelatedField[Any](
        slug_field="slug", read_only=True, help_text="Null in a campaign without tasks."
    )
    report = serializers.DictField(read_only=True)
    check = serializers.SerializerMethodField(
        help_text="Of a run that is not checked yet: `state` (queued, running, failed), and of a"
        " queued one its `place` among the `waiting` jobs; otherwise null."
    )

    class Meta:
        model = Run
        fields = (
            "id", "campaign", "team", "task", "tag", "description", "kind", "priority",
            "answers",
            "ir_metadata", "state", "check", "file_name", "size", "sha256", "lines", "report",
            "replaces", "submitted_at", "after_release", "checked_at", "withdrawn_at",
            "file_removed_at",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(CheckPlaceSerializer(allow_null=True))
    def get_check(self, run: Run) -> dict[str, Any] | None:
        place = self._check_places.get(run.pk)
        return asdict(place) if place else None

    @cached_property
    def _check_places(self) -> dict[int, CheckPlace]:
        """Those of all runs of this answer."""
        rows = self.instance if self.parent is None else self.parent.instance
        runs = [rows] if isinstance(rows, Run) else rows or ()
        return find_check_places(run.pk for run in runs if run.state == Run.State.RECEIVED)


@extend_schema_field(OpenApiTypes.STR)
class AnswersField(serializers.CharField):
    """A JSON object in a field of a form."""

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        try:
            answers = parse_json(text)
        except ValueError as error:
            raise serializers.ValidationError("This is not JSON.") from error
        if not isinstance(answers, dict) or not all(map(is_storable, iter_json(answers))):
            raise serializers.ValidationError("This must be a JSON object of plain values.")
        return answers


class RunUploadSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    file = serializers.FileField(allow_empty_file=True)
    team = serializers.CharField(required=False, help_text="Team name. Default: your own team.")
    task = serializers.CharField(
        required=False, help_text="Short name of the task. Default: the only one that is open."
    )
    tag = serializers.CharField(
        required=False, max_length=60, help_text="Default: the tag in the file."
    )
    description = serializers.CharField(required=False, max_length=5000)
    kind = serializers.ChoiceField(choices=Run.Kind.choices, required=False)
    priority = serializers.IntegerField(required=False, min_value=1, max_value=99)
    replaces = serializers.IntegerField(required=False, help_text="ID of the run to replace.")
    answers = AnswersField(
        required=False, help_text="To the run form of the campaign (`run_fields`): a JSON object."
    )
    check_only = serializers.BooleanField(
        required=False, default=False, help_text="Check the file without submitting it."
    )


def describe_trial(trial: RunTrial) -> dict[str, Any]:
    """The check of a file, by the fields of ``RunTrialSerializer``."""
    result = trial.result
    return {
        "accepted": result.accepted,
        "tag": result.tag,
        "lines": result.lines,
        "report": result.as_report(),
        "refusal": str(trial.refusal or ""),
    }


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
