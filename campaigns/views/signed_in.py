"""What the pages for people with an account have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from campaigns.models import Campaign, User

Crumbs = Sequence[tuple[str, str | None]]


class SignedIn(HttpRequest):
    """A request that the middleware has let through: it has a user."""

    user: User


def page_of(request: HttpRequest, rows: QuerySet[Any], size: int = 50) -> Page[Any]:
    """The asked page of ``rows``; an odd number gives the nearest."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def to(name: str, campaign: Campaign, *args: Any) -> str:
    return reverse(name, args=[campaign.slug, *args])
