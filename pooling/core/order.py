"""An order of documents that tells nothing of runs and ranks, and is always the same."""

from __future__ import annotations

from hashlib import blake2b


def hash_order(seed: int, topic: str, docno: str) -> int:
    """A key from 0 to 2⁶³ − 1 to sort documents by; ties are broken by docno."""
    # Ids hold no newline, so that no two triples are written alike.
    text = f"{seed}\n{topic}\n{docno}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1
