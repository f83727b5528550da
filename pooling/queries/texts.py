"""The texts of a campaign's documents and topics, for methods that need them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from campaigns.core.documents import DocumentText
from campaigns.core.markup import strip_markup
from campaigns.models import Campaign, Document, Topic

BATCH = 500
TEXT_FORMATS = (Document.Format.TEXT, Document.Format.HTML)
"""PDF and images have no readable text."""


def text_hashes(campaign: Campaign, docnos: Sequence[str]) -> dict[str, str]:
    """By docno: the sha256 of each of ``docnos`` that has a text."""
    rows = (
        part.values_list("docno", "sha256") for part in iter_documents_with_text(campaign, docnos)
    )
    return {docno: sha256 for part in rows for docno, sha256 in part}


def load_documents_with_text(campaign: Campaign, docnos: Sequence[str]) -> dict[str, DocumentText]:
    """By docno: each of ``docnos`` that has a text."""
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
    """In batches, since SQLite limits the number of parameters."""
    documents = campaign.documents.filter(format__in=TEXT_FORMATS).order_by()
    for start in range(0, len(docnos), BATCH):
        yield documents.filter(docno__in=docnos[start : start + BATCH])


def document_text(document: DocumentText) -> str:
    """Title and body as one text; HTML without its tags."""
    body = strip_markup(document.body) if document.format == "html" else document.body
    return f"{document.title}\n{body}"


def topic_query(topic: Topic) -> str:
    """Title and description. The narrative is omitted: it also says what is not relevant."""
    return f"{topic.title}\n{topic.description}".strip()
