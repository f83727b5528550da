"""Files that a page offers for download."""

from __future__ import annotations

from pathlib import PurePath

from django.http import HttpResponse
from django.utils.http import content_disposition_header

CONTENT_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


def attachment_response(content: str | bytes, name: str, content_type: str = "") -> HttpResponse:
    """``content`` as the file ``name``; its extension gives the content type by default."""
    answer = HttpResponse(
        content, content_type=content_type or CONTENT_TYPES[PurePath(name).suffix]
    )
    answer.headers["Content-Disposition"] = content_disposition_header(True, name)
    return answer
