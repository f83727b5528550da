"""Pages from view models: a frozen dataclass is all that a template gets.

Each page has a dataclass whose fields are the names that its template uses, so that mypy and a
reader see what a page needs. What several pages show, or a page only at times, is a dataclass of
its own. Rows of tables have named fields as well, never numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaigns.errors import ActionRefused
from campaigns.views.chart_files import chart_file_response

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class RefusedPage:
    """Tells why an act is refused, and what helps."""

    refused: ActionRefused


def render_page(
    request: HttpRequest, template: str, *parts: DataclassInstance | None, status: int = 200
) -> HttpResponse:
    """``template`` with the fields of ``parts`` by name; None: a part that this page lacks.

    A field that is a chart can be fetched as a file (``campaigns.views.chart_files``).
    """
    context = {name: value for part in parts if part for name, value in page_context(part).items()}
    chart_file = chart_file_response(request, context)
    return chart_file or render(request, template, context, status=status)


def page_context(page: DataclassInstance) -> dict[str, Any]:
    """The fields of ``page`` by name; not deep: rows stay the objects that they are."""
    return {field.name: getattr(page, field.name) for field in fields(page)}
