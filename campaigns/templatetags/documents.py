"""A document as it is shown: in pieces, each block with its place in the body."""

from __future__ import annotations

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from campaigns.core.text_pages import (
    TextPage,
    measure_text_length,
    slice_text_page,
    strip_tags_for_count,
)
from campaigns.models import Document

register = template.Library()
SAMPLE = 500_000
"""Characters whose words are counted."""


@register.simple_tag
def text_page(document: Document, start: int = 0) -> TextPage:
    """What a page shows of a text from ``start``; ``next`` is where to read on."""
    return slice_text_page(document.body, start)


@register.filter
def document_length(document: Document) -> str:
    """``1,200 words``, or for files what they are and how large: ``PDF, 1.2 MB``."""
    if document.file:
        return f"{document.get_format_display()}, {filesizeformat(document.size)}"
    body = document.body
    # Parting megabytes into words takes longer than showing them: a long one is estimated.
    sample = body if len(body) <= SAMPLE else body[:SAMPLE]
    text = sample if document.format == "text" else strip_tags_for_count(sample)
    return text_length(text) if sample is body else approximate_length(text, len(body) / SAMPLE)


def approximate_length(text: str, times: float) -> str:
    """How long a document is of which ``text`` is one part in ``times``, to two digits."""
    count, unit = measure_text_length(text)
    number = number_format(int(float(f"{count * times:.1e}")), force_grouping=True)
    if unit == "word":
        return gettext("about %(count)s words") % {"count": number}
    return gettext("about %(count)s characters") % {"count": number}


def text_length(text: str) -> str:
    """How long a text is, in words people read."""
    count, unit = measure_text_length(text)
    shown = {"count": number_format(count, force_grouping=True)}
    if unit == "word":
        return ngettext("%(count)s word", "%(count)s words", count) % shown
    return ngettext("%(count)s character", "%(count)s characters", count) % shown
