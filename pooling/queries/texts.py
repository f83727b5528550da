"""The texts of a campaign's documents and topics, for methods that read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from campaigns.core.documents import DocumentText
from campaigns.core.markup import strip_markup
from campaigns.models import Campaign, Document, Topic

BATCH = 500
WRITTEN = (Document.Format.TEXT, Document.Format.HTML)
"""Of PDF and pictures nothing can be read."""


def text_hashes(campaign: Campaign, docnos: Sequence[str]) -> dict[str, str]:
    """The sha256 of the documents among ``docnos`` that have a text, by docno."""
    rows = (
        part.values_list("docno", "sha256") for part in iter_documents_with_text(campaign, docnos)
    )
    return {docno: sha256 for part in rows for docno, sha256 in part}


def load_documents_with_text(campaign: Campaign, docnos: Sequence[str]) -> dict[str, DocumentText]:
    """The documents among ``docnos`` that have a text, by docno."""
    columns = ("docno", "title", "body", "format")
    rows = (part.values_list(*columns) for part in iter_documents_with_text(campaign, docnos))
    return {
        docno: DocumentText(docno, title, body, format=kind)
        for part in rows
        for docno, title, body, kind in part
    }


def iter_documents_with_text(
    campaign: Campaign, docnos: Sequence[str]
) -> Iterator[QuerySet[Document]]:
    """In parts, since SQLite takes so many parameters and no more."""
    known = campaign.documents.filter(format__in=WRITTEN).order_by()
    for start in range(0, len(docnos), BATCH):
        yield known.filter(docno__in=docnos[start : start + BATCH])


def document_text(document: DocumentText) -> str:
    """Title and text in one; of HTML what stands between the tags."""
    body = strip_markup(document.body) if document.format == "html" else document.body
    return f"{document.title}\n{body}"


def topic_query(topic: Topic) -> str:
    """The topic in words. The narrative is left out: it also says what is not relevant."""
    return f"{topic.title}\n{topic.description}".strip()
