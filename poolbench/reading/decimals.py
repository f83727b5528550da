"""Parse many decimal numbers at once, each to the nearest double, as ``float`` does.

The last sixteen characters of a number are two words of eight. They are computed on whole words,
each byte a lane of its own (SIMD within a register):

1. ``c ^ 0x30`` makes 0 to 9 of the digits, and 0x1E of the point. Characters before the number are
   set to 0, as leading zeros.
2. The point is removed: the digits before it move one character to the end, over it
   (``_remove_points``).
3. The digits are added up pairwise, 1 + 1, 2 + 2 and 4 + 4 (``_combine_digits``).
4. The two halves make an integer w = 10^8 · high + low, and the value is w / 10^p, p the number of
   digits behind the point.

**Exact.** w is a double without rounding as w ≤ 2^53 is required, and so is 10^p: 10^p = 2^p · 5^p,
and 5^p < 2^53 for p ≤ 22; here p ≤ 15. IEEE division returns the double nearest to the quotient
(ties to even), which is what ``float`` returns for the text: no bit differs. (The fast path of
Clinger, How to read floating point numbers accurately, PLDI 1990.)

**Alike.** Programs print all scores of a run with the same number of decimals. Then the point is at
the same place of every word, masks and shifts are the same for all rows, and numbers of up to eight
digits are one word: a quarter of the work (``_parse_alike``).

**Odd.** Whatever is not covered is marked, never guessed: any other character, a second point, no
digit, more than 16 characters, w > 2^53. Of scores as programs print them that is next to none.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.docnos import DocnoArray
from poolbench.reading.machine_words import Mask, Places, Words, load_word_pairs, load_words

_ALL = (1 << 64) - 1
_ZEROS = np.uint64(0x3030303030303030)
_TO_TEN = np.uint64(0x7676767676767676)
"""In each byte 0x80 - 10: adding it sets the high bit from 10 on, and up to 9 does not."""
_HIGH_BITS = np.uint64(0x8080808080808080)
_POINT = np.uint64(ord(".") ^ ord("0"))
_BYTE, _ONE, _THREE, _SEVEN, _BYTE_BITS, _LAST = (np.uint64(n) for n in (255, 1, 3, 7, 8, 56))
_MINUS, _DOT = b"-."
_TEN_TO_EIGHT, _EXACT = np.uint64(10**8), np.uint64(1 << 53)
_POWERS = np.array([10.0**places for places in range(16)])
# Factor, shift and mask of 1 + 1, 2 + 2 and 4 + 4 digits; the mask keeps every other lane.
_STEPS = tuple(
    (np.uint64((10**digits << 8 * digits) + 1), np.uint64(8 * digits), np.uint64(mask))
    for digits, mask in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0x00000000FFFFFFFF))
)
_SIZES, _WORD = 16, 8
# Masks of a word's last bytes, by how many belong to the number; the last entry: all longer ones.
_OWN = [(_ALL << (64 - 8 * min(n, 8))) & _ALL for n in range(_SIZES + 2)]
_OWN_LOW = np.array(_OWN, np.uint64)
_OWN_HIGH = np.array([_OWN[max(n - 8, 0)] for n in range(_SIZES + 2)], np.uint64)


class Decimals(NamedTuple):
    """Numbers by row. Where ``is_odd`` the text is not a plain decimal, is longer, or is signed
    ``+``: parse it again. ``has_point`` distinguishes ``5.`` from ``5``.
    """

    values: NDArray[np.float64]
    has_point: Mask
    is_odd: Mask


class _PackedDigits(NamedTuple):
    """Words without their points: eight digits each, and how many followed the point."""

    digits: Words
    points: Words
    places: NDArray[np.uint8]
    is_odd: Mask


def parse_decimals(column: DocnoArray) -> Decimals:
    """The numbers in ``column``: digits, optionally with a leading ``-`` and one point."""
    # If the first has no sign, likely none has: a sign is no digit, so none is overlooked.
    is_first_signed = len(column) > 0 and column.data[int(column.starts[0])] == _MINUS
    if not is_first_signed and (read := _parse_alike(column, column.lengths)) is not None:
        return read
    negative = column.array[column.starts] == _MINUS
    size = column.lengths - negative
    read = _parse_alike(column, size) if negative.any() else None
    read = _parse_any(column, size) if read is None else read
    if negative.any():
        np.negative(read.values, out=read.values, where=negative)
    return read


def _parse_alike(column: DocnoArray, size: Places) -> Decimals | None:
    """Numbers of up to eight digits with as many decimals as the first; None if others are among
    them. ``size`` is that of each without its sign.
    """
    if not len(column):
        return None
    _, point, decimals = column.text(0).partition(b".")
    places, points = len(decimals), len(point)
    if points > places or size.min() <= places or size.max() > _WORD + points:
        return None
    ends = column.starts + column.lengths
    pairs = load_word_pairs(column.data, ends - 2 * _WORD)
    if pairs is None:
        return None
    earlier, digits = pairs
    if points:
        marks = (
            digits >> np.uint64(8 * (_WORD - 1 - places)) if places < _WORD else earlier >> _LAST
        )
        if ((marks & _BYTE) != _DOT).any():
            return None
        # One byte to the end, the digits before the point are over it.
        moved = (digits << _BYTE_BITS) | (earlier >> _LAST)
        behind = np.uint64(_OWN[places])
        digits = (digits & behind) | (moved & ~behind)
    digits = (digits ^ _ZEROS) & _OWN_LOW.take(size - points)
    if np.bitwise_or.reduce((digits + _TO_TEN) | digits) & _HIGH_BITS:
        return None
    values = _combine_digits(digits).view(np.int64) / 10.0**places
    return Decimals(values, np.full(len(column), points > 0), np.zeros(len(column), np.bool_))


def _parse_any(column: DocnoArray, size: Places) -> Decimals:
    """Numbers of any form. ``size`` is that of each without its sign."""
    ends = column.starts + column.lengths
    size = np.minimum(size, _SIZES + 1)
    low = _remove_points((load_words(column.windows, ends - 8) ^ _ZEROS) & _OWN_LOW.take(size))
    high = _remove_points((load_words(column.windows, ends - 16) ^ _ZEROS) & _OWN_HIGH.take(size))
    points = low.points + high.points
    # Where the low word had a point, its first byte is free: the last digit of the high word moves
    # into it, and the high word moves one byte to the end.
    right = low.digits | ((high.digits >> _LAST) * low.points)
    whole = _combine_digits(
        high.digits << (low.points << _THREE)
    ) * _TEN_TO_EIGHT + _combine_digits(right)
    is_odd = low.is_odd | high.is_odd | (points > _ONE) | (whole > _EXACT)
    is_odd |= (size > _SIZES) | (size <= points.view(np.int64))
    # A point in the high word is followed by all eight characters of the low word, too.
    places = low.places + high.places + 8 * high.points.astype(np.uint8)
    # 15 places at most, ``.`` and 15 digits; more only with two points, which are odd.
    values = whole.view(np.int64) / _POWERS.take(places & 15)
    return Decimals(values, points == _ONE, is_odd)


def _remove_points(digits: Words) -> _PackedDigits:
    """Words without their points, as leading zeros and digits; odd if they have anything else.

    A mark is the high bit of a byte above 9. ``digits + 0x76…`` sets it from 10 to 0x7F, ``|
    digits`` from 0x80 on, so no such byte is missed. From 0x8A on the sum carries into the next
    byte and may mark a 9 there: then two bytes are marked, and the word is odd anyway.

    With one mark, in byte k (from 0, the first character), bit 8k + 7 is set: ``mark`` is bit 8k,
    ``mark - 1`` all bits of the bytes before, and ``marks - 1`` has 8k + 7 bits. The digits behind
    the point are bytes k + 1 to 7, and (64 - (8k + 7)) >> 3 = 7 - k. Without a mark ``mark - 1``
    is all bits, by underflow: everything is before the point, and no digit behind it.
    """
    marks = ((digits + _TO_TEN) | digits) & _HIGH_BITS
    if not marks.any():
        none = np.zeros(1, np.uint8)
        return _PackedDigits(digits, none.astype(np.uint64), none, none.astype(np.bool_))
    mark = marks >> _SEVEN
    below = mark - _ONE
    before = digits & below
    # XOR leaves 0 in the byte of the mark if that was a point.
    after = digits ^ before ^ (mark * _POINT)
    is_odd = (np.bitwise_count(marks) > 1) | ((after & (mark * _BYTE)) != 0)
    points = (marks != 0).astype(np.uint64)
    places = (64 - np.bitwise_count(marks - _ONE)) >> 3
    return _PackedDigits((before << (points << _THREE)) | after, points, places, is_odd)


def _combine_digits(digits: Words) -> Words:
    """The number of eight digits, the first in the lowest byte.

    Digits a b c d e f g h: times 10 moved by one byte, plus the word, the second of two bytes is
    10a + b, 10c + d and so on; moved back, the mask drops the other halves. No lane overflows into
    the next: the sums are at most 99 in a byte, 9,999 in two and 99,999,999 in four.
    """
    for factor, shift, mask in _STEPS:
        digits = ((digits * factor) >> shift) & mask
    return digits
