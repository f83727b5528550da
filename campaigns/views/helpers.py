"""Helpers of the pages for signed-in users, and of their addresses."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User


class SignedInRequest(HttpRequest):
    """A request that has passed the login middleware: it has a user."""

    user: User


@contextmanager
def collect_refusal(form: BaseForm) -> Iterator[None]:
    """An act that is refused ends here, and ``form`` says why."""
    try:
        yield
    except ActionRefused as refused:
        form.add_error(None, str(refused))


MOST_ROWS = 300
"""Rows of a table on one page; longer tables have pages."""


def paginate(
    request: HttpRequest,
    rows: QuerySet[Any] | Sequence[Any],
    size: int = 50,
    parameter: str = "page",
) -> Page[Any]:
    """The requested page of ``rows``; an invalid number gives the nearest page. Several tables of
    one page have a ``parameter`` each.
    """
    return Paginator(rows, size).get_page(request.GET.get(parameter))


def read_digits(text: str, digits: int = 18) -> int | None:
    """The number that ``text`` of an address or a form is: at most ``digits`` digits, so that a
    database takes it; None for anything else.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def campaign_url(name: str, campaign: Campaign, *args: Any) -> str:
    return reverse(name, args=[campaign.slug, *args])


def page(address: str, view: Callable[..., HttpResponseBase]) -> URLPattern:
    """``address`` under the name of its handler: ``run_upload_view`` answers ``run-upload``."""
    return path(address, view, name=view.__name__.removesuffix("_view").replace("_", "-"))
