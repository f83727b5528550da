"""The REST API of crowd studies, for organizers: state, start, pause, stop, and their files."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.attachments import CONTENT_TYPES
from campaigns.api.requests import ConfirmSerializer, read_decision, read_fields, request_user
from campaigns.api.resources import CAMPAIGN, filter_organized_campaigns
from crowd.models import Study
from crowd.queries.payment_sheet import list_batches, load_payment_sheet
from crowd.queries.start_checks import list_start_checks
from crowd.queries.studies import load_study_figures
from crowd.queries.workers import get_study_for, list_worker_lines
from crowd.services.payment_batches import make_batch, mark_batch_paid
from crowd.services.studies import pause_study, start_study, stop_study
from poolbench.crowd.payment_sheet import PAYMENT_FORMATS
from poolbench.crowd.quality.formats import WORKERS_FORMATS


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study without the settings of its provider, which may hold secrets."""

    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    plan = serializers.PrimaryKeyRelatedField[Any](read_only=True)
    redundancy = serializers.IntegerField(source="plan.overlap")
    max_redundancy = serializers.IntegerField(source="plan.max_overlap", allow_null=True)

    class Meta:
        model = Study
        fields = (
            "id", "campaign", "plan", "title", "state", "provider", "redundancy",
            "max_redundancy", "extra_budget", "unit_size", "one_topic", "unit_minutes",
            "units_per_worker", "max_units", "max_screened", "gold_per_unit", "repeats_per_unit",
            "practice_pass", "stop_after", "stop_below", "floor_seconds", "floor_per_1000",
            "aggregation", "currency", "pay_per_unit", "screen_out_pay", "hourly_minimum",
            "retention_until", "created_at", "started_at", "stopped_at",
        )  # fmt: skip


class StudyProgressSerializer(Serializer[Any]):
    """The key figures of a study; trials aside."""

    state = serializers.CharField(source="study.state")
    units = serializers.DictField(child=serializers.IntegerField(), help_text="Number by state.")
    workers = serializers.IntegerField(help_text="Who have started a unit.")
    judged = serializers.IntegerField()
    needed = serializers.IntegerField()
    owed = serializers.DecimalField(source="paid", max_digits=12, decimal_places=2)
    currency = serializers.CharField(source="study.currency")


class StartCheckSerializer(Serializer[Any]):
    code = serializers.CharField()
    state = serializers.ChoiceField(choices=["done", "open", "missing"])
    text = serializers.CharField()
    detail = serializers.CharField()


class PaymentBatchSerializer(Serializer[Any]):
    """A batch of payments with its files: CSV without a header."""

    number = serializers.IntegerField(source="batch.number")
    reward = serializers.DecimalField(source="batch.reward", max_digits=8, decimal_places=2)
    created_at = serializers.DateTimeField(source="batch.created_at")
    total = serializers.DecimalField(max_digits=12, decimal_places=2)
    unpaid = serializers.DecimalField(max_digits=12, decimal_places=2)
    disputed = serializers.DecimalField(max_digits=12, decimal_places=2)
    files = serializers.DictField(child=serializers.CharField(), help_text="By name.")


class BatchMakeSerializer(ConfirmSerializer):
    """Consents of a batch, and what approving a unit at the provider pays."""

    reward = serializers.DecimalField(max_digits=8, decimal_places=2, required=False)


class StudyStartSerializer(ConfirmSerializer):
    """Consents of the start; ``reason`` is needed for pay below the hourly minimum."""

    reason = serializers.CharField(required=False, default="", max_length=500)


