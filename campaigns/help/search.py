"""Search in the pages of the help: BM25 over headings and texts, with the matches marked.

BM25F (Robertson, Zaragoza and Taylor 2004): a word counts by its field (a passage's own heading,
the headings above it, its text), summed before it saturates. Words are cut to a stem by few rules
of English; a word of the query also matches the words that it begins, at half the weight.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from campaigns.help.pages import HelpPassage

MAX_QUERY = 100
MAX_WORDS = 8
"""Characters and words of a query that are used."""
MANY, FEW = 30, 5
"""Matches that are listed, and where a word of the query is unknown."""
K1, B = 1.2, 0.6
OWN_HEADING, UPPER_HEADING, TEXT = 6.0, 1.5, 1.0
FULL_HEADING, EXACT_HEADING = 1.5, 2.0
PREFIX_WEIGHT = 0.5
MIN_PREFIX = 3
EXCERPT_WORDS = 32
_WORD = re.compile(r"[\w@]+(?:[-.'’][\w@]+)*")
_PART = re.compile(r"[-.'’]")
_STOP_WORDS = frozenset(
    """
    a am an and are as at be by can do does for from have how i if in is it its mean me my of on
    or our should so the their there this to we what when where which who why will with you your
    """.split()  # noqa: SIM905 (a list of words reads better as text)
)


@dataclass(frozen=True)
class ExcerptPart:
    """Text of an excerpt; whether it matches the query."""

    text: str
    matches: bool


@dataclass(frozen=True)
class HelpMatch:
    """A passage that matches, its score, and its heading and an excerpt with the matches."""

    passage: HelpPassage
    score: float
    heading: tuple[ExcerptPart, ...]
    excerpt: tuple[ExcerptPart, ...]

    @property
    def place(self) -> str:
        """The page with the anchor, as in ``campaigns.help.guide``."""
        anchor = self.passage.anchor
        return f"{self.passage.page}#{anchor}" if anchor else self.passage.page

    @property
    def path(self) -> str:
        """The headings above, the page's own first."""
        return " › ".join(self.passage.headings[:-1])


@dataclass(frozen=True)
class HelpIndex:
    """Passages with the weighted frequency of each stem, and in how many passages it occurs.

    ``headings``: the stems of each passage's own heading.
    """

    passages: tuple[HelpPassage, ...]
    headings: tuple[frozenset[str], ...]
    frequencies: tuple[dict[str, float], ...]
    lengths: tuple[float, ...]
    document_counts: dict[str, int]


def build_help_index(passages: Iterable[HelpPassage]) -> HelpIndex:
    """An index of ``passages``; those without any word below their own heading are kept as well."""
    rows = tuple(passages)
    frequencies, lengths = [], []
    for passage in rows:
        weights: defaultdict[str, float] = defaultdict(float)
        *upper, own = passage.headings
        for texts, weight in (([own], OWN_HEADING), (upper, UPPER_HEADING), ([passage.text], TEXT)):
            for stem in (stem for text in texts for stem in list_stems(text)):
                weights[stem] += weight
        frequencies.append(dict(weights))
        lengths.append(float(len(passage.text.split()) + len(passage.headings)))
    counts = Counter(stem for weights in frequencies for stem in weights)
    headings = tuple(frozenset(_list_content(passage.headings[-1])) for passage in rows)
    return HelpIndex(rows, headings, tuple(frequencies), tuple(lengths), dict(counts))


def search_passages(index: HelpIndex, query: str, limit: int = MANY) -> list[HelpMatch]:
    """At most ``limit`` passages, the best first; none for a query without words.

    Only passages with all words of the query match if there are any, otherwise those with some.
    Uses the first ``MAX_QUERY`` characters and ``MAX_WORDS`` words of the query.
    """
    stems = list_query_stems(query)
    if not stems:
        return []
    expanded = [_expand(index, stem) for stem in stems]
    mean_length = sum(index.lengths) / max(len(index.lengths), 1)
    scored = []
    for at, frequencies in enumerate(index.frequencies):
        length = 1 - B + B * index.lengths[at] / mean_length
        scores = [_score_word(index, frequencies, words, length) for words in expanded]
        if hits := sum(1 for score in scores if score):
            weight = index.passages[at].weight * _weigh_heading(index.headings[at], stems)
            scored.append((hits, sum(scores) * weight, at))
    best = max((hits for hits, _, _ in scored), default=0)
    ranked = sorted(((score, at) for hits, score, at in scored if hits == best), reverse=True)
    return [_make_match(index.passages[at], score, stems) for score, at in ranked[:limit]]


