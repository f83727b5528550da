"""The REST API of campaigns, topics, documents and runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer

from campaigns.api.corrections import (
    CorrectionSerializer,
    ErratumSerializer,
    ReopeningSerializer,
    VisibilitySerializer,
)
from campaigns.api.endings import EndingMixin
from campaigns.api.limits import PlainJSONParser
from campaigns.api.requests import ConfirmSerializer, read_decision, read_fields, request_user
from campaigns.api.run_fields import (
    RunFieldSerializer,
    RunSerializer,
    RunTrialSerializer,
    RunUploadSerializer,
    read_upload_bytes,
    submit_uploaded_run,
    try_uploaded_run,
)
from campaigns.api.run_files import run_file_response
from campaigns.models import Campaign, Document, Grade, Run, Scope, Team, Topic, User
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import require_permission
from campaigns.services import collection
from campaigns.services.campaigns import (
    change_visibility,
    close_submissions,
    create_campaign,
    reopen_submissions,
    update_campaign,
)
from campaigns.services.errata import correct_texts
from campaigns.services.runs import withdraw_run
from poolbench.judging.scale import GradeSpec

KEY = "Idempotency-Key"
CAMPAIGN = OpenApiParameter("campaign", str, description="Slug. Only rows of this campaign.")


class GradeSerializer(serializers.ModelSerializer[Grade]):
    gain = serializers.FloatField(
        required=False, min_value=0, help_text="Default: the grade's value, 0 if negative."
    )

    class Meta:
        model = Grade
        fields = ("value", "label", "key", "gain", "meaning")


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    slug = serializers.SlugField(required=False, max_length=60)
    grades = GradeSerializer(many=True)
    run_fields = RunFieldSerializer(many=True, required=False)
    team_deadline = serializers.SerializerMethodField(
        help_text="Until when your team can submit runs; `runs_deadline` is that of all teams."
    )

    class Meta:
        model = Campaign
        fields = (
            "slug", "title", "description", "guidelines", "website", "citation", "text_layout",
            "registration", "terms", "relevance_level", "test", "correction", "alpha",
            "max_runs_per_team", "max_docs_per_topic", "require_all_topics", "run_fields",
            "runs_deadline", "team_deadline", "judging_deadline", "board", "grades", "created_at",
            "rehearsal", "closed_at", "removal_at",
        )  # fmt: skip
        read_only_fields = ("created_at", "rehearsal", "closed_at", "removal_at")
        # Asked, as on the page: no default fits every scale.
        extra_kwargs = {"relevance_level": {"required": True}}

    def get_team_deadline(self, campaign: Campaign) -> datetime | None:
        return campaign.get_deadline_for(getattr(campaign, "own_deadline", None))

    def to_representation(self, instance: Campaign) -> dict[str, Any]:
        """Without the guidelines for everybody whom the pages do not show them."""
        fields = dict(super().to_representation(instance))
        if not request_user(self.context["request"]).has_perm("campaigns.see_guidelines", instance):
            del fields["guidelines"]
        return fields

    def validate_slug(self, slug: str) -> str:
        if self.instance is not None:
            raise serializers.ValidationError("The slug of a campaign cannot be changed.")
        if Campaign.objects.filter(slug=slug).exists():
            raise serializers.ValidationError("This slug is already in use.")
        return slug


def build_scale(grades: Sequence[Mapping[str, Any]]) -> list[GradeSpec]:
    """The scale of validated grades; a grade without a gain is its own gain."""
    return [GradeSpec(**{"gain": max(0.0, grade["value"]), **grade}) for grade in grades]


class TopicSerializer(serializers.ModelSerializer[Topic]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = Topic
        fields = ("id", "campaign", "number", "title", "description", "narrative", "withheld")


class DocumentSerializer(serializers.ModelSerializer[Document]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = Document
        fields = (
            "id", "campaign", "docno", "title", "body", "url", "date", "format", "media_type",
            "size", "sha256",
        )  # fmt: skip


class ImportSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    file = serializers.FileField(allow_empty_file=True)
    format = serializers.CharField(required=False, default="")


class ImportedSerializer(Serializer[Any]):
    new = serializers.IntegerField()


import_action = action(
    detail=False,
    methods=["post"],
    url_path="import",
    url_name="import",
    parser_classes=[MultiPartParser],
)


def read_act(
    form: type[Serializer[Any]], request: Request, permission: str = "campaigns.manage"
) -> tuple[User, Campaign, dict[str, Any]]:
    """Who asks, the campaign that the body names, and its other fields."""
    fields, actor = read_fields(form, request), request_user(request)
    return actor, get_campaign_for(actor, fields.pop("campaign"), permission), fields


class CampaignViewSet(
    EndingMixin,
    mixins.CreateModelMixin,
    mixins.RetrieveModelMixin,
    mixins.UpdateModelMixin,
    mixins.ListModelMixin,
    viewsets.GenericViewSet[Campaign],
):
    queryset = Campaign.objects.none()
    serializer_class = CampaignSerializer
    lookup_field = "slug"
    http_method_names = ("get", "post", "patch", "head", "options")

    def get_queryset(self) -> QuerySet[Campaign]:
        own = Team.objects.filter(campaign=OuterRef("pk"), members__user=self.request.user.pk)
        campaigns = Campaign.objects.visible_to(self.request.user).prefetch_related("grades")
        return campaigns.annotate(own_deadline=Subquery(own.values("runs_deadline")[:1]))

    def perform_create(self, serializer: BaseSerializer[Campaign]) -> None:
        fields = dict(serializer.validated_data)
        scale = build_scale(fields.pop("grades"))
        serializer.instance = create_campaign(
            actor=request_user(self.request), scale=scale, **fields
        )

    def perform_update(self, serializer: BaseSerializer[Campaign]) -> None:
        fields = dict(serializer.validated_data)
        grades = fields.pop("grades", None)
        scale = None if grades is None else build_scale(grades)
        changed = update_campaign(
            actor=request_user(self.request), campaign=self.get_object(), scale=scale, **fields
        )
        serializer.instance = self.get_queryset().get(pk=changed.pk)

    @extend_schema(request=VisibilitySerializer, responses=CampaignSerializer)
    @action(detail=True, methods=["post"])
    def visibility(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """Change what participants see after a release; they get a notice."""
        actor, campaign = request_user(request), self.get_object()
        fields = read_fields(VisibilitySerializer, request)
        campaign = change_visibility(actor=actor, campaign=campaign, **fields)
        return Response(self.get_serializer(campaign).data)

    @extend_schema(methods=["get"], responses=ErratumSerializer(many=True))
    @extend_schema(methods=["post"], request=CorrectionSerializer, responses=ErratumSerializer)
    @action(detail=True, methods=["get", "post"])
    def errata(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """Corrections of texts, newest first; or correct a topic, grade or document: members get
        a notice.
        """
        actor, campaign = request_user(request), self.get_object()
        if request.method == "GET":
            rows: Any = self.paginate_queryset(campaign.errata.all())
            return self.get_paginated_response(ErratumSerializer(rows, many=True).data)
        require_permission(actor, "campaigns.manage", campaign)
        fields = read_fields(CorrectionSerializer, request)
        erratum = correct_texts(actor=actor, campaign=campaign, **fields)
        return Response(ErratumSerializer(erratum).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ReopeningSerializer, responses=CampaignSerializer)
    @action(detail=True, methods=["post"], url_path="reopen-submissions")
    def reopen_submissions(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """Take runs until a later date, of all teams or one; participants get a notice."""
        actor, campaign = request_user(request), self.get_object()
        require_permission(actor, "campaigns.manage", campaign)
        fields = read_fields(ReopeningSerializer, request)
        if name := fields.pop("team", ""):
            fields["team"] = get_object_or_404(campaign.teams, name=name)
        campaign = reopen_submissions(actor=actor, campaign=campaign, **fields)
        return Response(self.get_serializer(campaign).data)

    @extend_schema(request=ConfirmSerializer, responses=CampaignSerializer)
    @action(detail=True, methods=["post"], url_path="close-submissions")
    def close_submissions(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """Close submission now; participants get a notice."""
        campaign = close_submissions(
            actor=request_user(request), campaign=self.get_object(), decision=read_decision(request)
        )
        return Response(self.get_serializer(campaign).data)


@extend_schema(parameters=[CAMPAIGN])
class TopicViewSet(viewsets.ReadOnlyModelViewSet[Topic]):
    queryset = Topic.objects.none()
    serializer_class = TopicSerializer

    def get_queryset(self) -> QuerySet[Topic]:
        topics = Topic.objects.filter(campaign__in=filter_campaigns(self.request))
        return topics.select_related("campaign")

    @extend_schema(request={"multipart/form-data": ImportSerializer}, responses=ImportedSerializer)
    @import_action
    def import_topics(self, request: Request) -> Response:
        """Import topics from a file: all of them, or none and the list of faults (422)."""
        return import_response(request, collection.import_topics)


@extend_schema(
    parameters=[CAMPAIGN, OpenApiParameter("docno", str, description="Only this document.")]
)
class DocumentViewSet(viewsets.ReadOnlyModelViewSet[Document]):
    queryset = Document.objects.none()
    serializer_class = DocumentSerializer

    def get_queryset(self) -> QuerySet[Document]:
        visible = Document.objects.visible_to(self.request.user)
        documents = visible.filter(campaign__in=filter_campaigns(self.request))
        if docno := self.request.query_params.get("docno"):
            documents = documents.filter(docno=docno)
        return documents.select_related("campaign")

    @extend_schema(request={"multipart/form-data": ImportSerializer}, responses=ImportedSerializer)
    @import_action
    def import_documents(self, request: Request) -> Response:
        """Import documents from a file: all of them, or none and the list of faults (422)."""
        return import_response(request, collection.import_documents)


@extend_schema_view(list=extend_schema(parameters=[CAMPAIGN]))
class RunViewSet(viewsets.ReadOnlyModelViewSet[Run]):
    scope = Scope.SUBMIT
    queryset = Run.objects.none()
    serializer_class = RunSerializer
    parser_classes = (MultiPartParser,)

    def get_queryset(self) -> QuerySet[Run]:
        runs = Run.objects.visible_to(self.request.user)
        runs = runs.filter(campaign__in=filter_campaigns(self.request))
        return runs.select_related("campaign", "team", "task")

    @extend_schema(
        request={"multipart/form-data": RunUploadSerializer},
        responses={201: RunSerializer, 200: RunTrialSerializer},
        parameters=[OpenApiParameter(KEY, str, "header", description="Any text of your own.")],
    )
    def create(self, request: Request) -> Response:
        """Submit a run. Small runs are checked at once, large ones return as ``received``.

        The same file sent again with the same ``Idempotency-Key`` gets the same run, so a request
        that was answered with 503, or not at all, can be repeated. Another run with the same key
        is refused: 409, code `key-used`. With `check_only` nothing is stored: 200 with the report.
        """
        actor, campaign, fields = read_act(RunUploadSerializer, request, "campaigns.see_runs")
        if fields.pop("check_only"):
            return Response(try_uploaded_run(actor, campaign, fields))
        fields["key"] = request.headers.get(KEY, "")
        run = submit_uploaded_run(actor, campaign, fields)
        return Response(self.get_serializer(run).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ConfirmSerializer, responses=RunSerializer)
    @action(detail=True, methods=["post"], parser_classes=[PlainJSONParser])
    def withdraw(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Withdraw a run. If its scores are released, it stays in them: code `stays-in-scores`."""
        run = withdraw_run(
            actor=request_user(request), run=self.get_object(), decision=read_decision(request)
        )
        return Response(self.get_serializer(run).data)

    @extend_schema(
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
        parameters=[OpenApiParameter("metadata", str, description="Any: with ir_metadata.")],
    )
    @action(detail=True)
    def file(self, request: Request, pk: str) -> HttpResponse:  # noqa: ARG002 (the route's)
        """The file as it was uploaded; with `?metadata`, unpacked and with its metadata."""
        return run_file_response(self.get_object(), with_metadata="metadata" in request.GET)


def filter_campaigns(request: Request) -> QuerySet[Campaign]:
    """The visible campaigns, or only the one named by ``?campaign=``."""
    campaigns = Campaign.objects.visible_to(request.user)
    slug = request.query_params.get("campaign")
    return campaigns.filter(slug=slug) if slug else campaigns


def filter_organized_campaigns(request: Request) -> QuerySet[Campaign]:
    """Those of ``filter_campaigns`` that the user organizes."""
    mine = Campaign.objects.organized_by(request_user(request))
    return mine.filter(pk__in=filter_campaigns(request).order_by())


def import_response(request: Request, import_file: Any) -> Response:
    actor, campaign, fields = read_act(ImportSerializer, request)
    upload = fields["file"]
    count = import_file(
        actor=actor,
        campaign=campaign,
        data=read_upload_bytes(upload),
        file=upload.name,
        file_format=fields["format"],
    )
    return Response({"new": count}, status=status.HTTP_201_CREATED)
