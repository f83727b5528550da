"""Generated runs and judgments of a campaign of any size, reproducible from one seed.

Each topic has 45,000 candidates, drawn by the square of a uniform number: of 150 runs that list
1,000 each, about 42,000 are different, which is 25 million pairs over 600 topics.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

SEED, CANDIDATES, SKEW = 20260101, 45_000, 2.0
DOCUMENTS = 10**8
Bytes = NDArray[np.uint8]


def topic_numbers(topics: int) -> list[str]:
    return [str(1001 + n) for n in range(topics)]


def build_run(number: int, topics: int, depth: int) -> bytes:
    """The text of the run ``number``, whose tag is ``make_tag(number)``."""
    rng = np.random.default_rng([SEED, number])
    return b"".join(build_topic(rng, t, depth, make_tag(number)) for t in topic_numbers(topics))


def make_tag(number: int) -> str:
    return f"run{number:03d}"


def build_topic(rng: np.random.Generator, topic: str, depth: int, tag: str) -> bytes:
    """``depth`` lines: those most candidates agree on are likely to come first."""
    listed = draw_candidates(rng, depth)
    merit = listed * np.exp(rng.normal(0.0, 1.0, len(listed)))
    listed = listed[np.argsort(merit, kind="stable")]
    ranks = np.arange(1, len(listed) + 1)
    columns = [
        spread_text(f"{topic} Q0 D", len(listed)), spread_digits(name_candidates(topic, listed), 8),
        spread_text(" ", len(listed)), strip_zeros(spread_digits(ranks, 5)),
        spread_text(" ", len(listed)), spread_digits(9_000_000 - 37 * ranks - listed % 7, 7),
        spread_text(f".5 {tag}\n", len(listed)),
    ]  # fmt: skip
    table = np.concatenate(columns, axis=1)
    return table[table != 0].tobytes()


def draw_candidates(rng: np.random.Generator, depth: int) -> NDArray[np.int64]:
    """Different candidates in random order."""
    drawn = (CANDIDATES * rng.random(3 * depth + 50) ** SKEW).astype(np.int64)
    _, first = np.unique(drawn, return_index=True)
    return drawn[np.sort(first)][:depth]


def name_candidates(topic: str, listed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Their docnos as numbers, other ones for each topic."""
    return (listed * 48_271 + int(topic) * 7_919) % DOCUMENTS


def spread_text(text: str, rows: int) -> Bytes:
    return np.tile(np.frombuffer(text.encode(), np.uint8), (rows, 1))


def spread_digits(numbers: NDArray[np.int64], width: int) -> Bytes:
    """One row of ASCII digits a number."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


def strip_zeros(digits: Bytes) -> Bytes:
    """Leading zeros become the byte 0, which is left out of the text."""
    leading = np.cumsum(digits != ord("0"), axis=1) == 0
    return np.where(leading, 0, digits).astype(np.uint8)


def iter_judgments(pairs: Iterator[tuple[str, str]]) -> Iterator[str]:
    """A qrels line for each pair: a tenth relevant, by the docno alone."""
    for topic, docno in pairs:
        value = int(docno[1:]) * 2_654_435_761 % 2**32 % 100
        yield f"{topic} 0 {docno} {2 if value < 3 else int(value < 10)}\n"
