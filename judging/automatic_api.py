"""The REST API of automatic assessors, for organizers: make one, send its judgments."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api import CAMPAIGN, filter_campaigns, request_user
from campaigns.models import Campaign
from campaigns.queries import get_campaign_for
from judging.models import AutomaticAssessor
from judging.services.automatic import (
    MAX_JUDGMENTS,
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)


class AutomaticSerializer(serializers.ModelSerializer[AutomaticAssessor]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    policy = serializers.SerializerMethodField(help_text="The policy by which qrels hear it.")

    class Meta:
        model = AutomaticAssessor
        fields = ("id", "campaign", "name", "description", "policy", "created_at")
        read_only_fields = fields

    def get_policy(self, automatic: AutomaticAssessor) -> str:
        return f"automatic:{automatic.name}"


class AddAutomaticSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    name = serializers.SlugField(max_length=60)
    description = serializers.CharField(required=False, allow_blank=True, max_length=10_000)


class AutomaticJudgmentSerializer(Serializer[Any]):
    topic = serializers.CharField(max_length=100, trim_whitespace=False)
    docno = serializers.CharField(max_length=500, trim_whitespace=False)
    grade = serializers.IntegerField()
    client_uuid = serializers.UUIDField(help_text="Your own; sent again it counts once.")
    comment = serializers.CharField(required=False, allow_blank=True, max_length=10_000)


class BatchSerializer(Serializer[Any]):
    judgments = AutomaticJudgmentSerializer(many=True, max_length=MAX_JUDGMENTS, allow_empty=False)  # type: ignore[call-arg]


class ImportCountsSerializer(Serializer[Any]):
    new = serializers.IntegerField()
    revised = serializers.IntegerField()
    unchanged = serializers.IntegerField()


@extend_schema(parameters=[CAMPAIGN])
class AutomaticViewSet(viewsets.ReadOnlyModelViewSet[AutomaticAssessor]):
    """Automatic assessors, whose judgments stand apart from those of people; for organizers."""

    queryset = AutomaticAssessor.objects.none()
    serializer_class = AutomaticSerializer

    def get_queryset(self) -> QuerySet[AutomaticAssessor]:
        mine = Campaign.objects.organized_by(request_user(self.request))
        asked = filter_campaigns(self.request).order_by()
        found = AutomaticAssessor.objects.filter(campaign__in=mine.filter(pk__in=asked))
        return found.select_related("campaign", "user").order_by("campaign", "name")

    @extend_schema(request=AddAutomaticSerializer, responses={201: AutomaticSerializer})
    def create(self, request: Request) -> Response:
        """Add an automatic assessor; another model or prompt is another one."""
        form = AddAutomaticSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        fields, actor = dict(form.validated_data), request_user(request)
        campaign = get_campaign_for(actor, fields.pop("campaign"), "campaigns.manage")
        made = create_automatic_assessor(actor=actor, campaign=campaign, **fields)
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=BatchSerializer, responses={200: ImportCountsSerializer})
    @action(detail=True, methods=["post"])
    def judgments(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Send its judgments: all are written, or none and the list of faults (422)."""
        automatic = self.get_object()
        form = BatchSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        sent = [SubmittedJudgment(**one) for one in form.validated_data["judgments"]]
        actor = request_user(request)
        counts = submit_automatic_judgments(
            actor=actor, campaign=automatic.campaign, automatic=automatic, judgments=sent
        )
        return Response(ImportCountsSerializer(counts).data)
