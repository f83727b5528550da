"""The REST API of pools, for organizers: list, preview, freeze, download."""

import json
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import ConfirmSerializer
from campaigns.api.resources import CAMPAIGN, filter_campaigns, read_act
from campaigns.models import Campaign, Run
from poolbench.files.faults import InvalidFile, list_names
from poolbench.pooling.spec import PoolSpec, RunChoice, depth_spec
from poolbench.pooling.spec_file import MAX_SPEC_LENGTH, read_spec
from pooling.models import Pool
from pooling.queries.inputs import find_unknown_names, list_poolable_runs, list_task_runs
from pooling.queries.pools import iter_pool_file, list_visible_pools, requested_qrels_version
from pooling.queries.preview import preview_pool
from pooling.services.adaptive_pools import frame_text
from pooling.services.freeze import freeze_pool

QRELS = OpenApiParameter("qrels", int, description="The qrels version whose grades are filled in.")


class PoolSerializer(serializers.ModelSerializer[Pool]):
    """``spec`` has the steps and their parameters, the seed, the topics and the runs."""

    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    task = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    spec = serializers.DictField()
    frozen_by = serializers.CharField(source="frozen_by.username")

    class Meta:
        model = Pool
        fields = (
            "id", "campaign", "task", "version", "size", "spec", "inputs_hash", "frozen_by",
            "frozen_at",
        )  # fmt: skip
        read_only_fields = fields


class PoolRequestSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    depth = serializers.IntegerField(
        required=False, help_text="Documents per run and topic; alternatively a spec."
    )
    spec = serializers.JSONField(
        required=False, help_text="A spec as in docs/pooling.md, as an object or YAML text."
    )
    task = serializers.SlugField(
        required=False, help_text="Of its runs the spec selects; the runs of a pool have one task."
    )
    runs = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        help_text="IDs of accepted runs of the campaign, unless the spec selects runs.",
    )


class FreezeSerializer(ConfirmSerializer, PoolRequestSerializer):
    after = serializers.IntegerField(
        required=False,
        help_text="The newest version you have seen (0: none). Fails if there is a newer one.",
    )


class TopicShareSerializer(Serializer[Any]):
    number = serializers.CharField()
    documents = serializers.IntegerField()
    one_run = serializers.IntegerField(help_text="Documents unique to one run.")
    one_team = serializers.IntegerField(help_text="Documents unique to one team.")
    judged = serializers.IntegerField()
    pooled = serializers.IntegerField(help_text="Documents in an earlier pool.")


class RunShareSerializer(Serializer[Any]):
    tag = serializers.CharField()
    team = serializers.CharField()
    documents = serializers.IntegerField()
    alone = serializers.IntegerField(help_text="Documents that no other selected run contributes.")


class TeamShareSerializer(Serializer[Any]):
    team = serializers.CharField()
    runs = serializers.IntegerField()
    documents = serializers.IntegerField()
    alone = serializers.IntegerField()


class PooledShareSerializer(Serializer[Any]):
    run = serializers.IntegerField(source="run.pk")
    tag = serializers.CharField(source="run.tag")
    pooled = serializers.BooleanField()
    share = serializers.FloatField(
        allow_null=True,
        help_text="Share of its top 10 documents per topic in the pool; null: it has none.",
    )


class PoolPreviewSerializer(Serializer[Any]):
    size = serializers.IntegerField(source="parts.size")
    to_judge = serializers.IntegerField(source="parts.to_judge")
    most = serializers.IntegerField(help_text="Maximum final size; above size if adaptive.")
    topics = TopicShareSerializer(many=True, source="parts.topics")
    runs = RunShareSerializer(many=True, source="parts.runs")
    teams = TeamShareSerializer(many=True, source="parts.teams")
    floors = PooledShareSerializer(many=True, source="pooled_shares")
    twins = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        source="identical_runs",
        help_text="Groups of tags of runs that list the same documents in the same order.",
    )
    copies = serializers.IntegerField(
        source="duplicate_texts",
        help_text="Documents with the same text as another document of their topic.",
    )
    inputs_hash = serializers.CharField()


