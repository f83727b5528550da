"""The REST API of verdicts, for organizers: what the pages say first."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import request_user
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import CurrentReport, get_report, list_verdict_subjects
from poolbench.verdicts import VerdictState, verdict_to_data

CAMPAIGN = OpenApiParameter("campaign", str, required=True, description="Slug of the campaign.")


class KeyFigureSerializer(Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Of the 95 % interval.")
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(help_text="In words, or why the value is undefined.")


class ActSerializer(Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    documents = serializers.IntegerField(allow_null=True, help_text="What it costs.")
    minutes = serializers.FloatField(allow_null=True)


class ThresholdSerializer(Serializer[Any]):
    name = serializers.CharField()
    value = serializers.FloatField()
    meaning = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


class VerdictSerializer(Serializer[Any]):
    name = serializers.CharField()
    question = serializers.CharField()
    state = serializers.ChoiceField(
        choices=[state.value for state in VerdictState],
        help_text="unknown: cannot be determined, and the sentence says why; "
        "computing: no answer yet, since the first figures are being computed.",
    )
    sentence = serializers.CharField()
    reason = serializers.CharField()
    figures = KeyFigureSerializer(many=True)
    acts = ActSerializer(many=True)
    thresholds = ThresholdSerializer(many=True)
    computed_at = serializers.DateTimeField(allow_null=True)
    is_current = serializers.BooleanField(help_text="False: a job is computing newer figures.")


@extend_schema(parameters=[CAMPAIGN])
class VerdictViewSet(viewsets.ViewSet):
    """The verdicts of a campaign, with the sentences of its pages."""

    @extend_schema(responses={200: VerdictSerializer(many=True)})
    def list(self, request: Request) -> Response:
        """All verdicts, by the latest figures; out-of-date ones are computed in the background."""
        slug = request.query_params.get("campaign", "")
        campaign = get_campaign_for(request_user(request), slug, "campaigns.manage")
        subjects = list_verdict_subjects()
        rows = [verdict_row(get_report(campaign, subject.name)) for subject in subjects]
        return Response(VerdictSerializer(rows, many=True).data)


def verdict_row(current: CurrentReport[Any]) -> dict[str, Any]:
    """What ``VerdictSerializer`` reads."""
    return {
        **verdict_to_data(current.verdict),
        "question": current.subject.question,
        "computed_at": current.computed_at,
        "is_current": current.is_current,
    }
