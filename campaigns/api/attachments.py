"""Files that a page or the API offers for download."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import IO, Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, quote_etag

from campaigns import store
from poolbench.reports.writers import ENDINGS

STEP = 1 << 16
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

SAFE_TYPES = {
    ending: kind
    for ending, kind in CONTENT_TYPES.items()
    if ending not in (".html", ".svg", ".xml")
} | {".gz": "application/gzip", ".tsv": "text/tab-separated-values; charset=utf-8"}
"""Of data files: those that no browser runs."""


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


def stored_file_response(
    request: HttpRequest, stored: str, *, name: str, size: int, sha256: str
) -> HttpResponseBase:
    """A stored file, or the requested range of it, that no browser opens or runs.

    A file that is HTML or SVG may come from anybody: it is bytes, to be saved, in a sandbox.
    """
    etag = quote_etag(sha256)
    answer: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if answer is None:
        kind = SAFE_TYPES.get(PurePath(name).suffix, "application/octet-stream")
        answer = range_response(request, stored, size, kind, etag)
        answer.headers["Content-Disposition"] = str(content_disposition_header(True, name))
    answer.headers["ETag"] = etag
    # As the decorator csp_update does, which the API cannot use.
    vars(answer)["_csp_update"] = {"sandbox": True}
    return answer


def range_response(
    request: HttpRequest, stored: str, size: int, content_type: str, etag: str = ""
) -> StreamingHttpResponse:
    """The file of the store called ``stored``, or the requested range of it; the whole of another
    version than that of which the client has a part (``If-Range``).
    """
    first, last = 0, size - 1
    wanted = request.headers.get("Range", "")
    if etag and request.headers.get("If-Range", etag) != etag:
        wanted = ""
    byte_range = parse_byte_range(wanted, size)
    if byte_range is not None:
        first, last = byte_range
    answer = StreamingHttpResponse(
        iter_byte_range(store.open_blob(stored), first, last),
        content_type=content_type,
        status=206 if byte_range else 200,
    )
    if byte_range is not None:
        answer.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    answer.headers["Content-Length"] = str(last - first + 1)
    answer.headers["Accept-Ranges"] = "bytes"
    return answer


def parse_byte_range(header: str, size: int) -> tuple[int, int] | None:
    """``(first, last)`` of one byte range; None to send the whole file.

    Several ranges, and a range beyond the file, are answered with the whole file, as RFC 9110
    (14.2) allows.
    """
    document = re.fullmatch(r"bytes=(\d{0,15})-(\d{0,15})", header.strip())
    if not document or not any(document.groups()):
        return None
    if document[1]:
        first, last = int(document[1]), min(int(document[2] or size), size - 1)
    else:
        first, last = max(0, size - int(document[2])), size - 1
    return (first, last) if first <= last else None


def iter_byte_range(file: IO[bytes], first: int, last: int) -> Iterator[bytes]:
    """The bytes ``first`` to ``last`` of a file, which is then closed."""
    with file:
        file.seek(first)
        left = last - first + 1
        while left > 0 and (data := file.read(min(STEP, left))):
            left -= len(data)
            yield data
