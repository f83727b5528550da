"""Parse many decimal numbers at once, each to the nearest double, as ``float`` does.

Sixteen characters of a number are two words. The decimal point is removed, the digits of a
word are added up pairwise (8 digits in three steps), and the integer is divided by a power of
ten. Both are exact below 2^53 and 10^22, so the quotient is rounded once, correctly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.core.docnos import DocnoArray
from campaigns.core.machine_words import Mask, Words, load_words

_ALL = (1 << 64) - 1
_ZEROS = np.uint64(0x3030303030303030)
_TO_TEN = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_POINT = np.uint64(ord(".") ^ ord("0"))
_BYTE, _ONE, _THREE, _SEVEN, _LAST = (np.uint64(n) for n in (255, 1, 3, 7, 56))
_MINUS = ord("-")
_TEN_TO_EIGHT, _EXACT = np.uint64(10**8), np.uint64(1 << 53)
_POWERS = np.array([10.0**places for places in range(17)])
_STEPS = (
    (np.uint64(10), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10_000), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
)
_SIZES = 16
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
    ends = column.starts + column.lengths
    negative = column.array[column.starts] == _MINUS
    size = np.minimum(column.lengths - negative, _SIZES + 1)
    low = _remove_points((load_words(column.windows, ends - 8) ^ _ZEROS) & _OWN_LOW.take(size))
    high = _remove_points((load_words(column.windows, ends - 16) ^ _ZEROS) & _OWN_HIGH.take(size))
    points = low.points + high.points
    # Where the low word had a point, a digit moves into it from the high word.
    right = low.digits | ((high.digits >> _LAST) * low.points)
    whole = _combine_digits(
        high.digits << (low.points << _THREE)
    ) * _TEN_TO_EIGHT + _combine_digits(right)
    is_odd = low.is_odd | high.is_odd | (points > _ONE) | (whole > _EXACT)
    is_odd |= (size > _SIZES) | (size <= points.view(np.int64))
    places = low.places + high.places + 8 * high.points.astype(np.uint8)
    values = whole.view(np.int64) / _POWERS.take(places & 15)
    if negative.any():
        np.negative(values, out=values, where=negative)
    return Decimals(values, points == _ONE, is_odd)


def _remove_points(digits: Words) -> _PackedDigits:
    marks = ((digits + _TO_TEN) | digits) & _HIGH_BITS
    if not marks.any():
        none = np.zeros(1, np.uint8)
        return _PackedDigits(digits, none.astype(np.uint64), none, none.astype(np.bool_))
    mark = marks >> _SEVEN
    below = mark - _ONE
    # The first character is the lowest byte: digits below the mark precede the point.
    before = digits & below
    after = digits ^ before ^ (mark * _POINT)
    is_odd = (np.bitwise_count(marks) > 1) | ((after & (mark * _BYTE)) != 0)
    points = (marks != 0).astype(np.uint64)
    places = (64 - np.bitwise_count(marks - _ONE)) >> 3
    return _PackedDigits((before << (points << _THREE)) | after, points, places, is_odd)


def _combine_digits(digits: Words) -> Words:
    """The number of eight digits."""
    for factor, shift, mask in _STEPS:
        digits = (digits * factor + (digits >> shift)) & mask
    return digits
