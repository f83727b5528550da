"""The REST API of plans, for organizers: look, preview, make."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api import CAMPAIGN, filter_campaigns, request_user
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries import get_campaign_for
from judging.core.designs.registry import DESIGNS
from judging.models import Plan
from judging.services.plans import ORDERS, PlanOptions, PlanPreview, create_plan, preview_plan


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
            "third_from", "repeat_share", "rationale", "paused", "created_at", "assignments",
        )  # fmt: skip


class PlanRequestSerializer(Serializer[Any]):
    """What a plan asks for; what is left out is as on the page."""

    campaign = serializers.SlugField()
    pool = serializers.IntegerField(help_text="The version of the pool.")
    design = serializers.ChoiceField(
        choices=[(name, design.card.title) for name, design in DESIGNS.items()], default="overlap"
    )
    parameters = serializers.DictField(
        child=serializers.FloatField(),
        default=dict,
        help_text="By name; `n` of overlap is the number of judgments a document.",
    )
    order = serializers.ChoiceField(
        choices=[(order.value, order.label) for order in ORDERS], default=Plan.Order.RANDOM
    )
    third_from = serializers.IntegerField(min_value=0, default=0)
    repeat_share = serializers.FloatField(min_value=0, max_value=1, default=0)
    rationale = serializers.ChoiceField(choices=Plan.Rationale.choices, default=Plan.Rationale.NO)
    assessors = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        default=dict,
        help_text="User names by topic number.",
    )
    topics = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Only these topics."
    )


class LoadSerializer(Serializer[Any]):
    assessor = serializers.CharField()
    judgments = serializers.FloatField()


class PlanPreviewSerializer(Serializer[Any]):
    """``exact``: not only what is to be expected if all of a topic's people work equally."""

    judgments = serializers.IntegerField()
    pairs = serializers.IntegerField()
    planned_before = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Judgments for which nobody is named yet.")
    thirds = serializers.IntegerField(help_text="Third judgments there can be at most.")
    coming = serializers.IntegerField(help_text="More that may come as the pool grows, at most.")
    exact = serializers.BooleanField()
    shared_least = serializers.FloatField(allow_null=True)
    shared_most = serializers.FloatField(allow_null=True)
    loads = LoadSerializer(many=True)


@extend_schema(parameters=[CAMPAIGN])
class PlanViewSet(viewsets.ReadOnlyModelViewSet[Plan]):
    """Judging plans and who is assigned; for organizers."""

    queryset = Plan.objects.none()
    serializer_class = PlanSerializer

    def get_queryset(self) -> QuerySet[Plan]:
        mine = Campaign.objects.organized_by(request_user(self.request))
        asked = filter_campaigns(self.request).order_by()
        found = Plan.objects.filter(campaign__in=mine.filter(pk__in=asked))
        people = ("assignments__topic", "assignments__assessor")
        return found.select_related("campaign", "pool").prefetch_related(*people)

    @extend_schema(request=PlanRequestSerializer, responses={201: PlanSerializer})
    def create(self, request: Request) -> Response:
        """Share out a pool; 409 with the reason where the design cannot be laid out."""
        made = create_plan(**parse_plan_request(request))
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=PlanRequestSerializer, responses={200: PlanPreviewSerializer})
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """What a plan would ask of whom; nothing is written."""
        return Response(
            PlanPreviewSerializer(
                serialize_preview(preview_plan(**parse_plan_request(request)))
            ).data
        )


def parse_plan_request(request: Request) -> dict[str, Any]:
    """The arguments of ``make_plan`` and ``preview``."""
    form = PlanRequestSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    given, actor = dict(form.validated_data), request_user(request)
    campaign = get_campaign_for(actor, given.pop("campaign"), "campaigns.manage")
    by_topic: dict[str, list[str]] = given.pop("assessors")
    asked = {name for names in by_topic.values() for name in names}
    users = {user.username: user for user in User.objects.filter(username__in=asked)}
    if unknown := sorted(asked - set(users)):
        raise ActionRefused("no-user", f"There is no account {', '.join(unknown)}.", "Invite them.")
    return {
        "actor": actor,
        "pool": get_object_or_404(campaign.pools, version=given.pop("pool")),
        "assessors": {topic: [users[name] for name in names] for topic, names in by_topic.items()},
        "topics": given.pop("topics", None),
        "scheme": PlanOptions(**given),
    }


def serialize_preview(seen: PlanPreview) -> dict[str, Any]:
    least, most = seen.shared or (None, None)
    return {
        "judgments": seen.forecast.judgments,
        "pairs": len(seen.allocation.pairs),
        "planned_before": seen.planned_before,
        "waiting": seen.forecast.unassigned,
        "thirds": seen.thirds,
        "coming": seen.coming,
        "exact": seen.forecast.exact,
        "shared_least": least,
        "shared_most": most,
        "loads": [{"assessor": user.username, "judgments": load} for user, load in seen.loads],
    }
