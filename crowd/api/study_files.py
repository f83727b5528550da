"""Workers and payments of a crowd study as files of the REST API."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import viewsets
from rest_framework.decorators import action
from rest_framework.request import Request

from campaigns.api.attachments import CONTENT_TYPES
from campaigns.api.resources import request_user
from crowd.core.payment_sheet import PAYMENT_FORMATS
from crowd.core.quality.formats import WORKERS_FORMATS
from crowd.models import Study
from crowd.queries.payment_sheet import load_payment_sheet
from crowd.queries.workers import get_study_for, list_crowd_workers, list_worker_lines


class StudyFilesViewSet(viewsets.ReadOnlyModelViewSet[Study]):
    """The base of ``StudyViewSet`` with its files."""

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="workers.json", url_name="workers-json")
    def workers_json(self, _request: Request, **_: Any) -> HttpResponse:
        """All workers with their controls and alarms."""
        return self.workers_response("json")

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="workers.csv", url_name="workers-csv")
    def workers_csv(self, _request: Request, **_: Any) -> HttpResponse:
        """All workers with their controls, one per line."""
        return self.workers_response("csv")

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, url_path="payments.json", url_name="payments-json")
    def payments_json(self, _request: Request, **_: Any) -> HttpResponse:
        """The payment sheet with its totals."""
        return self.payments_response("json")

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, url_path="payments.csv", url_name="payments-csv")
    def payments_csv(self, _request: Request, **_: Any) -> HttpResponse:
        """The payment sheet, one unit per line."""
        return self.payments_response("csv")

    def get_managed_study(self) -> Study:
        study = self.get_object()
        return get_study_for(request_user(self.request), study.campaign.slug, study.pk)[1]

    def workers_response(self, fmt: str) -> HttpResponse:
        study = self.get_managed_study()
        lines = list_worker_lines(list_crowd_workers(study))
        text = WORKERS_FORMATS[fmt](f"Workers of {study.title}", lines)
        return HttpResponse(text, content_type=CONTENT_TYPES[f".{fmt}"])

    def payments_response(self, fmt: str) -> HttpResponse:
        study = self.get_managed_study()
        text = PAYMENT_FORMATS[fmt](f"Payments of {study.title}", load_payment_sheet(study))
        return HttpResponse(text, content_type=CONTENT_TYPES[f".{fmt}"])
