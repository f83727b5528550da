"""The bytes of a file as 64-bit words, and fast numpy operations on them.

numpy has no fast operation on byte strings of several lengths, but it gathers, compares and
multiplies 64-bit integers at the speed of memory. Words are little-endian: the first byte is the
lowest, so shifting left moves bytes to the end of the word and drops the last ones.
"""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Places = NDArray[np.signedinteger]
Mask = NDArray[np.bool_]

_LITTLE_ENDIAN = np.dtype("<u8")
_MANY_BYTES = (1 << 31) - (1 << 12)
"""From here on an offset does not fit into 32 bits; a word begins up to ``docnos.LONGEST`` behind
one."""
_LARGEST_LEARNT = 31 << 20
"""glibc raises its threshold to the size of a freed piece of at most 32 MiB, header included
(``DEFAULT_MMAP_THRESHOLD_MAX``), and keeps twice the threshold: 62 MiB."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, to the next odd integer: see ``mix_bits``."""
_HALF = np.uint64(32)


def choose_offset_type(size: int) -> type[np.int32 | np.int64]:
    """The type of offsets into ``size`` bytes: 32 bits, half as many to read and write, wherever
    they suffice.
    """
    return np.int32 if size < _MANY_BYTES else np.int64


def byte_windows(data: bytes | memoryview, width: int = 8) -> NDArray[np.void]:
    """The ``width`` bytes from each offset of ``data``; a view without a copy.

    A void of eight bytes has no alignment, so the view may have a stride of one byte, and
    indexing it by an array of offsets copies eight bytes at a time.
    """
    padded = data if len(data) >= width else bytes(data).ljust(width, b"\0")
    return np.ndarray(len(padded) - width + 1, f"V{width}", padded, strides=(1,))


def load_words(windows: NDArray[np.void], starts: Places) -> Words:
    """The eight bytes from each of ``starts``, little-endian; 0 for bytes outside the data."""
    last = len(windows) - 1
    if not len(starts) or (starts.min() >= 0 and starts.max() <= last):
        return windows[starts].view(_LITTLE_ENDIAN)
    # Near an end of the data: load the nearest eight bytes, and shift those that are not wanted
    # out of the word. From eight bytes on the shift is 64 bits or more, for which numpy gives 0.
    inside = np.minimum(np.maximum(starts, 0), last)
    words: Words = windows[inside].view(_LITTLE_ENDIAN)
    moved = np.flatnonzero(inside != starts)
    steps = 8 * (starts[moved] - inside[moved])
    behind = np.maximum(steps, 0).astype(np.uint64)
    words[moved] = shift_words(words[moved] >> behind, np.maximum(-steps, 0))
    return words


def load_word_pairs(data: bytes, starts: Places) -> tuple[Words, Words] | None:
    """The eight bytes from each of ``starts``, at least one, and the eight behind them, for the
    price of one; None where some are outside of ``data``.
    """
    if starts.min() < 0 or starts.max() + 16 > len(data):
        return None
    pairs = byte_windows(data, 16)[starts].view(_LITTLE_ENDIAN)
    return pairs[::2], pairs[1::2]


def shift_words(words: Words, bits: Places) -> Words:
    """Each word shifted left by its own number of bits; 0 from 64 bits on."""
    return words << bits.astype(np.uint64)


def keep_freed_memory() -> None:
    """Let this process keep freed memory, up to 62 MiB, instead of requesting it repeatedly.

    glibc gives the memory of every array above 128 KiB back to the system when it is freed, until
    one large piece was freed: it takes that as the size of usual pieces. Requesting the memory
    again, page by page, takes as long as all the work on a block of a file. This frees such a
    piece, once; its pages are never touched. Harmless with other allocators.
    """
    np.empty(_LARGEST_LEARNT, np.uint8)


def mix_bits(values: Words) -> Words:
    """Values spread over all 64 bits, one to one.

    Both steps can be undone, so distinct values stay distinct: an odd number has an inverse modulo
    2^64; and ``x ^ (x >> 32)`` keeps the high half of x, with which it restores the low one. In
    the product a bit depends on the bits below it only, so the high half is well spread and the
    low one is not: folding the high half down mends that. Fibonacci hashing (Knuth, The Art of
    Computer Programming 3, 6.4): multiples of the golden ratio leave the most even gaps, so
    numbers in sequence, such as docnos, end up far apart.
    """
    spread = values * _ODD
    return spread ^ (spread >> _HALF)


def dense_ranks(keys: Words | Places) -> Ints:
    """The rank, from 0, of each key among the distinct keys: equal keys share theirs."""
    order = np.argsort(keys)
    ordered = keys[order]
    ranked = np.empty(len(keys), np.int64)
    ranked[order[:1]] = 0
    ranked[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return ranked
