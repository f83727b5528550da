"""The REST API of scores: the same content as the pages, for the same readers."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import ConfirmSerializer, read_decision, request_user
from campaigns.api.resources import CAMPAIGN, filter_campaigns, read_act
from campaigns.errors import ActionRefused
from evaluation.models import RunScores, ScoreSet
from evaluation.queries.exports import (
    MIME,
    leaderboard_to_csv,
    leaderboard_to_dict,
    run_scores_file,
)
from evaluation.queries.leaderboard import Leaderboard, get_leaderboard
from evaluation.queries.paper import UnknownTeamError, find_paper_source, get_paper_results
from evaluation.queries.score_sets import (
    get_reader,
    list_visible_run_scores,
    list_visible_score_sets,
)
from evaluation.services.estimating import request_scores
from evaluation.services.release import publish_scores, release_scores
from poolbench.charts.png import ChartTooLargeError
from poolbench.evaluation.paper.files import pack_paper
from poolbench.evaluation.paper.report import DECIMALS, serialize_paper
from poolbench.evaluation.paper.results import PaperResults
from poolbench.reports.archive import ArchiveTooLargeError

LONG = OpenApiParameter(
    "shape", str, enum=["wide", "long"], description="long: one row per run, measure and topic."
)

TEAM = OpenApiParameter(
    "team", str, description="Name of the team; for participants their own, the default."
)
MEASURES = OpenApiParameter("m", str, many=True, description="Measures, in their order.")

LABEL = (
    "Empty for scores by human judgments; `filled, no estimate` or `automatic, no estimate` where "
    "grades of an automatic assessor count; `estimate from a sample` and `judged sample, no "
    "estimate` where people judged a sample of the pool."
)
KIND = "`people`, `sample`, `estimate` or `filled`. Never compare two kinds."


class ScoreSetSerializer(serializers.ModelSerializer[ScoreSet]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    task = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    qrels = serializers.IntegerField(source="qrels.version", help_text="Version of the qrels.")
    measures = serializers.ListField(child=serializers.CharField())
    topics = serializers.ListField(child=serializers.CharField())
    kind = serializers.CharField(help_text=KIND)
    label = serializers.CharField(help_text=LABEL)  # type: ignore[assignment]
    conditions = serializers.DictField(source="provenance")

    class Meta:
        model = ScoreSet
        fields = (
            "id", "campaign", "task", "qrels", "kind", "label", "measures", "topics", "conditions",
            "created_at", "released_at",
        )  # fmt: skip
        read_only_fields = fields


class SpreadSerializer(Serializer[Any]):
    best = serializers.FloatField(allow_null=True)
    median = serializers.FloatField(allow_null=True)
    worst = serializers.FloatField(allow_null=True)


class EntrySerializer(Serializer[Any]):
    run = serializers.CharField(help_text="Run tag or pseudonym.")
    team = serializers.CharField()
    own = serializers.BooleanField()
    withdrawn_at = serializers.DateTimeField(allow_null=True, help_text="After the release.")
    after_release = serializers.BooleanField(
        help_text="Submitted after the first release of scores."
    )
    run_scores = serializers.IntegerField(
        allow_null=True, help_text="ID under /api/run-scores/, if you may read it."
    )
    means = serializers.DictField(child=serializers.FloatField(allow_null=True))
    estimates = serializers.DictField(
        required=False, help_text="Of a set of estimates, by measure: value, intervals, place."
    )


class BoardSerializer(Serializer[Any]):
    score_set = serializers.IntegerField()
    campaign = serializers.CharField()
    qrels = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    released_at = serializers.DateTimeField(allow_null=True)
    kind = serializers.CharField(help_text=KIND)
    label = serializers.CharField(help_text=LABEL)  # type: ignore[assignment]
    conditions = serializers.DictField()
    spread = serializers.DictField(child=SpreadSerializer())
    runs = EntrySerializer(many=True)


class PaperSerializer(Serializer[Any]):
    conditions = serializers.DictField()
    verdict = serializers.DictField()
    measures = serializers.DictField(child=serializers.CharField())
    runs_in_all = serializers.IntegerField()
    runs = serializers.ListField(child=serializers.DictField())
    spread = serializers.DictField(child=SpreadSerializer())
    topics = serializers.ListField(child=serializers.DictField())


class EvaluateSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    qrels = serializers.IntegerField(help_text="Version of the qrels.")
    measures = serializers.ListField(child=serializers.CharField(), required=False, default=list)
    task = serializers.SlugField(required=False, help_text="The task whose runs to evaluate.")
    estimate = serializers.BooleanField(
        default=False, help_text="Estimates with intervals, if the qrels judge a sample."
    )
    machines = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="Automatic assessors whose grades sharpen the estimates.",
    )


class JobSerializer(Serializer[Any]):
    job = serializers.IntegerField()
    state = serializers.CharField()
    error = serializers.CharField(allow_blank=True)
    score_set = serializers.IntegerField(allow_null=True)


class RunScoresSerializer(Serializer[Any]):
    id = serializers.IntegerField(read_only=True)
    score_set = serializers.IntegerField(source="score_set_id", read_only=True)
    run = serializers.IntegerField(source="run_id", read_only=True)
    tag = serializers.CharField(source="run.tag", read_only=True)
    team = serializers.CharField(source="run.team.name", read_only=True)
    label = serializers.CharField(source="score_set.label", read_only=True, help_text=LABEL)  # type: ignore[assignment]
    withdrawn_at = serializers.DateTimeField(source="run.withdrawn_at", read_only=True)
    after_release = serializers.BooleanField(source="run.after_release", read_only=True)
    means = serializers.DictField(child=serializers.FloatField(allow_null=True), read_only=True)


@extend_schema_view(list=extend_schema(parameters=[CAMPAIGN]))
class ScoreSetViewSet(viewsets.ReadOnlyModelViewSet[ScoreSet]):
    """Score sets: all for organizers, the latest released one for participants."""

    serializer_class = ScoreSetSerializer
    queryset = ScoreSet.objects.none()

    def get_queryset(self) -> QuerySet[ScoreSet]:
        return list_visible_score_sets(self.request.user).filter(
            campaign__in=filter_campaigns(self.request)
        )

    def visible_leaderboard(self) -> Leaderboard:
        score_set = self.get_object()
        return get_leaderboard(score_set, get_reader(self.request.user, score_set.campaign))

    @extend_schema(responses=BoardSerializer)
    @action(detail=True)
    def leaderboard(self, _request: Request, **_: Any) -> Response:
        """Mean scores of the runs that the user may see."""
        return Response(leaderboard_to_dict(self.visible_leaderboard()))

    @extend_schema(parameters=[LONG], responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="leaderboard.csv", url_name="csv")
    def csv(self, request: Request, **_: Any) -> HttpResponse:
        """The leaderboard as CSV."""
        long = request.query_params.get("shape") == "long"
        return HttpResponse(
            leaderboard_to_csv(self.visible_leaderboard(), by_topic=long), content_type=MIME["csv"]
        )

    @extend_schema(parameters=[TEAM, MEASURES], responses=PaperSerializer)
    @action(detail=True)
    def paper(self, request: Request, **_: Any) -> Response:
        """The results of a team for a paper, as its members may see them."""
        return Response(serialize_paper(find_team_results(request, self.get_object())))

    @extend_schema(
        parameters=[TEAM, MEASURES], responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    @action(detail=True, url_path="paper.zip", url_name="paper-zip")
    def paper_zip(self, request: Request, **_: Any) -> HttpResponse:
        """The same as an archive: tables, figures, conditions and citation."""
        packed = pack_or_refuse(find_team_results(request, self.get_object()))
        return HttpResponse(packed, content_type=MIME["zip"])

    @extend_schema(request=EvaluateSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"])
    def evaluate(self, request: Request) -> Response:
        """Evaluate all accepted runs of a campaign under a qrels version."""
        actor, campaign, fields = read_act(EvaluateSerializer, request)
        qrels = get_object_or_404(campaign.qrels, version=fields.pop("qrels"))
        if slug := fields.pop("task", None):
            fields["task"] = get_object_or_404(campaign.tasks, slug=slug)
        job = request_scores(actor=actor, campaign=campaign, qrels=qrels, **fields)
        job.refresh_from_db()
        body = {"job": job.pk, "state": job.state, "error": job.error}
        body["score_set"] = job.result.get("score_set")
        return Response(body, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=ConfirmSerializer, responses=ScoreSetSerializer)
    @action(detail=True, methods=["post"])
    def release(self, request: Request, **_: Any) -> Response:
        """Release the score set to participants. Release is permanent."""
        released = release_scores(
            actor=request_user(request),
            score_set=self.get_object(),
            decision=read_decision(request),
        )
        return Response(self.get_serializer(released).data)

    @extend_schema(request=ConfirmSerializer, responses=ScoreSetSerializer)
    @action(detail=True, methods=["post"])
    def publish(self, request: Request, **_: Any) -> Response:
        """Show a released score set to everybody, on the public page."""
        actor, score_set = request_user(request), self.get_object()
        decision = read_decision(request)
        publish_scores(actor=actor, score_set=score_set, decision=decision)
        return Response(self.get_serializer(score_set).data)


def pack_or_refuse(results: PaperResults, decimals: int = DECIMALS) -> bytes:
    """The archive of a paper; refused if it is too large."""
    try:
        return pack_paper(results, decimals)
    except (ArchiveTooLargeError, ChartTooLargeError) as error:
        fix = "Download the tables one by one."
        raise ActionRefused("archive-too-large", f"{error}.", fix) from error


def find_team_results(request: Request, score_set: ScoreSet) -> PaperResults:
    team = request.query_params.get("team", "")
    try:
        source = find_paper_source(request.user, score_set.campaign, team, score_set.pk)
    except UnknownTeamError as error:
        raise Http404 from error
    if source.score_set is None or source.team is None:
        raise Http404
    measures = request.query_params.getlist("m")
    results = get_paper_results(source.score_set, source.team, measures)
    if results is None:
        raise Http404
    return results


class RunScoresViewSet(mixins.RetrieveModelMixin, viewsets.GenericViewSet[RunScores]):
    """Scores of a run: of all runs for organizers, of their team's runs for participants."""

    serializer_class = RunScoresSerializer
    queryset = RunScores.objects.none()

    def get_queryset(self) -> QuerySet[RunScores]:
        return list_visible_run_scores(self.request.user)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="scores.txt", url_name="txt")
    def txt(self, _request: Request, **_: Any) -> HttpResponse:
        """Scores by topic in the format of trec_eval."""
        return self.scores_response("txt")

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="scores.csv", url_name="csv")
    def csv(self, _request: Request, **_: Any) -> HttpResponse:
        """Scores by topic as CSV, one value per line."""
        return self.scores_response("csv")

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="scores.json", url_name="json")
    def json(self, _request: Request, **_: Any) -> HttpResponse:
        """Scores by topic as JSON, with their provenance."""
        return self.scores_response("json")

    def scores_response(self, fmt: str) -> HttpResponse:
        row = self.get_object()
        leaderboard = get_leaderboard(
            row.score_set, get_reader(self.request.user, row.score_set.campaign)
        )
        entry = leaderboard.find(row.run_id)
        if entry is None:
            raise Http404
        return HttpResponse(run_scores_file(leaderboard, entry, fmt), content_type=MIME[fmt])
