"""Show documents: in pages, each block with its offset in the body."""

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from campaigns.models import Campaign, Document, Translation
from campaigns.queries.pdf_pages import PdfPart, slice_pdf_pages
from poolbench.texts.pdf_pages import PAGE_END
from poolbench.texts.text_layout import TextKind, identify_text_kind
from poolbench.texts.text_pages import (
    TextPage,
    measure_text_length,
    slice_text_page,
    strip_tags_for_count,
)
from poolbench.texts.translations import AlignedRows, slice_aligned_rows

register = template.Library()
SAMPLE = 500_000
"""Characters in which words are counted."""


@register.simple_tag
def text_page(document: Document | Translation, start: int = 0) -> TextPage:
    """The part of a text that a page shows from ``start``; ``next`` is the offset of the rest."""
    return slice_text_page(document.body, start)


@register.simple_tag
def aligned_rows(document: Document, start: int = 0) -> AlignedRows:
    """The rows of a document and its translation that a page shows from the row ``start``."""
    translation = document.translation
    return slice_aligned_rows(document.body, translation.body, translation.segments, start)


@register.simple_tag
def pdf_part(document: Document, start: int = 0) -> PdfPart | None:
    """The pages of a PDF that a page shows from ``start``; None if it was not read."""
    return slice_pdf_pages(document, start)


@register.simple_tag
def identify_document_kind(document: Document | Translation, campaign: Campaign) -> TextKind:
    """The kind of the text, which has its layout: what the organizer has set for the campaign,
    else what the text is.
    """
    if campaign.text_layout == Campaign.TextLayout.WRITTEN:
        return TextKind.PAGE
    if campaign.text_layout == Campaign.TextLayout.WRAPPED:
        return TextKind.PROSE
    return identify_text_kind(document.body)


@register.filter
def document_length(document: Document) -> str:
    """``1,200 words``, or for files their format and size: ``PDF, 12 pages, 1.2 MB``."""
    if document.file:
        parts = [document.get_format_display(), filesizeformat(document.size)]
        if pages := document.body.count(PAGE_END):
            parts.insert(1, ngettext("%(count)s page", "%(count)s pages", pages) % {"count": pages})
        return ", ".join(parts)
    body = document.body
    # Splitting megabytes into words takes longer than showing them: long texts are estimated.
    sample = body if len(body) <= SAMPLE else body[:SAMPLE]
    text = sample if document.format == "text" else strip_tags_for_count(sample)
    return text_length(text) if sample is body else approximate_length(text, len(body) / SAMPLE)


def approximate_length(text: str, times: float) -> str:
    """The length of a document that is ``times`` as long as ``text``, to two digits."""
    count, unit = measure_text_length(text)
    number = number_format(int(float(f"{count * times:.1e}")), force_grouping=True)
    if unit == "word":
        return gettext("about %(count)s words") % {"count": number}
    return gettext("about %(count)s characters") % {"count": number}


def text_length(text: str) -> str:
    count, unit = measure_text_length(text)
    values = {"count": number_format(count, force_grouping=True)}
    if unit == "word":
        return ngettext("%(count)s word", "%(count)s words", count) % values
    return ngettext("%(count)s character", "%(count)s characters", count) % values
