"""Pages from view models: a frozen dataclass is all that a template gets.

Each page has a dataclass whose fields are the names that its template uses, so that mypy and a
reader see what a page needs. Rows of tables are dataclasses as well, never tuples.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def render_page(
    request: HttpRequest, template: str, page: DataclassInstance, *, status: int = 200
) -> HttpResponse:
    """``template`` with the fields of ``page`` by name."""
    return render(request, template, page_context(page), status=status)


def page_context(page: DataclassInstance) -> dict[str, Any]:
    """The fields of ``page`` by name; not deep: rows stay the objects that they are."""
    return {field.name: getattr(page, field.name) for field in fields(page)}
