"""Turns a service's ``Refused`` that no form has caught into a page that explains it.

An address that takes posts only says so too, to somebody who types or reloads it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render

from campaigns.errors import Refused


class RefusedMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.status_code == 405 and request.method == "GET" and not answer.content:
            posted = Refused("by-button", "This address is reached by a button.", "Go back to it.")
            page = render(request, "refused.html", {"refused": posted}, status=405)
            page["Allow"] = answer["Allow"]
            return page
        return answer

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, Refused):
            return None
        return render(request, "refused.html", {"refused": error}, status=409)


class NoNulMiddleware:
    """NUL is nothing that a page, a name or a database could hold: such an address is no address.

    Forms and the API check their fields themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return HttpResponseBadRequest("The address holds a NUL character.", "text/plain")
        return self.get_response(request)
