"""The REST API of what becomes of a campaign: copied, closed, reopened, deleted, restored."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import ConfirmSerializer, read_decision, read_fields, request_user
from campaigns.rules import require_access
from campaigns.services.copies import CopyChoice, copy_campaign
from campaigns.services.endings import (
    close_campaign,
    delete_campaign,
    reopen_campaign,
    restore_campaign,
)


class CopySerializer(Serializer[Any]):
    title = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=60, required=False, default="")
    topics = serializers.BooleanField(required=False, default=False)
    documents = serializers.BooleanField(required=False, default=False)


CAMPAIGN_RESPONSE = OpenApiResponse(description="The campaign.")


class EndingMixin:
    """Actions of the view set of campaigns."""

    get_object: Any
    get_serializer: Any

    @extend_schema(request=CopySerializer, responses={201: CAMPAIGN_RESPONSE})
    @action(detail=True, methods=["post"])
    def copy(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """A new campaign with texts, settings, scale and organizers of this one."""
        actor, campaign = request_user(request), self.get_object()
        require_access(actor, "campaigns.manage", campaign)
        fields = read_fields(CopySerializer, request)
        choice = CopyChoice(fields.pop("topics"), fields.pop("documents"))
        copy = copy_campaign(actor=actor, campaign=campaign, choice=choice, **fields)
        return Response(self.get_serializer(copy).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=ConfirmSerializer, responses=CAMPAIGN_RESPONSE)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """Nothing in the campaign can be changed any more; consent `closes-campaign`."""
        actor, decision = request_user(request), read_decision(request)
        campaign = close_campaign(actor=actor, campaign=self.get_object(), decision=decision)
        return Response(self.get_serializer(campaign).data)

    @extend_schema(request=ConfirmSerializer, responses=CAMPAIGN_RESPONSE)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """A closed campaign can be changed again."""
        actor, decision = request_user(request), read_decision(request)
        campaign = reopen_campaign(actor=actor, campaign=self.get_object(), decision=decision)
        return Response(self.get_serializer(campaign).data)

    @extend_schema(
        request=ConfirmSerializer, responses={200: CAMPAIGN_RESPONSE, 204: OpenApiResponse()}
    )
    @action(detail=True, methods=["post"], url_path="delete", url_name="delete")
    def delete_campaign(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """Delete the campaign; the consent is its slug. A rehearsal is removed at once: 204."""
        actor, decision = request_user(request), read_decision(request)
        campaign = delete_campaign(actor=actor, campaign=self.get_object(), decision=decision)
        if campaign is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(self.get_serializer(campaign).data)

    @extend_schema(request=None, responses=CAMPAIGN_RESPONSE)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, slug: str) -> Response:  # noqa: ARG002 (the route's)
        """A deleted campaign is back for all its members."""
        campaign = restore_campaign(actor=request_user(request), campaign=self.get_object())
        return Response(self.get_serializer(campaign).data)
