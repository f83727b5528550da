"""Fields of what organizers set right by the API: a text, the end of submission, who sees what."""

from typing import Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from campaigns.api.requests import ConfirmSerializer
from campaigns.models import Campaign, Erratum


class VisibilitySerializer(ConfirmSerializer):
    board = serializers.ChoiceField(choices=Campaign.Board.choices)


class ReopeningSerializer(ConfirmSerializer):
    until = serializers.DateTimeField(help_text="New run deadline, in the future.")
    team = serializers.CharField(required=False, help_text="Team name. Default: all teams.")


class ErratumSerializer(serializers.ModelSerializer[Erratum]):
    class Meta:
        model = Erratum
        fields = ("number", "kind", "name", "before", "after", "reason", "at")
        read_only_fields = ("number", "before", "after", "at")


class CorrectionSerializer(Serializer[Any]):
    kind = serializers.ChoiceField(choices=Erratum.Kind.choices)
    name = serializers.CharField(
        max_length=500, help_text="Topic number, value of the grade, or docno."
    )
    texts = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=100_000),
        help_text="By field: title, description, narrative; label, meaning; or title.",
    )
    reason = serializers.CharField(required=False, max_length=300)
    seen = serializers.IntegerField(
        required=False, min_value=0,
        help_text="Number of the last correction when you read the texts. Fails if there is a"
        " newer one of the same.",
    )  # fmt: skip
