"""The bytes of a file as 64-bit words, and fast numpy operations on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Places = NDArray[np.signedinteger]
Mask = NDArray[np.bool_]

_LITTLE_ENDIAN = np.dtype("<u8")
_LARGEST_LEARNT = 31 << 20
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def byte_windows(data: bytes) -> NDArray[np.void]:
    """The eight bytes from each offset of ``data``; a view without a copy."""
    padded = data if len(data) >= 8 else data.ljust(8, b"\0")
    return np.ndarray(len(padded) - 7, "V8", padded, strides=(1,))


def load_words(windows: NDArray[np.void], starts: Places) -> Words:
    """The eight bytes from each of ``starts``, little-endian; 0 for bytes outside the data."""
    last = len(windows) - 1
    if not len(starts) or (starts.min() >= 0 and starts.max() <= last):
        return windows[starts].view(_LITTLE_ENDIAN)
    inside = np.minimum(np.maximum(starts, 0), last)
    behind = 8 * np.maximum(starts - inside, 0)
    before = 8 * np.maximum(inside - starts, 0)
    return shift_words(windows[inside].view(_LITTLE_ENDIAN) >> behind.astype(np.uint64), before)


def shift_words(words: Words, bits: Places) -> Words:
    """Each word shifted left by its own number of bits; 0 from 64 bits on."""
    return words << bits.astype(np.uint64)


def keep_freed_memory() -> None:
    """Let this process keep freed memory, up to 64 MB, instead of requesting it repeatedly.

    glibc returns freed memory at once until it has freed one large piece, and requesting it
    again takes as long as all the work on a block of a file. Harmless with other allocators.
    """
    np.empty(_LARGEST_LEARNT, np.uint8)


def mix_bits(values: Words) -> Words:
    """Values spread over all 64 bits, one to one."""
    spread = values * _ODD
    return spread ^ (spread >> _HALF)


def dense_ranks(keys: Words | Places) -> Ints:
    """The rank, from 0, of each key among the distinct keys."""
    order = np.argsort(keys)
    ordered = keys[order]
    ranked = np.empty(len(keys), np.int64)
    ranked[order[:1]] = 0
    ranked[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return ranked
