"""The REST API of a campaign's preferences: results and click logs, for organizers."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import read_fields, request_user
from campaigns.api.run_fields import read_upload_bytes
from campaigns.queries.lists import get_campaign_for
from poolbench.preferences.formats import score_to_dict, strengths_to_dict
from preferences.models import ClickLog
from preferences.queries.preference_sets import (
    CLICKS,
    SOURCES,
    compute_set_strengths,
    load_preference_set,
    score_runs,
)
from preferences.services.click_logs import import_click_log


class ResultsQuerySerializer(Serializer[Any]):
    source = serializers.ChoiceField(choices=tuple(SOURCES), default=CLICKS)  # type: ignore[assignment]
    prior = serializers.FloatField(default=0.0, min_value=0.0, max_value=1000.0)


class PreferenceResultsSerializer(Serializer[Any]):
    """``runs`` and ``topics`` have the keys of the commands' JSON."""

    campaign = serializers.SlugField()
    source = serializers.CharField()  # type: ignore[assignment]
    preferences = serializers.IntegerField()
    ties = serializers.IntegerField()
    runs = serializers.ListField(child=serializers.DictField())
    topics = serializers.ListField(child=serializers.DictField())


class ClickLogUploadSerializer(Serializer[Any]):
    file = serializers.FileField(allow_empty_file=True)


class ClickLogSerializer(serializers.ModelSerializer[ClickLog]):
    class Meta:
        model = ClickLog
        fields = ("id", "name", "sha256", "sessions", "preferences", "own_lists", "imported_at")


class PreferenceResultsViewSet(viewsets.ViewSet):
    """Preferences of a campaign, for organizers. They are no grades."""

    lookup_field = "slug"
    lookup_value_regex = "[-a-zA-Z0-9_]+"

    @extend_schema(
        responses=PreferenceResultsSerializer,
        parameters=[
            OpenApiParameter("source", str, enum=tuple(SOURCES)),
            OpenApiParameter("prior", float),
        ],
    )
    def retrieve(self, request: Request, slug: str) -> Response:
        """Shares of runs, and strengths of documents with cycles, from one source."""
        campaign = get_campaign_for(request_user(request), slug, "campaigns.manage")
        form = ResultsQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        preferences = load_preference_set(campaign, form.validated_data["source"])
        try:
            strengths = compute_set_strengths(campaign, preferences, form.validated_data["prior"])
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        answer = {
            "campaign": campaign.slug,
            "source": preferences.source,
            "preferences": preferences.preferences,
            "ties": preferences.ties,
            "runs": [score_to_dict(score) for score in score_runs(campaign, preferences)],
            "topics": [strengths_to_dict(topic) for topic in strengths.topics],
        }
        return Response(PreferenceResultsSerializer(answer).data)

    @extend_schema(
        request={"multipart/form-data": ClickLogUploadSerializer}, responses=ClickLogSerializer
    )
    @action(
        detail=True,
        methods=["post"],
        url_path="click-logs",
        url_name="import",
        parser_classes=[MultiPartParser],
    )
    def import_clicks(self, request: Request, slug: str) -> Response:
        """Import a click log: all of it, or none and the list of faults (422)."""
        campaign = get_campaign_for(request_user(request), slug, "campaigns.manage")
        upload = read_fields(ClickLogUploadSerializer, request)["file"]
        log = import_click_log(
            actor=request_user(request),
            campaign=campaign,
            data=read_upload_bytes(upload),
            name=upload.name or "",
        )
        return Response(ClickLogSerializer(log).data, status=status.HTTP_201_CREATED)
