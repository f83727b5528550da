"""The REST API of stopping rules, for organizers: list, set."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.resources import CAMPAIGN, filter_organized_campaigns, read_act
from judging.models import StoppingRule
from judging.queries.slots import stopped_topics
from judging.services.stopping import set_stopping_rule
from poolbench.judging.stopping import StoppingCriteria


class StoppingRuleSerializer(serializers.ModelSerializer[StoppingRule]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    set_by = serializers.CharField(source="set_by.username")
    ended = serializers.SerializerMethodField(help_text="Topics completed under the rule so far.")

    class Meta:
        model = StoppingRule
        fields = (
            "id", "campaign", "documents", "relevant", "no_relevant_in", "set_by", "set_at",
            "ended",
        )  # fmt: skip

    def get_ended(self, row: StoppingRule) -> list[str]:
        stopped = stopped_topics(row.campaign).order_by("topic__position", "topic__number")
        return list(stopped.values_list("topic__number", flat=True))


CriterionField = partial(
    serializers.IntegerField, min_value=1, max_value=1_000_000, required=False, allow_null=True
)


class StoppingRequestSerializer(Serializer[Any]):
    """When a topic is complete; an omitted criterion never completes one."""

    campaign = serializers.SlugField()
    documents = CriterionField(help_text="Judged documents.")
    relevant = CriterionField(help_text="Relevant documents found.")
    no_relevant_in = CriterionField(
        help_text="Consecutive judged documents without a relevant one."
    )


@extend_schema(parameters=[CAMPAIGN])
class StoppingRuleViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[StoppingRule]
):
    """Stopping rules, newest first; the newest of a campaign applies."""

    queryset = StoppingRule.objects.none()
    serializer_class = StoppingRuleSerializer

    def get_queryset(self) -> QuerySet[StoppingRule]:
        rules = StoppingRule.objects.filter(campaign__in=filter_organized_campaigns(self.request))
        return rules.select_related("campaign", "set_by")

    @extend_schema(request=StoppingRequestSerializer, responses={201: StoppingRuleSerializer})
    def create(self, request: Request) -> Response:
        """Set the stopping rule of a campaign; takes effect on its topics at once."""
        actor, campaign, options = read_act(StoppingRequestSerializer, request)
        row = set_stopping_rule(actor=actor, campaign=campaign, rule=StoppingCriteria(**options))
        return Response(self.get_serializer(row).data, status=status.HTTP_201_CREATED)
