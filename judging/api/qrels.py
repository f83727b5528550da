"""The REST API of qrels versions."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import store
from campaigns.api.attachments import CONTENT_TYPES
from campaigns.api.requests import ConfirmSerializer, read_fields, request_user
from campaigns.api.resources import CAMPAIGN, filter_organized_campaigns, read_act
from campaigns.models import DataFile
from judging.models import Qrels
from judging.queries.qrels_release import add_audience
from judging.services.qrels import freeze_qrels
from judging.services.qrels_release import release_qrels
from poolbench.judging.aggregation.formats import RECORDS
from poolbench.judging.policies import FORMS
from poolbench.judging.policy_rules import RULES

POLICY_HELP = "One of " + ", ".join([*RULES, *(card.name for card in FORMS.values())]) + "."


class QrelsSerializer(serializers.ModelSerializer[Qrels]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    label = serializers.CharField(  # type: ignore[assignment]
        read_only=True, help_text="Empty for human judgments; otherwise `filled, no estimate` etc."
    )
    manifest = serializers.DictField(read_only=True)
    audience = serializers.ChoiceField(
        choices=DataFile.Audience.choices, read_only=True, help_text="Who may have the version."
    )

    class Meta:
        model = Qrels
        fields = (
            "id", "campaign", "version", "policy", "label", "as_of", "sha256", "pairs", "manifest",
            "note", "frozen_at", "audience",
        )  # fmt: skip
        read_only_fields = fields


class FreezeQrelsSerializer(ConfirmSerializer):
    campaign = serializers.SlugField()
    policy = serializers.CharField(max_length=250, help_text=POLICY_HELP)
    note = serializers.CharField(required=False, max_length=200)
    as_of = serializers.DateTimeField(required=False)


class QrelsReleaseSerializer(ConfirmSerializer):
    audience = serializers.ChoiceField(choices=DataFile.Audience.choices)


@extend_schema(parameters=[CAMPAIGN])
class QrelsViewSet(viewsets.ReadOnlyModelViewSet[Qrels]):
    """Qrels versions; for organizers."""

    queryset = Qrels.objects.none()
    serializer_class = QrelsSerializer

    def get_queryset(self) -> QuerySet[Qrels]:
        versions = Qrels.objects.filter(campaign__in=filter_organized_campaigns(self.request))
        return add_audience(versions.select_related("campaign"))

    @extend_schema(request=FreezeQrelsSerializer, responses={201: QrelsSerializer})
    def create(self, request: Request) -> Response:
        """Freeze qrels under a policy; 409 with the undecided pairs if there are any."""
        actor, campaign, fields = read_act(FreezeQrelsSerializer, request)
        qrels = freeze_qrels(actor=actor, campaign=campaign, **fields)
        frozen = self.get_queryset().get(pk=qrels.pk)
        return Response(self.get_serializer(frozen).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=QrelsReleaseSerializer, responses=QrelsSerializer)
    @action(detail=True, methods=["post"])
    def release(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Release the version to the teams, or publish it to everybody, for good."""
        actor, qrels = request_user(request), self.get_object()
        release_qrels(actor=actor, qrels=qrels, **read_fields(QrelsReleaseSerializer, request))
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True)
    def text(self, request: Request, pk: str) -> HttpResponse:  # noqa: ARG002 (the route's)
        """The qrels version as four columns: topic, 0, docno, grade."""
        text = store.get_blob(self.get_object().path)
        return HttpResponse(text, content_type="text/plain; charset=utf-8")

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True)
    def aggregation(self, request: Request, pk: str) -> HttpResponse:  # noqa: ARG002 (the route's)
        """The probability of each grade by pair as CSV, or by ``?records=workers`` the workers;
        404 unless the policy is ``crowd:MODEL``.
        """
        records = request.query_params.get("records", RECORDS[0])
        aggregation = self.get_object().manifest.get("aggregation")
        if aggregation is None or records not in RECORDS:
            raise Http404
        text = store.get_blob(aggregation[f"{records}_file"])
        return HttpResponse(text, content_type=CONTENT_TYPES[".csv"])
