"""The answers to requests that no view has answered: pages, and JSON under ``/api/``.

Errors inside the API's views are answered by ``handle_api_exception``.
"""

import sys
from itertools import islice
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework import status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from campaigns.errors import ActionRefused, is_database_busy, is_database_lost, lowercase_label
from campaigns.lifecycle.status import list_viewers
from campaigns.models import Campaign, Role, User
from campaigns.storages import is_store_away
from poolbench.files.faults import InvalidFile

RETRY_SECONDS = 10
MOST_ERRORS = 100
"""Of one list or object of a body."""
DETAILS = {
    400: "The request is malformed.",
    403: "Access denied.",
    404: "Not found.",
    413: "The request is too large.",
    500: "Server error. The request was not completed; the server log has the details.",
    503: "The database is not available. Nothing was saved. Try again in a few seconds.",
}
"""What the API says, by status."""
STORE_AWAY = "The file store is not available. Try again in a few seconds."
"""With status 503 too."""


def is_api_request(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def handle_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Status 413 if the body was too large, otherwise 400."""
    status = 413 if isinstance(exception, RequestDataTooBig) else 400
    if is_api_request(request):
        return JsonResponse({"detail": DETAILS[status]}, status=status)
    page = defaults.bad_request(request, exception)
    page.status_code = status
    return page


def handle_forbidden(
    request: HttpRequest,
    exception: Exception,  # noqa: ARG001 (Django names it)
) -> HttpResponse:
    if is_api_request(request):
        return JsonResponse({"detail": DETAILS[403]}, status=403)
    page: dict[str, Any] = {"denied": True}
    slug = request.resolver_match.kwargs.get("slug") if request.resolver_match else None
    campaign = slug and Campaign.objects.visible_to(request.user).filter(slug=slug).first()
    if campaign and isinstance(request.user, User):
        (viewer,) = list_viewers([campaign], request.user)
        roles = (lowercase_label(Role(role).label) for role in sorted(viewer.roles))
        page |= {"campaign": campaign, "roles": ", ".join(roles)}
    return render(request, "403.html", page, status=403)


def handle_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_request(request):
        return JsonResponse({"detail": DETAILS[404]}, status=404)
    return defaults.page_not_found(request, exception)


def handle_too_many_requests(request: HttpRequest) -> HttpResponse:
    """Status 429: of pages of accounts, which allauth counts."""
    refused = ActionRefused("too-many", _("Too many requests."), _("Try again later."))
    return render(request, "refused.html", {"refused": refused}, status=429)


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Status 503 with Retry-After while the database or the store is away, otherwise 500.

    Django calls this while it handles the exception, so this is the one being handled.
    """
    error = sys.exc_info()[1]
    is_store = is_store_away(error)
    away = is_store or is_database_lost(error) or is_database_busy(error)
    status = 503 if away else 500
    answer: HttpResponse
    if is_api_request(request):
        detail = STORE_AWAY if is_store else DETAILS[status]
        answer = JsonResponse({"detail": detail}, status=status)
    else:
        # Without the request: the user and their messages may be in the database.
        page = render_to_string(f"{status}.html", {"is_store": is_store})
        answer = HttpResponse(page, status=status)
    if away:
        answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def handle_api_exception(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: ``ActionRefused`` becomes 409, ``InvalidFile`` 422."""
    if isinstance(error, ActionRefused):
        refusal = {"code": error.code, "detail": error.message, "fix": error.fix}
        return Response(error.details | refusal, status=status.HTTP_409_CONFLICT)
    if isinstance(error, InvalidFile):
        return Response(error.report.as_dict(), status=status.HTTP_422_UNPROCESSABLE_ENTITY)
    answer = exception_handler(error, context)
    if answer is not None:
        answer.data = truncate_errors(answer.data)
    return answer


def truncate_errors(errors: Any) -> Any:
    """``errors`` with the first ``MOST_ERRORS`` of each level."""
    if isinstance(errors, dict):
        first = islice(errors.items(), MOST_ERRORS)
        return {name: truncate_errors(value) for name, value in first}
    return list(map(truncate_errors, errors[:MOST_ERRORS])) if isinstance(errors, list) else errors
