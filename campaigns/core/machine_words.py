"""The bytes of a file as words of eight, and what numpy does quickly with them."""

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
    """The eight bytes from each place of ``data``; a view without a copy."""
    held = data if len(data) >= 8 else data.ljust(8, b"\0")
    return np.ndarray(len(held) - 7, "V8", held, strides=(1,))


def load_words(seen: NDArray[np.void], starts: Places) -> Words:
    """The eight bytes from each of ``starts``, the first lowest; 0 for those outside the data."""
    last = len(seen) - 1
    if not len(starts) or (starts.min() >= 0 and starts.max() <= last):
        return seen[starts].view(_LITTLE_ENDIAN)
    inside = np.minimum(np.maximum(starts, 0), last)
    behind = 8 * np.maximum(starts - inside, 0)
    before = 8 * np.maximum(inside - starts, 0)
    return shift_words(seen[inside].view(_LITTLE_ENDIAN) >> behind.astype(np.uint64), before)


def shift_words(words: Words, bits: Places) -> Words:
    """Each word moved up by its own number of bits; by 64 and more it is 0."""
    return words << bits.astype(np.uint64)


def keep_freed_memory() -> None:
    """Let this process keep freed memory, up to 64 MB, instead of asking for it again and again.

    glibc gives freed memory back at once until it has seen a large piece come and go, and
    getting it anew takes as long as all that is done with a block of a file. Allocators
    that do not learn are not harmed.
    """
    np.empty(_LARGEST_LEARNT, np.uint8)


def mix_bits(values: Words) -> Words:
    """Values spread over all 64 bits, different ones to different ones."""
    spread = values * _ODD
    return spread ^ (spread >> _HALF)


def dense_ranks(keys: Words | Places) -> Ints:
    """The place, from 0, of each key among the different ones."""
    order = np.argsort(keys)
    ordered = keys[order]
    ranked = np.empty(len(keys), np.int64)
    ranked[order[:1]] = 0
    ranked[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return ranked
