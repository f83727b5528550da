"""The REST API of judgments and qrels.

An assessor's answers hold their own judgments and the document in hand, and nothing of
runs, ranks, pools or other assessors.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns import store
from campaigns.api import CAMPAIGN, filter_campaigns, request_user
from campaigns.models import Campaign, Topic
from campaigns.queries import get_campaign_for
from judging.core.policies import FORMS, RULES
from judging.models import Judgment, Purpose, Qrels, Slot
from judging.queries.judgments import judgments_for, latest_judgments
from judging.queries.screen import find_document
from judging.rules import FLAGS, MAX_PASSAGE, MAX_PASSAGES, SKIP_REASONS
from judging.services.judgments import claim_next, submit_judgment, submit_skip, undo_judgment
from judging.services.qrels import freeze_qrels

Kind, Source = Judgment.Kind, Judgment.Source
TOPIC = OpenApiParameter("topic", str, description="Topic number: only this topic's.")
CURRENT = OpenApiParameter("current", bool, description="Only what stands, no old revisions.")
POLICY_HELP = "One of " + ", ".join([*RULES, *(card.name for card in FORMS.values())]) + "."


class PassageSerializer(Serializer[Any]):
    """A marked passage: from ``start`` to ``end`` in characters of the body, and its text."""

    start = serializers.IntegerField(allow_null=True, min_value=0, default=None)
    end = serializers.IntegerField(allow_null=True, min_value=1, default=None)
    text = serializers.CharField(max_length=MAX_PASSAGE, trim_whitespace=False)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return dict(zip(("start", "end", "text"), instance, strict=True))


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    topic = serializers.CharField(source="topic.number")
    assessor = serializers.CharField(source="assessor.username")
    flags = serializers.ListField(child=serializers.CharField())
    passages = PassageSerializer(many=True)

    class Meta:
        model = Judgment
        fields = (
            "id", "campaign", "topic", "docno", "assessor", "purpose", "revision", "kind", "grade",
            "reason", "comment", "flags", "duplicate_of", "passages", "source", "client_uuid",
            "judged_at", "active_seconds",
        )  # fmt: skip
        read_only_fields = fields


class PositionSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    topic = serializers.CharField()


class SubmissionSerializer(PositionSerializer):
    docno = serializers.CharField(max_length=500, trim_whitespace=False)
    client_uuid = serializers.UUIDField(help_text="Your own; the same again is the same answer.")
    token = serializers.UUIDField(required=False, help_text="The lease, as `next` gave it.")
    comment = serializers.CharField(required=False, allow_blank=True, max_length=10_000)
    flags = serializers.ListField(
        child=serializers.ChoiceField(choices=list(FLAGS.items())), required=False
    )
    duplicate_of = serializers.CharField(
        required=False, max_length=500, trim_whitespace=False, help_text="For the flag duplicate."
    )
    active_seconds = serializers.FloatField(required=False, min_value=0, max_value=86_400)


class JudgeSerializer(SubmissionSerializer):
    grade = serializers.IntegerField()
    passages = PassageSerializer(many=True, required=False, max_length=MAX_PASSAGES)  # type: ignore[call-arg]


class SkipSerializer(SubmissionSerializer):
    reason = serializers.ChoiceField(choices=list(SKIP_REASONS.items()))


class UndoSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    client_uuid = serializers.UUIDField(required=False)
    of = serializers.UUIDField(required=False, help_text="What to take back; else your last.")


class CheckedOutSerializer(Serializer[Any]):
    """The document in hand; ``docno`` is null when nothing is left for you in the topic."""

    topic = serializers.CharField()
    docno = serializers.CharField(allow_null=True)
    token = serializers.UUIDField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    title = serializers.CharField(allow_null=True)
    body = serializers.CharField(allow_null=True, help_text="Null: the campaign has no text.")
    url = serializers.CharField(allow_null=True)
    date = serializers.CharField(allow_null=True)


class QrelsSerializer(serializers.ModelSerializer[Qrels]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    manifest = serializers.DictField(read_only=True)

    class Meta:
        model = Qrels
        fields = (
            "id", "campaign", "version", "policy", "as_of", "sha256", "pairs", "manifest",
            "note", "frozen_at",
        )  # fmt: skip
        read_only_fields = fields


class FreezeQrelsSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    policy = serializers.CharField(max_length=250, help_text=POLICY_HELP)
    note = serializers.CharField(required=False, max_length=200)
    as_of = serializers.DateTimeField(required=False)


class JudgmentViewSet(mixins.ListModelMixin, viewsets.GenericViewSet[Judgment]):
    """The log of people's judgments: all of it for organizers, one's own for assessors."""

    queryset = Judgment.objects.none()
    serializer_class = JudgmentSerializer

    def get_queryset(self) -> QuerySet[Judgment]:
        actor = request_user(self.request)
        found = judgments_for(actor).exclude(purpose=Purpose.AUTOMATIC)
        # That a document came as a repeat is not for its assessor to see.
        mine = Q(campaign__in=Campaign.objects.organized_by(actor))
        found = found.filter(mine | ~Q(purpose=Purpose.REPEAT))
        found = found.filter(campaign__in=filter_judgment_campaigns(self.request))
        if topic := self.request.query_params.get("topic"):
            found = found.filter(topic__number=topic)
        if self.request.query_params.get("current") in ("1", "true"):
            found = latest_judgments(found).exclude(kind=Kind.WITHDRAWN)
        return found.select_related("campaign", "topic", "assessor")

    @extend_schema(parameters=[CAMPAIGN, TOPIC, CURRENT])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().list(request, *args, **kwargs)

    @extend_schema(request=JudgeSerializer, responses={200: JudgmentSerializer})
    def create(self, request: Request) -> Response:
        """Judge a document, or change what you said of it."""
        return self.told(submit_judgment, JudgeSerializer(data=request.data))

    @extend_schema(request=SkipSerializer, responses={200: JudgmentSerializer})
    @action(detail=False, methods=["post"], url_path="skip")
    def pass_over(self, request: Request) -> Response:
        """Skip a document with a reason."""
        return self.told(submit_skip, SkipSerializer(data=request.data))

    @extend_schema(request=UndoSerializer, responses={200: JudgmentSerializer})
    @action(detail=False, methods=["post"], url_path="undo")
    def take_back(self, request: Request) -> Response:
        """Take back your last judgment or skip, or the one named; its document is yours again."""
        form = UndoSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        actor = request_user(request)
        back = undo_judgment(
            actor=actor,
            campaign=get_campaign_for(actor, form.validated_data["campaign"], "campaigns.judge"),
            client_uuid=form.validated_data.get("client_uuid", uuid4()),
            judgment_uuid=form.validated_data.get("of"),
            source=Source.API,
        )
        return self.answer(back)

    @extend_schema(request=PositionSerializer, responses={200: CheckedOutSerializer})
    @action(detail=False, methods=["post"])
    def next(self, request: Request) -> Response:
        """Claim the next document of a topic, or get back the one you hold."""
        form = PositionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        campaign, topic = self.place(dict(form.validated_data))
        slot = claim_next(actor=request_user(request), campaign=campaign, topic=topic)
        return Response(CheckedOutSerializer(serialize_checked_out(campaign, topic, slot)).data)

    def told(self, act: Any, form: SubmissionSerializer) -> Response:
        form.is_valid(raise_exception=True)
        said = dict(form.validated_data)
        if "passages" in said:
            said["passages"] = [(p["start"], p["end"], p["text"]) for p in said["passages"]]
        campaign, topic = self.place(said)
        actor = request_user(self.request)
        made = act(actor=actor, campaign=campaign, topic=topic, source=Source.API, **said)
        return self.answer(made)

    def answer(self, made: Judgment) -> Response:
        """What was written; of a repeat without saying that it was one."""
        again = {"purpose": Purpose.JUDGE} if made.purpose == Purpose.REPEAT else {}
        return Response({**self.get_serializer(made).data, **again})

    def place(self, said: dict[str, Any]) -> tuple[Campaign, Topic]:
        slug = said.pop("campaign")
        campaign = get_campaign_for(request_user(self.request), slug, "campaigns.judge")
        return campaign, get_object_or_404(campaign.topics, number=said.pop("topic"))


@extend_schema(parameters=[CAMPAIGN])
class QrelsViewSet(viewsets.ReadOnlyModelViewSet[Qrels]):
    """Qrels releases; for organizers."""

    queryset = Qrels.objects.none()
    serializer_class = QrelsSerializer

    def get_queryset(self) -> QuerySet[Qrels]:
        mine = Campaign.objects.organized_by(request_user(self.request))
        found = Qrels.objects.filter(
            campaign__in=mine.filter(pk__in=filter_judgment_campaigns(self.request))
        )
        return found.select_related("campaign")

    @extend_schema(request=FreezeQrelsSerializer, responses={201: QrelsSerializer})
    def create(self, request: Request) -> Response:
        """Release qrels by a policy; 409 with the pairs that it cannot decide."""
        form = FreezeQrelsSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        fields, actor = dict(form.validated_data), request_user(request)
        campaign = get_campaign_for(actor, fields.pop("campaign"), "campaigns.manage")
        made = freeze_qrels(actor=actor, campaign=campaign, **fields)
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True)
    def text(self, request: Request, pk: str) -> HttpResponse:  # noqa: ARG002 (the route's)
        """The release as four columns: topic, 0, docno, grade."""
        text = store.get_blob(self.get_object().path)
        return HttpResponse(text, content_type="text/plain; charset=utf-8")


def filter_judgment_campaigns(request: Request) -> QuerySet[Campaign]:
    return filter_campaigns(request).order_by()


def serialize_checked_out(campaign: Campaign, topic: Topic, slot: Slot | None) -> dict[str, Any]:
    names = ("title", "body", "url", "date")
    if slot is None:
        nothing = dict.fromkeys(("docno", "token", "expires_at", *names))
        return {"topic": topic.number, **nothing}
    document = find_document(campaign, slot.item.docno)
    return {
        "topic": topic.number,
        "docno": slot.item.docno,
        "token": slot.token,
        "expires_at": slot.expires_at,
        **{name: getattr(document, name, None) for name in names},
    }
