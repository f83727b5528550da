"""The REST API of pools, for organizers: look, preview, freeze, download."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api import CAMPAIGN, filter_campaigns, request_user
from campaigns.core.faults import InvalidFile
from campaigns.models import Campaign, Run
from campaigns.queries import get_campaign_for
from pooling import services
from pooling.core.formats import FORMATS
from pooling.core.spec import PoolSpec, RunChoice, depth_spec
from pooling.core.spec_file import LONGEST, read_spec
from pooling.models import Pool
from pooling.queries import (
    find_unknown_names,
    list_poolable_runs,
    list_visible_pools,
    load_pool_table,
    requested_qrels_version,
)

QRELS = OpenApiParameter("qrels", int, description="The version whose grades are filled in.")


class PoolSerializer(serializers.ModelSerializer[Pool]):
    """``spec`` names the method, its parameters, the seed, the topics and the runs."""

    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    spec = serializers.DictField()
    frozen_by = serializers.CharField(source="frozen_by.username")

    class Meta:
        model = Pool
        fields = (
            "id", "campaign", "version", "size", "spec", "inputs_hash", "frozen_by", "frozen_at",
        )  # fmt: skip
        read_only_fields = fields


class PoolRequestSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    depth = serializers.IntegerField(
        required=False, help_text="Documents taken from each run and topic; or else a spec."
    )
    spec = serializers.JSONField(
        required=False, help_text="A spec as docs/pooling.md shows it, as an object or YAML text."
    )
    runs = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Ids of accepted runs of the campaign, unless the spec chooses.",
    )


class FreezeSerializer(PoolRequestSerializer):
    after = serializers.IntegerField(
        required=False, help_text="The newest version you know of, 0 for none: else refused."
    )


class TopicShareSerializer(Serializer[Any]):
    number = serializers.CharField()
    documents = serializers.IntegerField()
    one_run = serializers.IntegerField(help_text="Documents that one run alone brings.")
    one_team = serializers.IntegerField(help_text="Documents that one team alone brings.")
    judged = serializers.IntegerField()
    pooled = serializers.IntegerField(help_text="In an earlier pool.")


class RunShareSerializer(Serializer[Any]):
    tag = serializers.CharField()
    team = serializers.CharField()
    documents = serializers.IntegerField()
    alone = serializers.IntegerField(help_text="Documents that no other pooled run brings.")


class TeamShareSerializer(Serializer[Any]):
    team = serializers.CharField()
    runs = serializers.IntegerField()
    documents = serializers.IntegerField()
    alone = serializers.IntegerField()


class FloorSerializer(Serializer[Any]):
    run = serializers.IntegerField(source="run.pk")
    tag = serializers.CharField(source="run.tag")
    pooled = serializers.BooleanField()
    share = serializers.FloatField(
        allow_null=True,
        help_text="Of its first ten documents a topic, those in the pool; null: it has none.",
    )


class PoolPreviewSerializer(Serializer[Any]):
    size = serializers.IntegerField(source="parts.size")
    to_judge = serializers.IntegerField(source="parts.to_judge")
    most = serializers.IntegerField(help_text="Its size in the end, at most, if it grows.")
    topics = TopicShareSerializer(many=True, source="parts.topics")
    runs = RunShareSerializer(many=True, source="parts.runs")
    teams = TeamShareSerializer(many=True, source="parts.teams")
    floors = FloorSerializer(many=True)
    twins = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Tags of runs that list the same, group by group.",
    )
    copies = serializers.IntegerField(
        help_text="Documents whose text another document of their topic has too."
    )
    inputs_hash = serializers.CharField()


class PoolViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Pool]):
    queryset = Pool.objects.none()
    serializer_class = PoolSerializer

    def get_queryset(self) -> QuerySet[Pool]:
        return list_visible_pools(self.request.user).filter(
            campaign__in=filter_campaigns(self.request)
        )

    @extend_schema(parameters=[CAMPAIGN])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().list(request, *args, **kwargs)

    @extend_schema(request=FreezeSerializer, responses={201: PoolSerializer})
    def create(self, request: Request) -> Response:
        """Freeze the pool of a spec and runs as the campaign's next version."""
        asked = FreezeSerializer(data=request.data)
        given = pool_service_arguments(request, asked)
        after = asked.validated_data.get("after")
        pool = services.freeze_pool(actor=request_user(request), after=after, **given)
        return Response(self.get_serializer(pool).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=PoolRequestSerializer, responses=PoolPreviewSerializer)
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """Size, cost and parts of a pool; nothing is written."""
        asked = PoolRequestSerializer(data=request.data)
        found = services.preview_pool(
            actor=request_user(request), **pool_service_arguments(request, asked)
        )
        return Response(PoolPreviewSerializer(found).data)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.txt", url_name="txt")
    def txt(self, _request: Request, **_: Any) -> HttpResponse:
        """For judges: `topic 0 docno -1`, sorted by docno, no run and no rank."""
        return self.as_file("trec", "text/plain")

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.csv", url_name="csv")
    def csv(self, _request: Request, **_: Any) -> HttpResponse:
        """With the best rank of each document and the runs that brought it."""
        return self.as_file("csv", "text/csv")

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="pool.json", url_name="json")
    def json(self, _request: Request, **_: Any) -> HttpResponse:
        """By topic, with the best rank of each document and the runs that brought it."""
        return self.as_file("json", "application/json")

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.ntcir", url_name="ntcir")
    def ntcir(self, _request: Request, **_: Any) -> HttpResponse:
        """In the order in which the spec chose: `topic docno`."""
        return self.as_file("ntcir", "text/plain")

    @extend_schema(parameters=[QRELS], responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.strata", url_name="strata")
    def strata(self, _request: Request, **_: Any) -> HttpResponse:
        """All that a sample was drawn from: `topic 0 docno stratum grade`."""
        return self.as_frame("strata")

    @extend_schema(parameters=[QRELS], responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.prels", url_name="prels")
    def prels(self, _request: Request, **_: Any) -> HttpResponse:
        """What was drawn, with its probability: `topic docno grade method probability`."""
        return self.as_frame("prels")

    def as_frame(self, fmt: str) -> HttpResponse:
        asked = requested_qrels_version(self.request.query_params)
        text = services.frame_text(self.get_object(), fmt, asked)
        return HttpResponse(text, content_type="text/plain; charset=utf-8")

    def as_file(self, fmt: str, mime: str) -> HttpResponse:
        text = FORMATS[fmt](load_pool_table(self.get_object()))
        return HttpResponse(text, content_type=f"{mime}; charset=utf-8")


def pool_service_arguments(request: Request, asked: Serializer[Any]) -> dict[str, Any]:
    """Campaign, spec and runs as a service takes them."""
    asked.is_valid(raise_exception=True)
    given = asked.validated_data
    campaign = get_campaign_for(request_user(request), given["campaign"], "campaigns.manage")
    spec = spec_from_request(given)
    if spec.runs != RunChoice():
        accepted = list(list_poolable_runs(campaign))
        if lost := find_unknown_names(spec, accepted):
            told = f"No accepted run has what it names: {', '.join(lost)}."
            raise serializers.ValidationError({"spec": told})
        runs = spec.runs.choose(accepted, lambda run: run.team.name)
    else:
        runs = runs_from_request(campaign, given.get("runs", []))
    return {"campaign": campaign, "spec": spec, "runs": runs}


def spec_from_request(given: dict[str, Any]) -> PoolSpec:
    if ("depth" in given) == ("spec" in given):
        raise serializers.ValidationError({"spec": "Give a depth or a spec, one of the two."})
    if "depth" in given:
        return depth_spec(given["depth"])
    written = given["spec"]
    if isinstance(written, str) and len(written) > LONGEST:
        raise serializers.ValidationError({"spec": f"A spec has {LONGEST:,} characters at most."})
    try:
        return read_spec(written if isinstance(written, str | dict) else json.dumps(written))
    except InvalidFile as bad:
        told = [str(fault) for fault in bad.report.faults]
        raise serializers.ValidationError({"spec": told}) from bad


def runs_from_request(campaign: Campaign, ids: list[int]) -> list[Run]:
    found = list(list_poolable_runs(campaign).filter(pk__in=ids))
    lost = sorted(set(ids) - {run.pk for run in found})
    if lost:
        told = f"Not accepted runs of {campaign.slug}: {', '.join(map(str, lost[:20]))}."
        raise serializers.ValidationError({"runs": told})
    return found
