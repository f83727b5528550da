"""An order of documents that tells nothing of runs and ranks, and is always the same."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


def hash_order(seed: int, topic: str, docno: str) -> int:
    """A key from 0 to 2⁶³ − 1 to sort documents by; ties are broken by docno."""
    # Ids hold no newline, so that no two triples are written alike.
    text = f"{seed}\n{topic}\n{docno}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


def hash_orders(seed: int, topic: str, docnos: Iterable[bytes]) -> NDArray[np.int64]:
    """``hash_order`` of many documents of a topic at once."""
    before = f"{seed}\n{topic}\n".encode()
    found = b"".join([blake2b(before + docno, digest_size=8).digest() for docno in docnos])
    return (np.frombuffer(found, ">u8") >> np.uint64(1)).astype(np.int64)
