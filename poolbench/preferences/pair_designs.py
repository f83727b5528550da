"""Which documents of a topic are compared: all pairs, or some for each document."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from poolbench.cards import Card, Parameter

Pair = tuple[str, str]
LEAST_PARTNERS = 2
"""With fewer comparisons per document the pairs would not be connected."""

PAIR_DESIGN = Card(
    name="pair_design",
    title="Pairs of documents to compare",
    formula="all pairs: N (N − 1) / 2\n"
    "n per document: the documents in random order on a circle, each compared with those at "
    "distance 1 … ⌊n/2⌋, and for odd n with the one opposite: ⌈n N / 2⌉ pairs",
    reading="Which of the N documents of a topic are compared, so that every document is compared "
    "equally often and a chain of comparisons joins any two.",
    source="Circulant designs of paired comparisons: David, The Method of Paired Comparisons, "
    "1988, section 5.2.",
    range="0 to N (N − 1) / 2 pairs",
    parameters=(
        Parameter("n", "Comparisons per document, at least 2; if n ≥ N − 1: all pairs."),
        Parameter("seed", "Draws the order on the circle and the order of the pairs."),
    ),
    edge_cases=(
        "If n and N are both odd, one document is compared once more.",
        "Fewer than 2 documents: no pairs.",
        "Neighbors on the circle are always compared, so all documents are connected.",
    ),
    example="N = 5 documents, n = 2: 5 pairs, a ring. N = 4, n = 3: all 6 pairs. N = 6, n = 3: "
    "9 pairs. N = 7, n = 3: 11 pairs, one document has 4.",
)


def draw_document_pairs(
    docnos: Sequence[str], per_document: int | None, rng: np.random.Generator
) -> list[Pair]:
    """Pairs of distinct ``docnos`` in random order; all pairs if ``per_document`` is None.

    The first of a pair is the lower docno; sides are drawn elsewhere. Raises ``ValueError`` for
    duplicate docnos and for less than ``LEAST_PARTNERS`` comparisons per document.
    """
    if len(set(docnos)) < len(docnos):
        raise ValueError("duplicate document")
    if per_document is not None and per_document < LEAST_PARTNERS:
        raise ValueError(f"at least {LEAST_PARTNERS} comparisons per document")
    # Sorted first: the order of the rows in a database decides nothing.
    listed = [sorted(docnos)[place] for place in rng.permutation(len(docnos))]
    if per_document is None or per_document >= len(listed) - 1:
        places = list(combinations(range(len(listed)), 2))
    else:
        places = list_circle_pairs(len(listed), per_document)
    pairs = [(listed[one], listed[other]) for one, other in places]
    return [min(pairs[at], pairs[at][::-1]) for at in rng.permutation(len(pairs))]


def list_circle_pairs(count: int, degree: int) -> list[tuple[int, int]]:
    """The edges of a circulant graph: ``degree`` for each of ``count`` places.

    ``LEAST_PARTNERS`` ≤ ``degree`` < ``count`` − 1. If both are odd, place 0 has one more.
    """
    near = range(1, degree // 2 + 1)
    edges = [(place, (place + step) % count) for step in near for place in range(count)]
    if degree % 2 and count % 2 == 0:
        edges += [(place, place + count // 2) for place in range(count // 2)]
    elif degree % 2:
        # (count − 1) / 2 has no common divisor with an odd count: one cycle through all places.
        cycle = [place * (count // 2) % count for place in range(count)]
        edges += [(cycle[at], cycle[(at + 1) % count]) for at in range(0, count, 2)]
    return edges


def count_document_pairs(count: int, per_document: int | None) -> int:
    """How many pairs ``draw_document_pairs`` draws of ``count`` documents."""
    if per_document is None or per_document >= count - 1:
        return count * (count - 1) // 2
    return -(-per_document * count // 2)
