"""Documents with the same text, and with nearly the same.

Texts are compared without what a reader overlooks: Unicode compatibility forms (NFKC), case and
white space, to which the page ends of a PDF belong. Equal then: *duplicates*. *Near duplicates*
share at least ``NEAR`` of their sequences of three words (Jaccard), as estimated by MinHash
(Broder, "On the resemblance and containment of documents", 1997): of 300 words about 7 % may be
others. Written for arrays, as the memory of a general library holds 100,000 documents only with
difficulty (docs/decisions/0111-duplicates.md).
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b, sha256
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from poolbench.texts.markup import strip_markup

NEAR = 0.65
SEQUENCE = 3
"""Words of a sequence. Shorter texts have no near duplicates."""
BANDS, BAND_HASHES = 32, 4
HASHES = BANDS * BAND_HASHES
LETTERS_OF_WORD = 20
"""With more on average, a text is compared by letters: Chinese has no blanks."""
MOST_ALIKE = 40
"""Texts with one value of a band, up to which each is compared with each other."""
BATCH = 200
FORM = f"1 {unicodedata.unidata_version}"
"""Of hashes and signatures: those of another form are not compared. Changed with any of the above,
and with the functions that make them.
"""

Signature = NDArray[np.int32]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TextSignatures:
    """Of texts in order: the sha256 of each when normalized, "" without any words; its MinHash
    ``signatures``, ``HASHES`` numbers each; which are long enough to have one.
    """

    sha256: tuple[str, ...]
    signatures: Signature
    signed: NDArray[np.bool_]


@dataclass(frozen=True)
class TextGroup:
    """``members``: places of at least two texts, the first of which all others resemble."""

    members: tuple[int, ...]


def normalize_text(text: str) -> str:
    """``text`` as it is compared: NFKC, without case, one blank for any white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def extract_plain_text(title: str, body: str, *, is_html: bool = False) -> str:
    """What an assessor reads of a document, as one text."""
    return f"{title}\n{strip_markup(body) if is_html else body}"


def sign_texts(texts: Iterable[str]) -> TextSignatures:
    """Hashes and signatures of ``texts``. They depend on nothing but each text."""
    digests: list[str] = []
    blocks: list[Signature] = []
    long_enough: list[bool] = []
    numbers_by_word: dict[str, int] = {}
    for part in iter_parts(texts):
        sequences = []
        for text in map(normalize_text, part):
            digests.append(sha256(text.encode("utf-8", "replace")).hexdigest() if text else "")
            sequences.append(hash_sequences(split_into_words(text), numbers_by_word))
        long_enough += [len(hashes) > 0 for hashes in sequences]
        blocks.append(compute_signatures(sequences))
    rows = np.concatenate(blocks) if blocks else np.zeros((0, HASHES), np.int32)
    return TextSignatures(tuple(digests), rows, np.array(long_enough, np.bool_))


