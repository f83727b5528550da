"""The help: pages of docs/, with search, open to everybody."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.core.help.pages import HelpPage
from campaigns.queries.help import find_help_image, load_help_page
from campaigns.views.pages import render_page


@dataclass(frozen=True)
class HelpIndexPage:
    query: str


@dataclass(frozen=True)
class HelpTextPage:
    help_page: HelpPage


@login_not_required
@require_safe
def help_view(request: HttpRequest) -> HttpResponse:
    return render_page(request, "campaigns/help.html", HelpIndexPage(request.GET.get("q", "")))


@login_not_required
@require_safe
def help_page_view(request: HttpRequest, name: str) -> HttpResponse:
    page = load_help_page(name)
    if not page:
        raise Http404
    return render_page(request, "campaigns/help_page.html", HelpTextPage(page))


@login_not_required
@require_safe
def help_image_view(_request: HttpRequest, name: str) -> FileResponse:
    path = find_help_image(name)
    if not path:
        raise Http404
    return FileResponse(path.open("rb"), content_type="image/png")
