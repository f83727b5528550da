"""Middleware: each request's ID and time, the language of each page, pages for refused actions, no
NUL in URLs.
"""

import logging
import re
from collections.abc import Callable
from time import perf_counter
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from workbench.logs import REQUEST_ID
from workbench.request_limits import Middleware
from workbench.request_times import record_request

log = logging.getLogger("poolbench.requests")

TRANSLATED = (
    "allauth.",
    "django.",
    *(
        f"{app.name}.{name}"
        for app in apps.get_app_configs()
        for name in getattr(app, "translated", ())
    ),
)
"""Views whose pages are translated, or modules of them, as the apps list them. All other pages
are in English, including their numbers."""
MODULES = tuple(name for name in TRANSLATED if name.endswith("."))


class RequestRecordMiddleware(Middleware):
    """Counts how long each request takes, and gives it an ID: in the log and in the answer."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started, before = perf_counter(), REQUEST_ID.set(choose_request_id(request))
        try:
            answer = self.get_response(request)
            seconds = perf_counter() - started
            record_request(seconds, answer.status_code)
            answer["X-Request-ID"] = REQUEST_ID.get()
            fields = {"status": answer.status_code, "seconds": round(seconds, 4)}
            fields["address"] = request.META["REMOTE_ADDR"]
            log.info("%s %s", request.method, request.path, extra={"fields": fields})
        finally:
            REQUEST_ID.reset(before)
        return answer


def choose_request_id(request: HttpRequest) -> str:
    """The proxy's, so that its log and ours agree; without a proxy, a new one."""
    sent = request.headers.get("X-Request-ID", "") if settings.POOLBENCH_PROXIES else ""
    return sent if re.fullmatch(r"[\w-]{8,64}", sent, re.ASCII) else uuid4().hex


class LanguageMiddleware(LocaleMiddleware):
    """The visitor's language on pages; the API always answers in English."""

    async_capable = False

    def __call__(self, request: HttpRequest) -> Any:
        # What the thread does next (a command, a job, a test) starts in the site's language.
        with translation.override(settings.LANGUAGE_CODE):
            return super().__call__(request)

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if request.path_info.startswith("/api/"):
            activate_english(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *_args: object
    ) -> None:
        name = f"{view.__module__}.{view.__name__}"
        if name not in TRANSLATED and not name.startswith(MODULES):
            set_only_english(request, request.LANGUAGE_CODE)
            activate_english(request)
        elif "chart" in request.GET:  # A file, with the library's words.
            activate_english(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """Error pages 403 and 404 are in the visitor's language even if the page is not."""
        if isinstance(error, Http404 | PermissionDenied):
            set_only_english(request, "en")
            self.process_request(request)


def activate_english(request: HttpRequest) -> None:
    translation.activate("en")
    request.LANGUAGE_CODE = "en"


def set_only_english(request: HttpRequest, language: str) -> None:
    """The language, other than English, in which ``base.html`` says that the page is not."""
    request.only_english = "" if language == "en" else language  # type: ignore[attr-defined]


class ActionRefusedMiddleware(Middleware):
    """Renders an ``ActionRefused`` that no form has caught as a page that explains it.

    A GET of a POST-only URL, typed or reloaded, gets such a page too.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.status_code == 405 and request.method == "GET" and not answer.content:
            message = _("This page only accepts form submissions.")
            posted = ActionRefused("by-button", message, _("Go back and use the form."))
            page = render(request, "refused.html", {"refused": posted}, status=405)
            page["Allow"] = answer["Allow"]
            return page
        return answer

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ActionRefused):
            return None
        return render(request, "refused.html", {"refused": error}, status=409)


class NoNulMiddleware(Middleware):
    """Rejects URLs with a NUL character, which no page, name or database can hold.

    Forms and the API check their own fields.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("The URL contains a NUL character.")
        return self.get_response(request)
