"""Parameter values: how ranks, numbers, lists, gains and choices are read and printed."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf

from poolbench.evaluation.options import MAX_LEVEL

Value = int | float | str | tuple[float, ...] | tuple[tuple[int, float], ...]
MAX_CUTOFF = 1_000_000_000
MAX_DIGITS = 9_999_999_999
LARGEST = 1e100
"""Largest parameter value; its powers are still finite."""
COEFFICIENTS = 4
"""One for each cell of the table retrieved or not × relevant or not."""
STAND_INS = ("as_is", "nonrelevant", "relevant")
"""How unjudged documents can be treated, besides a grade."""


@dataclass(frozen=True)
class ParameterKind:
    """``read`` raises ``ValueError`` for an invalid value; ``show`` prints a value."""

    read: Callable[[str], Value]
    show: Callable[[Value], str]
    description: str


def read_integer(text: str, *, least: int = 0, most: int = MAX_DIGITS) -> int:
    number = int(text) if re.fullmatch(r"\d{1,10}", text) else -1
    if not least <= number <= most:
        raise ValueError
    return number


def read_number(
    text: str, *, least: float = -LARGEST, most: float = LARGEST, above: float = -inf
) -> float:
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise ValueError
    if not (least <= (number := float(text)) <= most and number > above):
        raise ValueError
    return number


read_rank = partial(read_integer, least=1, most=MAX_CUTOFF)
read_relevance_level = partial(read_integer, least=1, most=MAX_LEVEL)
read_share = partial(read_number, least=0, most=1)
read_positive = partial(read_number, above=0)


class TypedNumbers(tuple[float, ...]):
    """Numbers printed as typed (``.25,.5``), as in trec_eval; equal by value."""

    text: str


def read_levels(text: str) -> TypedNumbers:
    levels = TypedNumbers(map(read_share, text.split(",")))
    levels.text = text
    return levels


def read_coefficients(text: str) -> TypedNumbers:
    coefficients = TypedNumbers(map(read_number, text.split(",")))
    if len(coefficients) != COEFFICIENTS:
        raise ValueError
    coefficients.text = text
    return coefficients


def read_gains(text: str) -> tuple[tuple[int, float], ...]:
    """``1=3,2=9`` as in trec_eval, or ``{1: 3, 2: 9}`` as in ir_measures."""
    pairs = [part.partition("=") for part in text.strip("{}").replace(":", "=").split(",")]
    gains = {read_integer(grade.strip()): read_number(gain.strip()) for grade, _, gain in pairs}
    if len(gains) < len(pairs) or any(gain < 0 for gain in gains.values()):
        raise ValueError
    return tuple(sorted(gains.items()))


def read_stand_in(text: str) -> str | int:
    """One of ``STAND_INS``, or a grade of 0 or higher."""
    return text if text in STAND_INS else int(text) and read_relevance_level(text)


def show_plain(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def show_places(value: Value) -> str:
    """A number with two decimals, as trec_eval prints recall levels; more if needed."""
    two = f"{value:.2f}"
    return two if float(two) == value else f"{value:g}"


def show_numbers(value: Value) -> str:
    return value.text if isinstance(value, TypedNumbers) else str(value)


def show_gains(value: Value) -> str:
    pairs = value if isinstance(value, tuple) else ()
    return ",".join(f"{pair[0]}={pair[1]:g}" for pair in pairs if isinstance(pair, tuple))


KINDS: dict[str, ParameterKind] = {
    "rank": ParameterKind(read_rank, show_plain, f"an integer between 1 and {MAX_CUTOFF:,}"),
    "grade": ParameterKind(
        read_relevance_level, show_plain, f"an integer between 1 and {MAX_LEVEL:,}"
    ),
    "number": ParameterKind(read_number, show_plain, "a number"),
    "positive": ParameterKind(read_positive, show_plain, "a number above 0"),
    "base": ParameterKind(partial(read_number, above=1), show_plain, "a number above 1"),
    "share": ParameterKind(read_share, show_plain, "a number between 0 and 1"),
    "level": ParameterKind(read_share, show_places, "a recall level between 0 and 1"),
    "multiple": ParameterKind(read_positive, show_places, "a number above 0"),
    "levels": ParameterKind(
        read_levels, show_numbers, "comma-separated recall levels between 0 and 1"
    ),
    "coefficients": ParameterKind(read_coefficients, show_numbers, "four comma-separated numbers"),
    "gains": ParameterKind(read_gains, show_gains, "gains by grade, such as 1=1,2=3"),
    "stand-in": ParameterKind(read_stand_in, show_plain, f"{', '.join(STAND_INS)} or a grade"),
    "choice": ParameterKind(str, show_plain, "one of the choices"),
}
