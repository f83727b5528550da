"""The REST API of judging plans, for organizers: list, preview, create."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.limits import PlanJSONParser
from campaigns.api.requests import ConfirmSerializer, read_decision, request_user
from campaigns.api.resources import CAMPAIGN, filter_organized_campaigns, read_act
from campaigns.errors import ActionRefused
from campaigns.models import User
from judging.models import Plan
from judging.services.crowd_plans import PlanOptions
from judging.services.plans import (
    ORDERS,
    PlanPreview,
    close_plan,
    create_plan,
    pause_plan,
    preview_plan,
)
from poolbench.judging.designs.registry import DESIGNS


class AssignmentSerializer(Serializer[Any]):
    topic = serializers.CharField(source="topic.number")
    assessor = serializers.CharField(source="assessor.username")
    paused = serializers.BooleanField()


class PlanSerializer(serializers.ModelSerializer[Plan]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    pool = serializers.IntegerField(source="pool.version")
    parameters = serializers.DictField()
    assignments = AssignmentSerializer(many=True)

    class Meta:
        model = Plan
        fields = (
            "id", "campaign", "pool", "kind", "design", "parameters", "overlap", "order",
            "third_from", "repeat_share", "rationale", "first_language", "propagate", "state",
            "closed_at", "created_at", "assignments",
        )  # fmt: skip


class PlanRequestSerializer(Serializer[Any]):
    """Options of a plan; omitted ones have the defaults of the form."""

    campaign = serializers.SlugField()
    pool = serializers.IntegerField(help_text="Pool version.")
    design = serializers.ChoiceField(
        choices=[(name, design.card.title) for name, design in DESIGNS.items()], default="overlap"
    )
    parameters = serializers.DictField(
        child=serializers.FloatField(),
        default=dict,
        help_text="By name; `n` of `overlap` is the number of judgments per document.",
    )
    order = serializers.ChoiceField(
        choices=[(order.value, order.label) for order in ORDERS],
        required=False,
        help_text="Default: random; for a sample by influence that of the pool, in rounds.",
    )
    third_from = serializers.IntegerField(min_value=0, default=0)
    repeat_share = serializers.FloatField(min_value=0, max_value=1, default=0)
    rationale = serializers.ChoiceField(choices=Plan.Rationale.choices, default=Plan.Rationale.NO)
    first_language = serializers.ChoiceField(
        choices=Plan.Language.choices,
        default=Plan.Language.BOTH,
        help_text="What is shown first of a document with a translation.",
    )
    propagate = serializers.BooleanField(
        default=False, help_text="Judge one of several documents with the same text."
    )
    assessors = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        default=dict,
        help_text="Usernames by topic number.",
    )
    topics = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Topic numbers; default: all topics.",
    )


class LoadSerializer(Serializer[Any]):
    assessor = serializers.CharField()
    judgments = serializers.FloatField()


class PlanPreviewSerializer(Serializer[Any]):
    """If not ``exact``: expected values, assuming that a topic's assessors judge equally much."""

    judgments = serializers.IntegerField()
    pairs = serializers.IntegerField()
    planned_before = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Judgments with no assessor assigned.")
    propagated = serializers.IntegerField(help_text="Pairs that a duplicate is judged for.")
    thirds = serializers.IntegerField(help_text="Third judgments, at most.")
    coming = serializers.IntegerField(help_text="Further judgments as the pool grows, at most.")
    exact = serializers.BooleanField()
    shared_least = serializers.FloatField(allow_null=True)
    shared_most = serializers.FloatField(allow_null=True)
    loads = LoadSerializer(many=True)


@extend_schema(parameters=[CAMPAIGN])
class PlanViewSet(viewsets.ReadOnlyModelViewSet[Plan]):
    """Judging plans with their assignments; for organizers."""

    queryset = Plan.objects.none()
    serializer_class = PlanSerializer
    parser_classes = (PlanJSONParser,)

    def get_queryset(self) -> QuerySet[Plan]:
        plans = Plan.objects.filter(campaign__in=filter_organized_campaigns(self.request))
        people = ("assignments__topic", "assignments__assessor")
        return plans.select_related("campaign", "pool").prefetch_related(*people)

    @extend_schema(request=PlanRequestSerializer, responses={201: PlanSerializer})
    def create(self, request: Request) -> Response:
        """Create a judging plan; 409 with the reason if the design does not fit."""
        plan = create_plan(**parse_plan_request(request))
        return Response(self.get_serializer(plan).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=PlanRequestSerializer, responses={200: PlanPreviewSerializer})
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """Judgments per assessor under a plan; nothing is saved."""
        preview = preview_plan(**parse_plan_request(request))
        return Response(PlanPreviewSerializer(serialize_preview(preview)).data)

    @extend_schema(request=None, responses={200: PlanSerializer})
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Pause a plan: no more documents are checked out under it; 409 if it is closed."""
        pause_plan(actor=request_user(request), plan=(plan := self.get_object()))
        return Response(self.get_serializer(plan).data)

    @extend_schema(request=None, responses={200: PlanSerializer})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Resume a paused plan; 409 if it is closed."""
        pause_plan(actor=request_user(request), plan=(plan := self.get_object()), paused=False)
        return Response(self.get_serializer(plan).data)

    @extend_schema(request=ConfirmSerializer, responses={200: PlanSerializer})
    @action(detail=True, methods=["post"])
    def close(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Close a plan for good: pairs without a judgment can be planned again."""
        plan = self.get_object()
        close_plan(actor=request_user(request), plan=plan, decision=read_decision(request))
        return Response(self.get_serializer(plan).data)


def parse_plan_request(request: Request) -> dict[str, Any]:
    """The arguments of ``create_plan`` and ``preview_plan``."""
    actor, campaign, options = read_act(PlanRequestSerializer, request)
    by_topic: dict[str, list[str]] = options.pop("assessors")
    usernames = {name for names in by_topic.values() for name in names}
    users = {user.username: user for user in User.objects.filter(username__in=usernames)}
    if unknown := sorted(usernames - set(users)):
        raise ActionRefused("no-user", f"Unknown usernames: {', '.join(unknown)}.", "Invite them.")
    return {
        "actor": actor,
        "pool": get_object_or_404(campaign.pools, version=options.pop("pool")),
        "assessors": {topic: [users[name] for name in names] for topic, names in by_topic.items()},
        "topics": options.pop("topics", None),
        "scheme": PlanOptions(**options),
    }


def serialize_preview(preview: PlanPreview) -> dict[str, Any]:
    least, most = preview.shared or (None, None)
    return {
        "judgments": preview.forecast.judgments,
        "pairs": len(preview.allocation.pairs),
        "planned_before": preview.planned_before,
        "waiting": preview.forecast.unassigned,
        "propagated": len(preview.allocation.propagated),
        "thirds": preview.thirds,
        "coming": preview.coming,
        "exact": preview.forecast.exact,
        "shared_least": least,
        "shared_most": most,
        "loads": [{"assessor": user.username, "judgments": load} for user, load in preview.loads],
    }
