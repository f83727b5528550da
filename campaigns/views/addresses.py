"""Addresses of pages: the name of an address is that of its handler."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponseBase
from django.urls import URLPattern, path


def page(address: str, view: Callable[..., HttpResponseBase]) -> URLPattern:
    """``address`` under the name of its handler: ``run_upload_view`` answers ``run-upload``."""
    return path(address, view, name=view.__name__.removesuffix("_view").replace("_", "-"))
