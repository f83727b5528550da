"""The fields of runs in the API, shown and sent."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from campaigns.models import Run


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run with the result of its check: ``report`` lists faults by code, line and column."""

    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    team = serializers.SlugRelatedField[Any](slug_field="name", read_only=True)
    task = serializers.SlugRelatedField[Any](
        slug_field="slug", read_only=True, help_text="Null in a campaign without tasks."
    )
    report = serializers.DictField(read_only=True)

    class Meta:
        model = Run
        fields = (
            "id", "campaign", "team", "task", "tag", "description", "kind", "priority", "state",
            "file_name", "size", "sha256", "lines", "report", "replaces", "submitted_at",
            "after_release", "checked_at", "withdrawn_at", "file_removed_at",
        )  # fmt: skip
        read_only_fields = fields


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
