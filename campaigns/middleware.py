"""What every request passes: the language of its page, refusals explained, no NULs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused

TRANSLATED = (
    "campaigns.views.collection.documents_view",
    "campaigns.views.collection.topic_view",
    "campaigns.views.collection.topics_view",
    "campaigns.views.documents.",
    "campaigns.views.guidelines.",
    "campaigns.views.invitations.",
    "campaigns.views.people.",
    "campaigns.views.campaigns.campaign_view",
    "campaigns.views.site.",
    "django.",
    "judging.views.judging_sync.",
    "judging.views.adjudication_screen.",
    "judging.views.adjudication.",
    "judging.views.exports.import_export_view",
    "judging.views.consensus.",
    "judging.views.progress.",
    "judging.views.plans.plan_assign_view",
    "judging.views.plans.plan_close_view",
    "judging.views.plans.plan_pause_view",
    "judging.views.plans.plan_reassign_view",
    "judging.views.training.",
    "judging.views.judging.",
)
"""Views whose pages are translated, or modules of them; all other pages come in English, as a
whole and figures too."""
MODULES = tuple(name for name in TRANSLATED if name.endswith("."))


class LanguageMiddleware(LocaleMiddleware):
    """The visitor's language on pages; the API speaks English to every program."""

    async_capable = False

    def __call__(self, request: HttpRequest) -> Any:
        # The thread's next work (a command, a job, a test) begins in the site's own language.
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
            activate_english(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """Who is not let in is told so in their own language, whatever the page's own is."""
        if isinstance(error, Http404 | PermissionDenied):
            self.process_request(request)


def activate_english(request: HttpRequest) -> None:
    translation.activate("en")
    request.LANGUAGE_CODE = "en"


class ActionRefusedMiddleware:
    """Turns a service's ``Refused`` that no form has caught into a page that explains it.

    An address that takes posts only says so too, to somebody who types or reloads it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.status_code == 405 and request.method == "GET" and not answer.content:
            told = _("This address is reached by a button.")
            posted = ActionRefused("by-button", told, _("Go back to it."))
            page = render(request, "refused.html", {"refused": posted}, status=405)
            page["Allow"] = answer["Allow"]
            return page
        return answer

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ActionRefused):
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
