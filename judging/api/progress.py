"""The REST API of progress: the campaign's judging, and what remains for each assessor."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.requests import request_user
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere, require_access
from judging.queries.progress import AssessorProgress, assessor_progress, plan_progress
from judging.queries.screen import AssessorTopic, count_remaining, list_assessor_topics
from judging.queries.tallies import SlotTally, add_to_tally


class TallySerializer(Serializer[SlotTally]):
    """Judgments of all plans, as on the judging page."""

    judged = serializers.IntegerField()
    skipped = serializers.IntegerField()
    unresolved = serializers.IntegerField(help_text="Skipped documents that need a decision.")
    checked_out = serializers.IntegerField(source="leased")
    open = serializers.IntegerField()
    coming = serializers.IntegerField(help_text="At most this many more as pools grow.")
    dropped = serializers.IntegerField(help_text="Of closed plans and complete topics.")
    total = serializers.IntegerField()
    complete = serializers.BooleanField(source="is_complete")


class AssessorTopicSerializer(Serializer[AssessorTopic]):
    topic = serializers.CharField(source="topic.number")
    judged = serializers.IntegerField()
    skipped = serializers.IntegerField()
    checked_out = serializers.IntegerField()
    remaining = serializers.IntegerField(source="left", help_text="Expected share, rounded up.")
    most = serializers.IntegerField(help_text="What would remain if no other assessor judged.")
    paused = serializers.BooleanField()


class AssessorProgressSerializer(Serializer[AssessorProgress]):
    assessor = serializers.CharField(source="user.username")
    judged = serializers.IntegerField()
    skipped = serializers.IntegerField()
    checked_out = serializers.IntegerField()
    remaining = serializers.IntegerField(help_text="Expected over all topics, rounded up.")
    most = serializers.IntegerField(help_text="What would remain if no other assessor judged.")
    hours_left = serializers.FloatField(allow_null=True, help_text="At the assessor's own pace.")
    paused = serializers.BooleanField()


class ProgressSerializer(Serializer[Any]):
    """``judging`` and ``assessors`` are for organizers, ``topics`` and ``remaining`` the
    requesting assessor's own.
    """

    campaign = serializers.SlugField()
    judging = TallySerializer(allow_null=True)
    assessors = AssessorProgressSerializer(many=True)
    topics = AssessorTopicSerializer(many=True)
    remaining = serializers.IntegerField()


class ProgressViewSet(viewsets.ViewSet):
    """Progress of a campaign's judging: all of it for organizers, their own for assessors."""

    lookup_field = "slug"
    lookup_value_regex = "[-a-zA-Z0-9_]+"

    @extend_schema(responses={200: ProgressSerializer})
    def retrieve(self, request: Request, slug: str) -> Response:
        """The progress of one campaign."""
        user = request_user(request)
        campaign = get_campaign_for(user, slug)
        organizes = is_organizer_anywhere(user, campaign)
        if not organizes:
            require_access(user, "campaigns.judge", campaign)
        plans = plan_progress(campaign) if organizes else []
        topics = list_assessor_topics(campaign, user)
        answer = {
            "campaign": campaign.slug,
            "judging": add_to_tally(plan.tally for plan in plans) if organizes else None,
            "assessors": assessor_progress(campaign, plans) if organizes else [],
            "topics": topics,
            "remaining": count_remaining(topics),
        }
        return Response(ProgressSerializer(answer).data)
