"""The REST API of estimates from a sample, for organizers: what the page shows."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import request_user
from campaigns.api.verdicts import CAMPAIGN
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import get_report
from evaluation.queries.estimate_report import ESTIMATES


class SampleLookSerializer(Serializer[Any]):
    pool = serializers.IntegerField(help_text="Version of the pool; 0 without a sampled one.")
    policy = serializers.CharField()
    last = serializers.IntegerField(help_text="ID of the last judgment that was read.")
    planned = serializers.IntegerField(help_text="Pairs of the sample.")
    complete = serializers.IntegerField(help_text="Judged without a gap, in the order of drawing.")
    beyond = serializers.IntegerField(help_text="Judged after the first gap: they wait.")
    used = serializers.IntegerField(help_text="Complete at the last look that was due.")
    skipped = serializers.IntegerField(help_text="Of those used, without a grade.")
    look = serializers.IntegerField()
    looks = serializers.IntegerField(help_text="Planned.")
    left_out = serializers.ListField(
        child=serializers.ListField(), help_text="Machines that are not used, with the reason."
    )
    ended = serializers.ListField(
        child=serializers.CharField(),
        help_text="Topics that the stopping rule has ended: samples of their own size.",
    )
    report = serializers.DictField(
        allow_null=True, help_text="Runs by place with intervals, by measure."
    )
    measures = serializers.ListField(
        child=serializers.DictField(), help_text="What is settled, by measure."
    )
    reason = serializers.CharField(help_text="Why there are no estimates, if so.")


class EstimatesSerializer(Serializer[Any]):
    computed_at = serializers.DateTimeField(allow_null=True)
    is_current = serializers.BooleanField(help_text="False: a job is computing newer estimates.")
    estimates = SampleLookSerializer(
        allow_null=True, help_text="Null while the first are being computed."
    )


@extend_schema(parameters=[CAMPAIGN])
class EstimatesViewSet(viewsets.ViewSet):
    """Estimates of scores from a sample, while people judge it."""

    @extend_schema(responses={200: EstimatesSerializer})
    def list(self, request: Request) -> Response:
        """The latest estimates; out-of-date ones are computed in the background."""
        slug = request.query_params.get("campaign", "")
        campaign = get_campaign_for(request_user(request), slug, "campaigns.manage")
        current = get_report(campaign, ESTIMATES)
        row = {
            "computed_at": current.computed_at,
            "is_current": current.is_current,
            "estimates": current.report and asdict(current.report),
        }
        return Response(EstimatesSerializer(row).data)
