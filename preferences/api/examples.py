"""The REST API of interleaving and of preferences from clicks: one example each, no account."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import read_fields
from poolbench.preferences.interleaving import METHODS
from poolbench.preferences.tryout import MAX_LISTED, build_worked_clicks, build_worked_interleaving

MAX_NAME = 500


class RankingListField(serializers.ListField):
    """Docnos from the top."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_LISTED, **options
        )


class InterleavingInputSerializer(Serializer[Any]):
    a = RankingListField()
    b = RankingListField()
    method = serializers.ChoiceField(choices=tuple(METHODS), default="team-draft")
    first = serializers.ChoiceField(
        choices=("A", "B"),
        required=False,
        allow_null=True,
        help_text="Who has the first turn; by lot if absent. Team draft ignores it.",
    )
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    picks = RankingListField(default=list, help_text="Clicked documents of the list.")


class CreditSerializer(Serializer[Any]):
    A = serializers.IntegerField()
    B = serializers.IntegerField()


class InterleavingSerializer(Serializer[Any]):
    documents = serializers.ListField(child=serializers.CharField())
    by = serializers.ListField(
        child=serializers.CharField(), help_text="The ranking that contributed each document."
    )
    credit = CreditSerializer()


class ClicksInputSerializer(Serializer[Any]):
    documents = RankingListField()
    clicked = RankingListField()
    ranking = RankingListField(help_text="The ranking to score.")


class WorkedPreferenceSerializer(Serializer[Any]):
    better = serializers.CharField()
    worse = serializers.CharField()
    satisfied = serializers.BooleanField(help_text="The ranking has the better document above.")


class ClicksSerializer(Serializer[Any]):
    preferences = WorkedPreferenceSerializer(many=True)
    share = serializers.FloatField(allow_null=True, help_text="Null without a preference.")


class InterleavingViewSet(viewsets.ViewSet):
    """Interleave two rankings and credit clicks. No account required."""

    permission_classes = (permissions.AllowAny,)

    @extend_schema(request=InterleavingInputSerializer, responses=InterleavingSerializer)
    def create(self, request: Request) -> Response:
        """One list of two rankings, and the credit of each for the picks."""
        fields = read_fields(InterleavingInputSerializer, request)
        try:
            worked = build_worked_interleaving(**fields)
        except ValueError as error:
            raise serializers.ValidationError(f"{str(error).capitalize()}.") from error
        merged = worked.interleaved
        answer = {"documents": merged.documents, "by": merged.by, "credit": worked.credit}
        return Response(InterleavingSerializer(answer).data)


class ClickPreferenceViewSet(viewsets.ViewSet):
    """Preferences of one session of clicks. No account required."""

    permission_classes = (permissions.AllowAny,)

    @extend_schema(request=ClicksInputSerializer, responses=ClicksSerializer)
    def create(self, request: Request) -> Response:
        """The preferences, and the share of them that a ranking keeps."""
        fields = read_fields(ClicksInputSerializer, request)
        try:
            worked = build_worked_clicks(**fields)
        except ValueError as error:
            raise serializers.ValidationError(f"{str(error).capitalize()}.") from error
        preferences = [
            {"better": better, "worse": worse, "satisfied": satisfied}
            for (better, worse), satisfied in worked.preferences
        ]
        return Response(ClicksSerializer({"preferences": preferences, "share": worked.share}).data)
