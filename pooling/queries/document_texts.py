"""Texts for methods that need them, with hashes, so that a replayed pool reads the same."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic
from pooling.core.candidates import RunListing, TopicCandidates
from pooling.core.session import LogMismatch
from pooling.core.spec import PoolSpec
from pooling.models import Pool
from pooling.queries.texts import document_text, load_documents_with_text, text_hashes, topic_query

LISTED_DOCNOS = 5


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
    names = ", ".join(missing[:LISTED_DOCNOS])
    more = f" and {len(missing) - LISTED_DOCNOS:,} more" if len(missing) > LISTED_DOCNOS else ""
    raise ActionRefused(
        "needs-texts",
        f"{reader} needs texts; {len(missing):,} of {len(docnos):,} documents have none: "
        f"{names}{more}.",
        "Import their texts (PDF and images have none), lower the cut-off, or select a method "
        "that needs no texts.",
    )


def load_texts(campaign: Campaign, docnos: Sequence[str]) -> list[str]:
    documents = load_documents_with_text(campaign, docnos)
    return [document_text(documents[docno]) for docno in docnos]


def candidates_with_texts(pool: Pool, topic: Topic, candidates: TopicCandidates) -> TopicCandidates:
    """``candidates`` with the texts as of freezing ``pool``, loaded on demand."""
    read = partial(load_frozen_texts, pool, topic)
    return replace(candidates, read=read, query=topic_query(topic))


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


def hash_topic_texts(query: str, hashes: Iterable[tuple[str, str]]) -> str:
    """sha256 of the sha256 of ``query`` and a line ``docno sha256`` per document."""
    lines = [store.sha256(query.encode()), *(f"{docno} {sha256}" for docno, sha256 in hashes)]
    return store.sha256("\n".join(lines).encode())
