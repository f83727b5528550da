"""What methods that read are given, named by hash, so that a pool replayed reads the same."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from campaigns import store
from campaigns.errors import Refused
from campaigns.models import Campaign, Topic
from pooling.core.candidates import Candidates, Listing
from pooling.core.session import Diverged
from pooling.core.spec import Spec
from pooling.models import Pool
from pooling.queries.texts import documents_of, hashes_of, query_of, text_of

NAMED = 5


def check_reader(spec: Spec) -> None:
    if spec.reader and importlib.util.find_spec("sklearn") is None:
        told = f"{spec.reader} needs scikit-learn, which is not installed here."
        cure = "Have `pip install poolbench[cal]` run on the server, or choose another method."
        raise Refused("no-scikit-learn", told, cure)


def with_texts(campaign: Campaign, listing: Listing, reader: str) -> tuple[Listing, dict[str, str]]:
    """``listing`` for the method ``reader``, and by topic the hash of what is there to read.

    No text is loaded before it is asked for. Raises ``Refused`` unless each document has one.
    """
    docnos = sorted(set(listing.docnos))
    hashes = hashes_of(campaign, docnos)
    check_all_there(docnos, hashes, reader)
    known = campaign.topics.filter(number__in=listing.topics)
    queries = {topic.number: query_of(topic) for topic in known}
    read = {
        here.topic: hash_of_texts(queries[here.topic], ((d, hashes[d]) for d in here.docnos))
        for here in listing
    }
    return replace(listing, read=partial(texts_of, campaign), queries=queries), read


def check_all_there(docnos: Sequence[str], there: Collection[str], reader: str) -> None:
    lost = [docno for docno in docnos if docno not in there]
    if not lost:
        return
    named = ", ".join(lost[:NAMED])
    more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
    raise Refused(
        "needs-texts",
        f"{reader} reads, but {len(lost):,} of {len(docnos):,} documents have no text here: "
        f"{named}{more}.",
        "Import their texts (PDF and pictures have none), lower the cut-off, or choose a method "
        "that looks at the runs alone.",
    )


def texts_of(campaign: Campaign, docnos: Sequence[str]) -> list[str]:
    found = documents_of(campaign, docnos)
    return [text_of(found[docno]) for docno in docnos]


def to_be_read(pool: Pool, topic: Topic, candidates: Candidates) -> Candidates:
    """``candidates`` with the texts that ``pool`` was frozen with, loaded when asked for."""
    read = partial(texts_as_frozen, pool, topic)
    return replace(candidates, read=read, query=query_of(topic))


def texts_as_frozen(pool: Pool, topic: Topic, docnos: Sequence[str]) -> list[str]:
    """The texts of ``docnos``, all of the topic in their order.

    Raises ``Diverged`` if they, or the topic, are others than when the pool was frozen.
    """
    found = documents_of(pool.campaign, docnos)
    # Worked out anew: a text must not pass for another by a hash that stands beside it.
    hashes = ((docno, found[docno].sha256 if docno in found else "") for docno in docnos)
    if hash_of_texts(query_of(topic), hashes) != pool.spec["texts"][topic.number]:
        raise Diverged(f"the texts of topic {topic.number} are not those that {pool} began with")
    return [text_of(found[docno]) for docno in docnos]


def hash_of_texts(query: str, hashes: Iterable[tuple[str, str]]) -> str:
    """sha256 of that of ``query`` and a line ``docno sha256`` for each document."""
    lines = [store.sha256(query.encode()), *(f"{docno} {sha256}" for docno, sha256 in hashes)]
    return store.sha256("\n".join(lines).encode())
