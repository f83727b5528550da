"""Texts for methods that need them, with hashes, so that a replayed pool reads the same."""

import importlib.util
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document, Topic
from campaigns.queries.collection_files import find_collection, read_registered_texts
from campaigns.services.rows import iter_batches
from poolbench.files.faults import list_names
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.document_texts import document_text, hash_topic_texts
from poolbench.pooling.session import LogMismatch
from poolbench.pooling.spec import PoolSpec
from poolbench.texts.documents import DocumentText
from pooling.models import Pool


def check_reader(spec: PoolSpec) -> None:
    if spec.reader and importlib.util.find_spec("sklearn") is None:
        message = f"The method {spec.reader} needs scikit-learn, which is not installed."
        fix = "Run `pip install poolbench[cal]` on the server, or select another method."
        raise ActionRefused("no-scikit-learn", message, fix)


def attach_listing_texts(
    campaign: Campaign, listing: RunListing, reader: str
) -> tuple[RunListing, dict[str, str]]:
    """``listing`` with texts for the method ``reader``, and by topic the hash of the texts.

    Texts are loaded on demand. Raises ``ActionRefused`` unless every document has one.
    """
    docnos = sorted(set(listing.docnos))
    hashes = text_hashes(campaign, docnos)
    check_texts_complete(docnos, hashes, reader)
    known = campaign.topics.filter(number__in=listing.topics)
    queries = {topic.number: topic_query(topic) for topic in known}
    read = {
        here.topic: hash_topic_texts(queries[here.topic], ((d, hashes[d]) for d in here.docnos))
        for here in listing
    }
    return replace(listing, read=partial(load_texts, campaign), queries=queries), read


def check_texts_complete(docnos: Sequence[str], available: Collection[str], reader: str) -> None:
    missing = [docno for docno in docnos if docno not in available]
    if not missing:
        return
    raise ActionRefused(
        "needs-texts",
        f"{reader} needs texts; {len(missing):,} of {len(docnos):,} documents have none: "
        f"{list_names(missing)}.",
        "Import their texts (PDF and images have none), lower the cut-off, or select a method "
        "that needs no texts.",
    )


def load_texts(campaign: Campaign, docnos: Sequence[str]) -> list[str]:
    documents = load_documents_with_text(campaign, docnos)
    return [document_text(documents[docno]) for docno in docnos]


def load_frozen_texts(pool: Pool, topic: Topic, docnos: Sequence[str]) -> list[str]:
    """The texts of ``docnos``, which are all candidates of the topic in order.

    Raises ``LogMismatch`` if the texts or the topic have changed since the pool was frozen.
    """
    documents = load_documents_with_text(pool.campaign, docnos)
    # Recomputed, so that a changed text is not hidden by a stored hash.
    hashes = ((docno, documents[docno].sha256 if docno in documents else "") for docno in docnos)
    if hash_topic_texts(topic_query(topic), hashes) != pool.spec["texts"][topic.number]:
        raise LogMismatch(f"the texts of topic {topic.number} have changed since {pool} was frozen")
    return [document_text(documents[docno]) for docno in docnos]


TEXT_FORMATS = (Document.Format.TEXT, Document.Format.HTML)
"""PDF and images have no readable text."""


def text_hashes(campaign: Campaign, docnos: Sequence[str]) -> dict[str, str]:
    """By docno: the sha256 of each of ``docnos`` that has a text."""
    hashes = dict(iter_text_rows(campaign, docnos, "docno", "sha256"))
    return hashes | {
        text.docno: text.sha256 for text in iter_texts_without_row(campaign, docnos, hashes)
    }


def load_documents_with_text(campaign: Campaign, docnos: Sequence[str]) -> dict[str, DocumentText]:
    """By docno: each of ``docnos`` that has a text."""
    rows = iter_text_rows(campaign, docnos, "docno", "title", "body", "format")
    documents = {
        docno: DocumentText(docno, title, body, format=kind) for docno, title, body, kind in rows
    }
    return documents | {
        text.docno: text for text in iter_texts_without_row(campaign, docnos, documents)
    }


def iter_texts_without_row(
    campaign: Campaign, docnos: Sequence[str], without: Collection[str]
) -> Iterator[DocumentText]:
    """From the files of a registered collection: before the pool is frozen they have no rows."""
    collection = find_collection(campaign)
    if collection is not None:
        missing = [docno for docno in docnos if docno not in without]
        yield from read_registered_texts(collection, missing)


def iter_text_rows(
    campaign: Campaign, docnos: Sequence[str], *columns: str
) -> Iterator[tuple[Any, ...]]:
    """``columns`` of those that have a text; in batches, since SQLite limits parameters."""
    documents = campaign.documents.filter(format__in=TEXT_FORMATS).order_by()
    for part in iter_batches(docnos):
        yield from documents.filter(docno__in=part).values_list(*columns)


def topic_query(topic: Topic) -> str:
    """Title and description. The narrative is omitted: it also says what is not relevant."""
    return f"{topic.title}\n{topic.description}".strip()