def iter_parts(texts: Iterable[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for text in texts:
        part.append(text)
        if len(part) == BATCH:
            yield part
            part = []
    if part:
        yield part


def split_into_words(text: str) -> list[str]:
    words = text.split()
    return list("".join(words)) if len(text) > LETTERS_OF_WORD * len(words) else words


def hash_sequences(words: Sequence[str], numbers_by_word: dict[str, int]) -> Hashes:
    """A number for each different sequence of ``SEQUENCE`` words; ``numbers_by_word`` is filled."""
    # Not the difference of a set and the keys of a dict, which goes through all keys.
    for word in set(words):
        if word not in numbers_by_word:
            digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            numbers_by_word[word] = int.from_bytes(digest, "little")
    numbers = np.array([numbers_by_word[word] for word in words], np.uint64)
    count = max(len(words) - SEQUENCE + 1, 0)
    mixed = np.zeros(count, np.uint64)
    for place, factor in enumerate(draw_odd_numbers(SEQUENCE, seed=1)):
        mixed = (mixed ^ (mixed >> np.uint64(29))) + numbers[place : place + count] * factor
    mixed = (mixed ^ (mixed >> np.uint64(32))) * draw_odd_numbers(1, seed=2)[0]
    return np.unique(mixed ^ (mixed >> np.uint64(29)))


def compute_signatures(sequences: Sequence[Hashes]) -> Signature:
    """A row for each text: the least value of each of ``HASHES`` functions over its sequences."""
    rows = np.zeros((len(sequences), HASHES), np.int32)
    filled = [at for at, hashes in enumerate(sequences) if len(hashes)]
    if not filled:
        return rows
    # 32 bits are enough to compare, and twice as fast.
    joined = (np.concatenate([sequences[at] for at in filled]) >> np.uint64(32)).astype(np.uint32)
    starts = np.cumsum([0, *(len(sequences[at]) for at in filled[:-1])])
    for column, factor in enumerate(draw_odd_numbers(HASHES, seed=3)):
        values = joined * np.uint32(factor & np.uint64(0xFFFFFFFF))
        rows[filled, column] = np.minimum.reduceat(values, starts).view(np.int32)
    return rows


@cache
def draw_odd_numbers(count: int, seed: int) -> list[np.uint64]:
    """Factors of the hash functions, always the same."""
    rng = np.random.default_rng(seed)
    return list(rng.integers(1, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + np.uint64(1))


def group_duplicates(texts: TextSignatures) -> list[TextGroup]:
    """Groups of duplicates and near duplicates, in the order of their first texts.

    A text joins the first earlier text that it resembles and that has not itself joined another:
    so every member is as near to the first as ``NEAR`` says, and no chain leads far away.
    """
    same: dict[str, list[int]] = defaultdict(list)
    for place, digest in enumerate(texts.sha256):
        if digest:
            same[digest].append(place)
    firsts = np.array([places[0] for places in same.values()], np.int64)
    signed = firsts[texts.signed[firsts]] if len(firsts) else firsts
    leader = join_near_texts(texts.signatures, signed)
    groups: dict[int, list[int]] = defaultdict(list)
    for places in same.values():
        groups[leader.get(places[0], places[0])] += places
    return [
        TextGroup((first, *sorted(set(members) - {first})))
        for first, members in sorted(groups.items())
        if len(members) > 1
    ]


def join_near_texts(signatures: Signature, places: NDArray[np.int64]) -> dict[int, int]:
    """By place, the earlier place whose group it joins."""
    leader: dict[int, int] = {}
    for pair in list_near_pairs(signatures, places):
        first, second = int(pair[0]), int(pair[1])
        if first not in leader and second not in leader:
            leader[second] = first
    return leader


def list_near_pairs(signatures: Signature, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of ``places`` at least ``NEAR`` alike, by the second, then the first."""
    candidates = [np.zeros((0, 2), np.int64), *iter_candidates(signatures, places)]
    pairs = np.unique(np.concatenate(candidates), axis=0)
    near = np.zeros(len(pairs), np.bool_)
    for start in range(0, len(pairs), 10_000):
        part = pairs[start : start + 10_000]
        alike = signatures[part[:, 0]] == signatures[part[:, 1]]
        near[start : start + 10_000] = alike.mean(axis=1) >= NEAR
    pairs = pairs[near]
    return pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))]


def iter_candidates(
    signatures: Signature, places: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    """Pairs of places, the earlier first, that agree in all hashes of some band."""
    for band in range(BANDS):
        columns = signatures[places, band * BAND_HASHES : (band + 1) * BAND_HASHES]
        keys = np.ascontiguousarray(columns).view(np.uint64)
        mixed = keys[:, 0] * draw_odd_numbers(1, seed=4)[0] ^ keys[:, 1]
        order = np.argsort(mixed, kind="stable")
        ends = np.flatnonzero(np.diff(mixed[order])) + 1
        alike = split_alike(order, ends)
        pairs = [pair for members in alike for pair in list_alike_pairs(places[members])]
        yield np.array(pairs, np.int64).reshape(-1, 2)


def split_alike(order: NDArray[np.int64], ends: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The runs of ``order`` between ``ends`` that have two members or more."""
    starts, stops = np.append(0, ends), np.append(ends, len(order))
    several = np.flatnonzero(stops - starts > 1)
    return [order[starts[at] : stops[at]] for at in several]


def list_alike_pairs(members: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Each with each other, sorted as they are; of very many only the first with all others."""
    rows = sorted(members.tolist())
    if len(rows) <= MOST_ALIKE:
        yield from combinations(rows, 2)
    else:
        yield from ((rows[0], row) for row in rows[1:])
