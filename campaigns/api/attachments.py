"""Files that a page offers for download."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

from poolbench.reports.writers import ENDINGS

CONTENT_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
    ".tex": "application/x-tex; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".zip": "application/zip",
}


def attachment_response(content: str | bytes, name: str, content_type: str = "") -> HttpResponse:
    """``content`` as the file ``name``; its extension gives the content type by default."""
    answer = HttpResponse(
        content, content_type=content_type or CONTENT_TYPES[PurePath(name).suffix]
    )
    answer.headers["Content-Disposition"] = content_disposition_header(True, name)
    return answer


def streaming_response(parts: Iterator[str], name: str) -> StreamingHttpResponse:
    """A streamed file: memory does not grow with its size."""
    kind = CONTENT_TYPES[PurePath(name).suffix]
    answer = StreamingHttpResponse((part.encode() for part in parts), content_type=kind)
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return answer


def report_response(
    name: str, formats: Mapping[str, Callable[..., str]], *args: Any, **kwargs: Any
) -> HttpResponse:
    """The file ``name`` in the format of ``formats`` that its extension stands for; the other
    arguments are those of the builder. Raises ``Http404`` for any other extension.
    """
    ending = PurePath(name).suffix.removeprefix(".")
    write = formats.get(ENDINGS.get(ending, ""))
    if write is None:
        raise Http404(f"unknown format {ending}")
    return attachment_response(write(*args, **kwargs), name)