@extend_schema(parameters=[CAMPAIGN])
class StudyViewSet(viewsets.ReadOnlyModelViewSet[Study]):
    """Crowd studies of the campaigns that the user organizes, their workers and payments."""

    queryset = Study.objects.none()
    serializer_class = StudySerializer

    def get_queryset(self) -> QuerySet[Study]:
        studies = Study.objects.filter(campaign__in=filter_organized_campaigns(self.request))
        return studies.select_related("campaign", "plan__pool")

    @extend_schema(responses={200: StudyProgressSerializer})
    @action(detail=True, methods=["get"])
    def progress(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Units by state, judgments, workers, and what is owed."""
        figures = load_study_figures([self.get_object()])[0]
        return Response(StudyProgressSerializer(figures).data)

    @extend_schema(responses={200: StartCheckSerializer(many=True)})
    @action(detail=True, methods=["get"], pagination_class=None)
    def checks(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """What a draft needs before it can start."""
        checks = list_start_checks(self.get_object())
        return Response(StartCheckSerializer(checks, many=True).data)

    @extend_schema(request=StudyStartSerializer, responses={200: StudySerializer})
    @action(detail=True, methods=["post"])
    def start(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Open a draft to workers; 409 with what is missing."""
        fields = read_fields(StudyStartSerializer, request)
        study = start_study(actor=request_user(request), study=self.get_object(), **fields)
        return Response(self.get_serializer(study).data)

    @extend_schema(request=None, responses={200: StudySerializer})
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Offer no more units; those in progress may finish. 409 if the study does not run."""
        study = pause_study(actor=request_user(request), study=self.get_object())
        return Response(self.get_serializer(study).data)

    @extend_schema(request=None, responses={200: StudySerializer})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Offer units again; 409 unless the study is paused."""
        study = pause_study(actor=request_user(request), study=self.get_object(), paused=False)
        return Response(self.get_serializer(study).data)

    @extend_schema(request=ConfirmSerializer, responses={200: StudySerializer})
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """End a study for good, or discard a draft."""
        study = stop_study(
            actor=request_user(request), study=self.get_object(), decision=read_decision(request)
        )
        return Response(self.get_serializer(study).data)

    @extend_schema(responses={200: PaymentBatchSerializer(many=True)})
    @action(detail=True, methods=["get"], pagination_class=None)
    def batches(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """The payment batches with their files, which contain each amount once."""
        return self.list_batches(self.get_object())

    @extend_schema(request=BatchMakeSerializer, responses={200: PaymentBatchSerializer(many=True)})
    @batches.mapping.post
    def make_batch(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Put all that is owed and in no batch into a new one; ``reward`` is the pay per unit
        unless given.
        """
        study, fields = self.get_object(), read_fields(BatchMakeSerializer, request)
        fields.setdefault("reward", study.pay_per_unit)
        make_batch(actor=request_user(request), study=study, **fields)
        return self.list_batches(study)

    @extend_schema(request=ConfirmSerializer, responses={200: PaymentBatchSerializer(many=True)})
    @action(detail=True, methods=["post"], url_path=r"batches/(?P<number>\d+)/paid")
    def batch_paid(self, request: Request, pk: str, number: str) -> Response:  # noqa: ARG002
        """Mark a batch as paid, disputes aside."""
        study = self.get_object()
        batch = get_object_or_404(study.batches, number=number)
        mark_batch_paid(actor=request_user(request), batch=batch, decision=read_decision(request))
        return self.list_batches(study)

    def list_batches(self, study: Study) -> Response:
        get_study_for(request_user(self.request), study.campaign.slug, study.pk)
        batches = list_batches(study, load_payment_sheet(study))
        return Response(PaymentBatchSerializer(batches, many=True).data)

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="workers.json", url_name="workers-json")
    def workers_json(self, _request: Request, **_: Any) -> HttpResponse:
        """All workers with their controls and alarms."""
        return self.as_file("json", "Workers", WORKERS_FORMATS, list_worker_lines)

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="workers.csv", url_name="workers-csv")
    def workers_csv(self, _request: Request, **_: Any) -> HttpResponse:
        """All workers with their controls, one per line."""
        return self.as_file("csv", "Workers", WORKERS_FORMATS, list_worker_lines)

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="payments.json", url_name="payments-json")
    def payments_json(self, _request: Request, **_: Any) -> HttpResponse:
        """The payment sheet with its totals."""
        return self.as_file("json", "Payments", PAYMENT_FORMATS, load_payment_sheet)

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="payments.csv", url_name="payments-csv")
    def payments_csv(self, _request: Request, **_: Any) -> HttpResponse:
        """The payment sheet, one unit per line."""
        return self.as_file("csv", "Payments", PAYMENT_FORMATS, load_payment_sheet)

    def as_file(
        self, fmt: str, title: str, formats: Mapping[str, Any], load: Callable[[Study], list[Any]]
    ) -> HttpResponse:
        chosen = self.get_object()
        _, study = get_study_for(request_user(self.request), chosen.campaign.slug, chosen.pk)
        text = formats[fmt](f"{title} of {study.title}", load(study))
        return HttpResponse(text, content_type=CONTENT_TYPES[f".{fmt}"])
