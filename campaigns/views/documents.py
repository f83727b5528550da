"""A document's page, and its body: a stretch of text, a framed page, a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from campaigns import store
from campaigns.core.text_pages import slice_text_page
from campaigns.models import Document
from campaigns.queries import get_campaign_for
from campaigns.views.helpers import SignedInRequest, redirect_to

STEP = 1 << 16
# Nothing runs and nothing is fetched, also where the address is opened by itself.
FRAMED = (
    "sandbox allow-same-origin; default-src 'none'; style-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
PICTURE = "sandbox; default-src 'none'; frame-ancestors 'self'"
# The browser's own viewer is refused in a sandbox.
PDF = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"


@require_safe
def document_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    found = get_object_or_404(campaign.documents, docno=request.GET.get("docno", ""))
    shown = {
        "campaign": campaign,
        "document": found,
        "start": parse_start(request),
        "crumbs": [(_("Documents"), redirect_to("documents", campaign)), (found.docno, None)],
    }
    return render(request, "campaigns/document.html", shown)


@require_safe
def document_body_view(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """What stands inside the page of a document, by its format.

    A text: the stretch that begins at the character ``from``. HTML: a page to be framed. PDF
    and pictures: the file, or the range of it that is asked for.
    """
    campaign = get_campaign_for(request.user, slug)
    found = get_object_or_404(campaign.documents, docno=request.GET.get("docno", ""))
    if found.format == Document.Format.TEXT:
        piece = slice_text_page(found.body, parse_start(request))
        shown = {"campaign": campaign, "document": found, "piece": piece}
        return render(request, "campaigns/_piece.html", shown)
    etag = quote_etag(f"{found.sha256}-{request.COOKIES.get('theme', '')[:5]}")
    kept = get_conditional_response(request, etag=etag)
    answer = kept if kept is not None else document_body_response(request, found)
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Content-Security-Policy"] = content_security_policy(found)
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    answer.headers["Referrer-Policy"] = "no-referrer"
    patch_vary_headers(answer, ["Cookie"])
    return answer


def content_security_policy(document: Document) -> str:
    policies = {Document.Format.HTML: FRAMED, Document.Format.PDF: PDF}
    return policies.get(Document.Format(document.format), PICTURE)


def parse_start(request: SignedInRequest) -> int:
    asked = request.GET.get("from", "")
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 12 else 0


def document_body_response(request: SignedInRequest, document: Document) -> HttpResponseBase:
    if document.format == Document.Format.HTML:
        return render(request, "campaigns/framed.html", {"document": document})
    path = store.blob_path(document.file)
    first, last = 0, document.size - 1
    asked = parse_byte_range(request.headers.get("Range", ""), document.size)
    if asked is not None:
        first, last = asked
    answer = StreamingHttpResponse(
        iter_byte_range(path, first, last),
        content_type=document.media_type,
        status=206 if asked else 200,
    )
    if asked is not None:
        answer.headers["Content-Range"] = f"bytes {first}-{last}/{document.size}"
    answer.headers["Content-Length"] = str(last - first + 1)
    answer.headers["Accept-Ranges"] = "bytes"
    name = f"{document.docno}.{document.media_type.rpartition('/')[2]}"
    answer.headers["Content-Disposition"] = str(content_disposition_header(False, name))
    return answer


def parse_byte_range(header: str, size: int) -> tuple[int, int] | None:
    """``(first, last)`` of one range of bytes; None where the whole is to be sent.

    Several ranges, and one that lies beyond the file, are answered with the whole file, as
    RFC 9110 (14.2) lets a server do.
    """
    found = re.fullmatch(r"bytes=(\d{0,15})-(\d{0,15})", header.strip())
    if not found or not any(found.groups()):
        return None
    if found[1]:
        first, last = int(found[1]), min(int(found[2] or size), size - 1)
    else:
        first, last = max(0, size - int(found[2])), size - 1
    return (first, last) if first <= last else None


def iter_byte_range(path: Path, first: int, last: int) -> Iterator[bytes]:
    """The bytes ``first`` to ``last`` of a file."""
    with path.open("rb") as file:
        file.seek(first)
        left = last - first + 1
        while left > 0 and (data := file.read(min(STEP, left))):
            left -= len(data)
            yield data
