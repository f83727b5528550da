"""Pages from view models: a template gets the names that its handler lists, and no others.

What only a template reads is a dict, built in one place. What code reads as well is a frozen
dataclass. Rows of tables have named fields, or are unpacked; a template never counts columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise

from campaigns.views.chart_files import chart_file_response, has_requested_chart

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class PageSection:
    """A section in the list beside a page; ``state`` is "" where it has none."""

    anchor: str
    label: str | Promise
    state: str = ""


def render_page(
    request: HttpRequest,
    template: str,
    *parts: DataclassInstance | Mapping[str, object] | Callable[[], Mapping[str, object]] | None,
    status: int = 200,
) -> HttpResponse:
    """``template`` with the values of ``parts`` by name; None: a part that this page lacks.

    A value that is a chart can be fetched as a file (``campaigns.views.chart_files``). A part that
    is a function is not computed for the file of a chart that a part before it has.
    """
    context: dict[str, object] = {}
    for part in parts:
        if isinstance(part, Mapping):
            context |= part
        elif is_dataclass(part):
            context |= page_context(part)
        elif part is not None and not has_requested_chart(request, context):
            context |= part()
    chart_file = chart_file_response(request, context)
    return chart_file or render(request, template, context, status=status)


def page_context(page: DataclassInstance) -> dict[str, Any]:
    """The fields of ``page`` by name; not deep: rows stay the objects that they are."""
    return {field.name: getattr(page, field.name) for field in fields(page)}
