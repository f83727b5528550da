"""The answer to a request that failed with an unexpected exception."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

RETRY_SECONDS = 10
DATABASE_AWAY = "The database is not available. Nothing was saved. Try again in a few seconds."
SERVER_ERROR = "Server error. The request was not completed; the server log has the details."


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Status 503 with Retry-After while the database is away, otherwise 500; JSON for the API.

    Django calls this while it handles the exception, so this is the one being handled. That a
    database is locked, full or restarting is also the operational error of its driver.
    """
    away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    answer = render_error(request, 503 if away else 500)
    if away:
        answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def render_error(request: HttpRequest, status: int) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        detail = DATABASE_AWAY if status == 503 else SERVER_ERROR
        return JsonResponse({"detail": detail}, status=status)
    # Without the request: the user and their messages may be in the database.
    return HttpResponse(render_to_string(f"{status}.html"), status=status)
