"""The REST API of tasks and rounds: members read them, organizers write them."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.requests import request_user
from campaigns.api.resources import CAMPAIGN, filter_campaigns, read_act
from campaigns.models import CampaignTask
from campaigns.rules import require_permission
from campaigns.services.tasks import create_task, delete_task, update_task


class TaskSerializer(serializers.ModelSerializer[CampaignTask]):
    campaign = serializers.SlugField(source="campaign.slug", read_only=True)
    topics = serializers.SerializerMethodField(help_text="Topic IDs, in the campaign's order.")

    class Meta:
        model = CampaignTask
        fields = (
            "id", "campaign", "slug", "name", "topics", "runs_deadline", "max_runs_per_team",
            "measures", "judged_before", "refuse_judged",
        )  # fmt: skip
        read_only_fields = fields

    def get_topics(self, task: CampaignTask) -> list[str]:
        return task.list_topic_numbers()


class TaskChangeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(required=False, max_length=60)
    topics = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Topic IDs; empty: all topics of the campaign.",
    )
    runs_deadline = serializers.DateTimeField(required=False, allow_null=True)
    max_runs_per_team = serializers.IntegerField(required=False, allow_null=True, min_value=1)
    measures = serializers.ListField(child=serializers.CharField(), required=False)
    judged_before = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="Qrels version whose documents leave runs, pools and scores of a round.",
    )
    refuse_judged = serializers.BooleanField(required=False)


class TaskCreateSerializer(TaskChangeSerializer):
    campaign = serializers.SlugField()
    name = serializers.CharField(max_length=60)
    slug = serializers.SlugField(required=False, max_length=40)


@extend_schema_view(list=extend_schema(parameters=[CAMPAIGN]))
class TaskViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[CampaignTask]
):
    queryset = CampaignTask.objects.none()
    serializer_class = TaskSerializer

    def get_queryset(self) -> QuerySet[CampaignTask]:
        tasks = CampaignTask.objects.filter(campaign__in=filter_campaigns(self.request))
        return tasks.select_related("campaign")

    @extend_schema(request=TaskCreateSerializer, responses={201: TaskSerializer})
    def create(self, request: Request) -> Response:
        """Add a task; a round if it names the qrels of the earlier rounds."""
        actor, campaign, fields = read_act(TaskCreateSerializer, request)
        task = create_task(actor=actor, campaign=campaign, **fields)
        return Response(self.get_serializer(task).data, status=201)

    @extend_schema(request=TaskChangeSerializer, responses=TaskSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Change a task; topics and earlier judgments are fixed with its first pool or scores."""
        actor, task = request_user(request), self.get_object()
        require_permission(actor, "campaigns.manage", task.campaign)
        fields = TaskChangeSerializer(data=request.data)
        fields.is_valid(raise_exception=True)
        changed = update_task(actor=actor, task=task, **fields.validated_data)
        return Response(self.get_serializer(changed).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Delete a task that no run, pool or score set names."""
        delete_task(actor=request_user(request), task=self.get_object())
        return Response(status=204)
