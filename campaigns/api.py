"""The REST API of campaigns, topics and runs."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler

from campaigns.errors import Refused


def explain(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler, and a service's ``Refused`` as 409 with code and cure."""
    if isinstance(error, Refused):
        detail = {"code": error.code, "detail": error.message, "cure": error.cure}
        return Response(detail, status=409)
    return exception_handler(error, context)