@extend_schema_view(list=extend_schema(parameters=[CAMPAIGN]))
class PoolViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Pool]):
    queryset = Pool.objects.none()
    serializer_class = PoolSerializer

    def get_queryset(self) -> QuerySet[Pool]:
        return list_visible_pools(self.request.user).filter(
            campaign__in=filter_campaigns(self.request)
        )

    @extend_schema(request=FreezeSerializer, responses={201: PoolSerializer})
    def create(self, request: Request) -> Response:
        """Freeze the pool of a spec and runs as the campaign's next version."""
        actor, campaign, fields = read_act(FreezeSerializer, request)
        pool = freeze_pool(
            actor=actor,
            campaign=campaign,
            after=fields.get("after"),
            decision=fields["decision"],
            **choose_contents(campaign, fields),
        )
        return Response(self.get_serializer(pool).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=PoolRequestSerializer, responses=PoolPreviewSerializer)
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """Size, judging effort and composition of a pool; nothing is saved."""
        actor, campaign, fields = read_act(PoolRequestSerializer, request)
        preview = preview_pool(actor=actor, campaign=campaign, **choose_contents(campaign, fields))
        return Response(PoolPreviewSerializer(preview).data)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.txt", url_name="txt")
    def txt(self, _request: Request, **_: Any) -> StreamingHttpResponse:
        """For assessors: `topic 0 docno -1`, sorted by docno, without runs and ranks."""
        return self.as_file("trec", "text/plain")

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.csv", url_name="csv")
    def csv(self, _request: Request, **_: Any) -> StreamingHttpResponse:
        """With the best rank and the contributing runs of each document."""
        return self.as_file("csv", "text/csv")

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="pool.json", url_name="json")
    def json(self, _request: Request, **_: Any) -> StreamingHttpResponse:
        """By topic, with the best rank and the contributing runs of each document."""
        return self.as_file("json", "application/json")

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.ntcir", url_name="ntcir")
    def ntcir(self, _request: Request, **_: Any) -> StreamingHttpResponse:
        """In the order of selection: `topic docno`."""
        return self.as_file("ntcir", "text/plain")

    @extend_schema(parameters=[QRELS], responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.strata", url_name="strata")
    def strata(self, _request: Request, **_: Any) -> HttpResponse:
        """The whole sampling frame: `topic 0 docno stratum grade`."""
        return self.as_frame("strata")

    @extend_schema(parameters=[QRELS], responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="pool.prels", url_name="prels")
    def prels(self, _request: Request, **_: Any) -> HttpResponse:
        """The sample with inclusion probabilities: `topic docno grade method probability`."""
        return self.as_frame("prels")

    def as_frame(self, fmt: str) -> HttpResponse:
        qrels = requested_qrels_version(self.request.query_params)
        text = frame_text(self.get_object(), fmt, qrels)
        return HttpResponse(text, content_type="text/plain; charset=utf-8")

    def as_file(self, fmt: str, mime: str) -> StreamingHttpResponse:
        parts = iter_pool_file(self.get_object(), fmt)
        encoded = (part.encode() for part in parts)
        return StreamingHttpResponse(encoded, content_type=f"{mime}; charset=utf-8")


def choose_contents(campaign: Campaign, data: dict[str, Any]) -> dict[str, Any]:
    """Spec and runs as arguments of a service."""
    spec = spec_from_request(data)
    if spec.runs != RunChoice():
        accepted = list(list_task_runs(campaign, data.get("task", "")))
        if unknown := find_unknown_names(spec, accepted):
            message = f"Not among the accepted runs: {', '.join(unknown)}."
            raise serializers.ValidationError({"spec": message})
        runs = spec.runs.choose(accepted, lambda run: run.team.name)
    else:
        runs = runs_from_request(campaign, data.get("runs", []))
    return {"spec": spec, "runs": runs}


def spec_from_request(data: dict[str, Any]) -> PoolSpec:
    if ("depth" in data) == ("spec" in data):
        raise serializers.ValidationError({"spec": "Set either depth or spec."})
    if "depth" in data:
        return depth_spec(data["depth"])
    content = data["spec"]
    if isinstance(content, str) and len(content) > MAX_SPEC_LENGTH:
        raise serializers.ValidationError(
            {"spec": f"A spec has at most {MAX_SPEC_LENGTH:,} characters."}
        )
    try:
        return read_spec(content if isinstance(content, str | dict) else json.dumps(content))
    except InvalidFile as bad:
        message = [str(fault) for fault in bad.report.faults]
        raise serializers.ValidationError({"spec": message}) from bad


def runs_from_request(campaign: Campaign, ids: list[int]) -> list[Run]:
    runs = list(list_poolable_runs(campaign).filter(pk__in=ids))
    unknown = sorted(set(ids) - {run.pk for run in runs})
    if unknown:
        message = f"Not among the accepted runs: {list_names(list(map(str, unknown)), 20)}."
        raise serializers.ValidationError({"runs": message})
    return runs