def list_unknown_words(index: HelpIndex, query: str) -> list[str]:
    """The words of a query, without stop words, that no passage has and none begins with."""
    words = list(dict.fromkeys(_WORD.findall(query[:MAX_QUERY].lower())))[:MAX_WORDS]
    stems = {word: tuple(list_stems(word)) for word in words if word not in _STOP_WORDS}
    known = index.document_counts
    return [word for word in stems if not any(stem.startswith(stems[word]) for stem in known)]


def list_query_stems(query: str) -> list[str]:
    """The different stems of a query without stop words, unless it has no others."""
    return list(dict.fromkeys(_list_content(query[:MAX_QUERY])))[:MAX_WORDS]


def _list_content(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    content = [word for word in words if word not in _STOP_WORDS] or words
    return list(list_stems(" ".join(content)))


def list_stems(text: str) -> Iterator[str]:
    """The stem of each word; of ``bpref-10`` also the word and the stems of its parts."""
    for word in _WORD.findall(text.lower()):
        yield from _cut_parts(word)


@lru_cache(maxsize=20_000)
def _cut_parts(word: str) -> tuple[str, ...]:
    parts = [part for part in _PART.split(word) if part]
    whole = (word,) if len(parts) > 1 else ()
    return (*whole, *map(cut_word, parts))


def cut_word(word: str) -> str:
    """A word without plural, -ing, -ed and final e; short words and codes stay.

    >>> [cut_word(word) for word in ("judges", "judging", "submitted", "qrels", "e07")]
    ['judg', 'judg', 'submit', 'qrel', 'e07']
    """
    if len(word) < 4 or not word.isalpha():
        return word
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def mark_matches(text: str, stems: Sequence[str]) -> tuple[ExcerptPart, ...]:
    """``text`` in parts, words that match a stem of the query apart."""
    parts: list[ExcerptPart] = []
    end = 0
    for word in _WORD.finditer(text):
        if _is_match(word[0], stems):
            parts.append(ExcerptPart(text[end : word.start()], False))
            parts.append(ExcerptPart(word[0], True))
            end = word.end()
    parts.append(ExcerptPart(text[end:], False))
    return tuple(part for part in parts if part.text)


def _is_match(word: str, stems: Sequence[str]) -> bool:
    own = set(list_stems(word))
    return any(
        stem in own or (len(stem) >= MIN_PREFIX and any(other.startswith(stem) for other in own))
        for stem in stems
    )


def _expand(index: HelpIndex, stem: str) -> list[tuple[str, float]]:
    """The stem of a query and the indexed stems that it begins, with their weights."""
    words = [(stem, 1.0)]
    if len(stem) >= MIN_PREFIX:
        longer = (other for other in index.document_counts if other.startswith(stem))
        words += [(other, PREFIX_WEIGHT) for other in longer if other != stem]
    return words


def _weigh_heading(heading: frozenset[str], stems: Sequence[str]) -> float:
    """More for a heading that has all words of the query, most for one that has no others."""
    if not heading.issuperset(stems):
        return 1.0
    return FULL_HEADING if len(heading) > len(stems) else EXACT_HEADING


def _score_word(
    index: HelpIndex, frequencies: dict[str, float], words: list[tuple[str, float]], length: float
) -> float:
    """The best score of a word of the query among the stems that it stands for."""
    best = 0.0
    for stem, weight in words:
        if frequency := frequencies.get(stem):
            count = index.document_counts[stem]
            rarity = math.log(1 + (len(index.passages) - count + 0.5) / (count + 0.5))
            saturated = frequency / length / (K1 + frequency / length)
            best = max(best, weight * rarity * saturated)
    return best


def _make_match(passage: HelpPassage, score: float, stems: Sequence[str]) -> HelpMatch:
    heading = mark_matches(passage.headings[-1], stems)
    return HelpMatch(passage, score, heading, mark_matches(_cut(passage.text, stems), stems))


def _cut(text: str, stems: Sequence[str]) -> str:
    """The part of a text with the most matches, from the beginning of a sentence where possible."""
    words = text.split()
    if len(words) <= EXCERPT_WORDS:
        return text
    hits = [int(_is_match(word, stems)) for word in words]
    windows = range(len(words) - EXCERPT_WORDS + 1)
    start = max(windows, key=lambda at: (sum(hits[at : at + EXCERPT_WORDS]), -at))
    for at in range(start, max(start - 12, -1), -1):
        if at == 0 or words[at - 1].endswith((".", ":", "?")):
            start = at
            break
    end = start + EXCERPT_WORDS
    cut = " ".join(words[start:end])
    return f"{'… ' if start else ''}{cut}{' …' if end < len(words) else ''}"
