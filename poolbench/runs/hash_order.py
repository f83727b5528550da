"""Seeded hashes of pairs: an order, or numbers at random, that ranks and runs do not tell."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


def hash_order(seed: int, topic: str, docno: str) -> int:
    """A sort key from 0 to 2⁶³ − 1; callers break ties by docno."""
    # Identifiers contain no newline, so that distinct triples give distinct texts.
    text = f"{seed}\n{topic}\n{docno}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


def hash_orders(seed: int, topic: str, docnos: Iterable[bytes]) -> NDArray[np.int64]:
    """``hash_order`` for many documents of a topic."""
    before = f"{seed}\n{topic}\n".encode()
    digests = b"".join([blake2b(before + docno, digest_size=8).digest() for docno in docnos])
    return (np.frombuffer(digests, ">u8") >> np.uint64(1)).astype(np.int64)
