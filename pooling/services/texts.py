"""What methods that read are given, named by hash, so that a pool replayed reads the same."""

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

NAMED = 5


def check_reader(spec: PoolSpec) -> None:
    if spec.reader and importlib.util.find_spec("sklearn") is None:
        told = f"{spec.reader} needs scikit-learn, which is not installed here."
        fix = "Have `pip install poolbench[cal]` run on the server, or choose another method."
        raise ActionRefused("no-scikit-learn", told, fix)


def attach_listing_texts(
    campaign: Campaign, listing: RunListing, reader: str
) -> tuple[RunListing, dict[str, str]]:
    """``listing`` for the method ``reader``, and by topic the hash of what is there to read.

    No text is loaded before it is asked for. Raises ``Refused`` unless each document has one.
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


def check_texts_complete(docnos: Sequence[str], there: Collection[str], reader: str) -> None:
    lost = [docno for docno in docnos if docno not in there]
    if not lost:
        return
    named = ", ".join(lost[:NAMED])
    more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
    raise ActionRefused(
        "needs-texts",
        f"{reader} reads, but {len(lost):,} of {len(docnos):,} documents have no text here: "
        f"{named}{more}.",
        "Import their texts (PDF and pictures have none), lower the cut-off, or choose a method "
        "that looks at the runs alone.",
    )


def load_texts(campaign: Campaign, docnos: Sequence[str]) -> list[str]:
    found = load_documents_with_text(campaign, docnos)
    return [document_text(found[docno]) for docno in docnos]


def candidates_with_texts(pool: Pool, topic: Topic, candidates: TopicCandidates) -> TopicCandidates:
    """``candidates`` with the texts that ``pool`` was frozen with, loaded when asked for."""
    read = partial(load_frozen_texts, pool, topic)
    return replace(candidates, read=read, query=topic_query(topic))


def load_frozen_texts(pool: Pool, topic: Topic, docnos: Sequence[str]) -> list[str]:
    """The texts of ``docnos``, all of the topic in their order.

    Raises ``Diverged`` if they, or the topic, are others than when the pool was frozen.
    """
    found = load_documents_with_text(pool.campaign, docnos)
    # Worked out anew: a text must not pass for another by a hash that stands beside it.
    hashes = ((docno, found[docno].sha256 if docno in found else "") for docno in docnos)
    if hash_topic_texts(topic_query(topic), hashes) != pool.spec["texts"][topic.number]:
        raise LogMismatch(f"the texts of topic {topic.number} are not those that {pool} began with")
    return [document_text(found[docno]) for docno in docnos]


def hash_topic_texts(query: str, hashes: Iterable[tuple[str, str]]) -> str:
    """sha256 of that of ``query`` and a line ``docno sha256`` for each document."""
    lines = [store.sha256(query.encode()), *(f"{docno} {sha256}" for docno, sha256 in hashes)]
    return store.sha256("\n".join(lines).encode())
