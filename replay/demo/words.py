"""Tokenization and an inverted index, shared by the rankers."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText

DEPTH = 100
"""Maximum number of documents per topic in a run."""

_STOPPED = """\
a about all an and any are as at be been but by can do does each even for from get gets has have
how i if in into is it its may me more my no not of off on one only or other out own relevant
highly partly same should so some such than that the their them then there these they this to up
use used using was way what when where whether which who will with without you your
"""
STOP_WORDS = frozenset(_STOPPED.split())

Scored = tuple[str, str, float]
"""``(topic number, docno, score)``."""

_WORD = re.compile(r"[a-z]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def split_words(text: str) -> list[str]:
    """Sequences of letters or digits, lower case, without stop words."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def stem_words(text: str) -> list[str]:
    """Words without English plural and participle endings: a light stemmer."""
    return [_stem(word) for word in split_words(text)]


def split_name(name: str) -> list[str]:
    """``HTTPServer.do_GET`` as http, server, do, get; stemmed, short words kept whole."""
    return stem_words(_CAMEL.sub(" ", name))


@cache
def _stem(word: str) -> str:
    for ending, shortest in (("ies", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= shortest and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


@dataclass(frozen=True)
class InvertedIndex:
    """Postings of documents: term -> (document positions ascending, term frequencies)."""

    docnos: list[str]
    lengths: NDArray[np.float64]
    postings: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]
    bags: list[Counter[str]]

    def idf(self, term: str) -> float:
        """Robertson and Sparck Jones's weight, plus 1 in the logarithm to stay positive."""
        frequency = len(self.postings[term][0]) if term in self.postings else 0
        return float(np.log1p((len(self.docnos) - frequency + 0.5) / (frequency + 0.5)))

    def top(self, topic: str, scores: NDArray[np.float64]) -> Iterator[Scored]:
        """The top ``DEPTH`` positive scores, ties by docno descending as in trec_eval.

        Scores are rounded to six decimals first, so that a run file has them exactly.
        """
        rounded = np.round(scores, 6)
        positions = np.flatnonzero(rounded > 0)
        best = sorted(positions, key=lambda i: (rounded[i], self.docnos[i]), reverse=True)
        for position in best[:DEPTH]:
            yield topic, self.docnos[position], float(rounded[position])


def build_index(
    documents: Sequence[DocumentText], terms: Callable[[DocumentText], Iterable[str]]
) -> InvertedIndex:
    bags = [Counter(terms(document)) for document in documents]
    columns: dict[str, tuple[list[int], list[int]]] = {}
    for position, bag in enumerate(bags):
        for term, frequency in bag.items():
            where, often = columns.setdefault(term, ([], []))
            where.append(position)
            often.append(frequency)
    postings = {
        term: (np.array(where, np.int64), np.array(often, np.float64))
        for term, (where, often) in columns.items()
    }
    lengths = np.array([bag.total() for bag in bags], np.float64)
    return InvertedIndex([document.docno for document in documents], lengths, postings, bags)


def title_query(topic: TopicText) -> str:
    return topic.title


def short_query(topic: TopicText) -> str:
    return f"{topic.title} {topic.description}"


def long_query(topic: TopicText) -> str:
    return f"{topic.description} {topic.narrative}"


def whole_query(topic: TopicText) -> str:
    return f"{topic.title} {topic.description} {topic.narrative}"
