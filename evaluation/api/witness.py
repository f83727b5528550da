"""The REST API of machines as second witnesses, for organizers: what the pages show."""

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
from evaluation.queries.witness_report import WITNESS
from poolbench.estimation.diagnostics.findings import list_findings


class WitnessSerializer(Serializer[Any]):
    computed_at = serializers.DateTimeField(allow_null=True)
    is_current = serializers.BooleanField(help_text="False: a job is computing a newer report.")
    report = serializers.DictField(
        allow_null=True,
        help_text="Automatic assessors against people's grades. Null while the first is computed.",
    )
    findings = serializers.DictField(help_text="By automatic assessor, in sentences.")


@extend_schema(parameters=[CAMPAIGN])
class WitnessViewSet(viewsets.ViewSet):
    """Automatic assessors as second witnesses."""

    @extend_schema(responses={200: WitnessSerializer})
    def list(self, request: Request) -> Response:
        """The latest report; an out-of-date one is computed again in the background."""
        slug = request.query_params.get("campaign", "")
        campaign = get_campaign_for(request_user(request), slug, "campaigns.manage")
        current = get_report(campaign, WITNESS)
        machines = current.report.machines if current.report else ()
        row = {
            "computed_at": current.computed_at,
            "is_current": current.is_current,
            "report": current.report and asdict(current.report),
            "findings": {
                each.machine: [asdict(own) for own in list_findings(each)] for each in machines
            },
        }
        return Response(WitnessSerializer(row).data)
