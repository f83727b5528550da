"""A document's page, and its body: a part of a text, a framed page, or a file."""

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.views.decorators.http import require_safe

from campaigns.api.attachments import range_response
from campaigns.models import Campaign, Document, Translation
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.pdf_pages import slice_pdf_pages
from campaigns.rules import is_organizer_anywhere
from campaigns.services.pdf_pictures import PIXELS, SHARP_PIXELS, get_page_picture
from campaigns.templatetags.documents import aligned_rows
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from poolbench.texts.pdf_pages import PAGE_END
from poolbench.texts.text_pages import slice_text_page

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
    document = get_document_for(request, campaign)
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

    Text, and a PDF whose text was read: the part that starts at the character ``from``. HTML: a
    page for a frame. PDF and images: the file, or the requested range of it; with ``page`` the
    picture of that page of a PDF, with ``sharp`` of twice as many pixels across. With
    ``translation`` that of its translation.
    """
    campaign = get_campaign_for(request.user, slug)
    document = get_document_for(request, campaign)
    if "rows" in request.GET or "translation" in request.GET:
        return translation_response(request, campaign, document)
    if document.format == Document.Format.PDF and "from" in request.GET:
        pages = slice_pdf_pages(document, parse_start(request))
        part = {"campaign": campaign, "document": document, "part": pages}
        return render_page(request, "campaigns/_pdf_pages.html", part)
    if document.format == Document.Format.PDF and "page" in request.GET:
        return pdf_picture_response(request, document)
    if document.format == Document.Format.TEXT:
        return piece_response(request, campaign, document, document)
    make = partial(document_body_response, request, document)
    return cached_response(request, document, make)


def piece_response(
    request: SignedInRequest,
    campaign: Campaign,
    document: Document,
    text: Document | Translation,
    query: str = "",
) -> HttpResponse:
    """The part of ``text`` that is requested; ``query`` goes into the address of the rest."""
    piece = slice_text_page(text.body, parse_start(request))
    page = {"campaign": campaign, "document": document, "piece": piece, "query": query}
    return render_page(request, "campaigns/_piece.html", page | {"direction": text.direction})


def translation_response(
    request: SignedInRequest, campaign: Campaign, document: Document
) -> HttpResponseBase:
    """The translation of a document as its own body would be, or with ``rows`` the aligned rows of
    both from that number on.
    """
    translation = Translation.objects.filter(document=document).first()
    if translation is None or ("rows" in request.GET and not translation.segments):
        raise Http404("no such translation")
    if "rows" in request.GET:
        part = aligned_rows(document, parse_start(request))
        page = {"campaign": campaign, "document": document, "translation": translation}
        return render_page(request, "campaigns/_aligned_rows.html", page | {"part": part})
    if translation.format == Document.Format.TEXT:
        return piece_response(request, campaign, document, translation, "&translation=1")
    make = partial(framed_response, request, translation, document.docno)
    return cached_response(request, translation, make)


def framed_response(
    request: SignedInRequest, text: Document | Translation, docno: str
) -> HttpResponse:
    return render_page(request, "campaigns/framed.html", {"document": text, "docno": docno})


def cached_response(
    request: SignedInRequest, text: Document | Translation, make: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """A frame's page or a file, made unless the browser has it, under a policy of its own."""
    etag = quote_etag(f"{text.sha256}-{request.COOKIES.get('theme', '')[:5]}")
    cached = get_conditional_response(request, etag=etag)
    answer = cached if cached is not None else make()
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Content-Security-Policy"] = content_security_policy(text)
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    answer.headers["Referrer-Policy"] = "no-referrer"
    patch_vary_headers(answer, ["Cookie"])
    return answer


def pdf_picture_response(request: HttpRequest, document: Document) -> HttpResponseBase:
    """The picture of ``page`` of a PDF that was read."""
    number = read_digits(request.GET["page"], 5) or 0
    if not 1 <= number <= document.body.count(PAGE_END):
        raise Http404("no such page")
    pixels = SHARP_PIXELS if request.GET.get("sharp") == "1" else PIXELS
    etag = quote_etag(f"{document.file}-{number}-{pixels}")
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        picture = get_page_picture(document, number, pixels)
        if not picture:
            raise Http404("the page cannot be drawn")
        answer = HttpResponse(picture, content_type="image/webp")
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "private, max-age=3600"
    answer.headers["Content-Security-Policy"] = PICTURE
    return answer


def get_document_for(request: SignedInRequest, campaign: Campaign) -> Document:
    documents = campaign.documents.visible_to(request.user)
    return get_object_or_404(documents, docno=request.GET.get("docno", ""))


def content_security_policy(document: Document | Translation) -> str:
    policies = {Document.Format.HTML: FRAMED, Document.Format.PDF: PDF}
    return policies.get(Document.Format(document.format), PICTURE)


def parse_start(request: SignedInRequest) -> int:
    return read_digits(request.GET.get("from", ""), 11) or 0


def document_body_response(request: SignedInRequest, document: Document) -> HttpResponseBase:
    if document.format == Document.Format.HTML:
        return framed_response(request, document, document.docno)
    answer = range_response(request, document.file, document.size, document.media_type)
    name = f"{document.docno}.{document.media_type.rpartition('/')[2]}"
    answer.headers["Content-Disposition"] = str(content_disposition_header(False, name))
    return answer
