"""A document's page, and its body: a part of a text, a framed page, or a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.views.decorators.http import require_safe

from campaigns import store
from campaigns.models import Document
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from poolbench.texts.text_pages import slice_text_page

STEP = 1 << 16
# No scripts and no requests, even if the URL is opened on its own.
FRAMED = (
    "sandbox allow-same-origin; default-src 'none'; style-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
PICTURE = "sandbox; default-src 'none'; frame-ancestors 'self'"
# The browser's PDF viewer does not work in a sandbox.
PDF = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"


@require_safe
def document_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    document = get_object_or_404(campaign.documents, docno=request.GET.get("docno", ""))
    page = {
        "campaign": campaign,
        "document": document,
        "start": parse_start(request),
        "erratum": campaign.errata.filter(kind="document", name=document.docno).first(),
        "organizes": is_organizer_anywhere(request.user, campaign),
    }
    return render_page(request, "campaigns/document.html", page)


@require_safe
def document_body_view(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """The body of a document, by its format.

    Text: the part that starts at the character ``from``. HTML: a page for a frame. PDF and
    images: the file, or the requested range of it.
    """
    campaign = get_campaign_for(request.user, slug)
    document = get_object_or_404(campaign.documents, docno=request.GET.get("docno", ""))
    if document.format == Document.Format.TEXT:
        piece = slice_text_page(document.body, parse_start(request))
        page = {"campaign": campaign, "document": document, "piece": piece}
        return render_page(request, "campaigns/_piece.html", page)
    etag = quote_etag(f"{document.sha256}-{request.COOKIES.get('theme', '')[:5]}")
    cached = get_conditional_response(request, etag=etag)
    answer = cached if cached is not None else document_body_response(request, document)
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Content-Security-Policy"] = content_security_policy(document)
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    answer.headers["Referrer-Policy"] = "no-referrer"
    patch_vary_headers(answer, ["Cookie"])
    return answer


def content_security_policy(document: Document) -> str:
    policies = {Document.Format.HTML: FRAMED, Document.Format.PDF: PDF}
    return policies.get(Document.Format(document.format), PICTURE)


def parse_start(request: SignedInRequest) -> int:
    return read_digits(request.GET.get("from", ""), 11) or 0


def document_body_response(request: SignedInRequest, document: Document) -> HttpResponseBase:
    if document.format == Document.Format.HTML:
        return render_page(request, "campaigns/framed.html", {"document": document})
    path = store.blob_path(document.file)
    first, last = 0, document.size - 1
    byte_range = parse_byte_range(request.headers.get("Range", ""), document.size)
    if byte_range is not None:
        first, last = byte_range
    answer = StreamingHttpResponse(
        iter_byte_range(path, first, last),
        content_type=document.media_type,
        status=206 if byte_range else 200,
    )
    if byte_range is not None:
        answer.headers["Content-Range"] = f"bytes {first}-{last}/{document.size}"
    answer.headers["Content-Length"] = str(last - first + 1)
    answer.headers["Accept-Ranges"] = "bytes"
    name = f"{document.docno}.{document.media_type.rpartition('/')[2]}"
    answer.headers["Content-Disposition"] = str(content_disposition_header(False, name))
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


def iter_byte_range(path: Path, first: int, last: int) -> Iterator[bytes]:
    """The bytes ``first`` to ``last`` of a file."""
    with path.open("rb") as file:
        file.seek(first)
        left = last - first + 1
        while left > 0 and (data := file.read(min(STEP, left))):
            left -= len(data)
            yield data
