"""The REST API of members, for organizers: list, add, remove."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.requests import ConfirmSerializer, read_decision, request_user
from campaigns.api.resources import CAMPAIGN, filter_organized_campaigns, read_act
from campaigns.models import Member, Role, User
from campaigns.rules import list_conflicts
from campaigns.services.people import add_member, remove_member


class MemberSerializer(serializers.ModelSerializer[Member]):
    """A role of a user. ``conflicts``: this role and those of the same user that conflict."""

    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.shown_name")
    team = serializers.CharField(source="team.name", allow_null=True, default=None)
    team_deadline = serializers.DateTimeField(
        source="team.runs_deadline", allow_null=True, default=None,
        help_text="Later than that of the campaign, if the team was given more time.",
    )  # fmt: skip
    conflicts = serializers.SerializerMethodField()

    class Meta:
        model = Member
        fields = (
            "id", "campaign", "username", "name", "role", "team", "team_deadline", "joined_at",
            "conflicts",
        )  # fmt: skip
        read_only_fields = fields

    def get_conflicts(self, member: Member) -> list[str]:
        rows = member.user.memberships.all()
        conflicts = list_conflicts(
            row.role for row in rows if row.campaign_id == member.campaign_id
        )
        return conflicts if member.role in conflicts else []


class NewMemberSerializer(ConfirmSerializer):
    campaign = serializers.SlugField()
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(choices=Role.choices)
    team = serializers.CharField(
        required=False, max_length=60, default="", help_text="Of participants only."
    )


@extend_schema_view(list=extend_schema(parameters=[CAMPAIGN]))
class MemberViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Member]
):
    queryset = Member.objects.none()
    serializer_class = MemberSerializer

    def get_queryset(self) -> QuerySet[Member]:
        members = Member.objects.filter(campaign__in=filter_organized_campaigns(self.request))
        members = members.order_by("campaign", "role", "user__username")
        return members.select_related("campaign", "team").prefetch_related("user__memberships")

    @extend_schema(request=NewMemberSerializer, responses={201: MemberSerializer})
    def create(self, request: Request) -> Response:
        """Add a role. One that conflicts with another of the user's needs `conflicting-roles`."""
        actor, campaign, fields = read_act(NewMemberSerializer, request)
        user = get_object_or_404(User, username=fields.pop("username"))
        member = add_member(actor=actor, campaign=campaign, user=user, **fields)
        return Response(self.get_serializer(member).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ConfirmSerializer, responses={204: None})
    @action(detail=True, methods=["post"])
    def remove(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Remove a role; always with the consent `loses-access`."""
        actor, decision = request_user(request), read_decision(request)
        remove_member(actor=actor, member=self.get_object(), decision=decision)
        return Response(status=status.HTTP_204_NO_CONTENT)
