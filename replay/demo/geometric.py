"""Vector space rankers: over words, character n-grams and parts of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from campaigns.core.documents import DocumentText
from campaigns.core.topics import TopicText
from replay.demo.words import (
    InvertedIndex,
    Scored,
    build_index,
    short_query,
    split_name,
    split_words,
    title_query,
    whole_query,
)

GRAM = 4


def rank_tfidf(topics: Sequence[TopicText], documents: Sequence[DocumentText]) -> Iterator[Scored]:
    """Cosine of log tf times idf, words of the whole topic."""

    def terms(document: DocumentText) -> list[str]:
        return split_words(f"{document.title} {document.body}")

    return _cosine_run(topics, documents, terms, lambda topic: split_words(whole_query(topic)))


def rank_ngrams(topics: Sequence[TopicText], documents: Sequence[DocumentText]) -> Iterator[Scored]:
    """Cosine over character four-grams of docno and first paragraph."""

    def terms(document: DocumentText) -> list[str]:
        first = document.body.partition("\n\n")[0]
        return _grams(f"{' '.join(split_name(document.docno))} {first}")

    return _cosine_run(topics, documents, terms, lambda topic: _grams(title_query(topic)))


def rank_by_name_parts(
    topics: Sequence[TopicText], documents: Sequence[DocumentText]
) -> Iterator[Scored]:
    """Parts of dotted, camel case and underscored names against title and question."""

    def terms(document: DocumentText) -> list[str]:
        return split_name(document.docno)

    return _cosine_run(topics, documents, terms, lambda topic: split_name(short_query(topic)))


def _cosine_run(
    topics: Sequence[TopicText],
    documents: Sequence[DocumentText],
    terms: Callable[[DocumentText], Iterable[str]],
    query: Callable[[TopicText], Iterable[str]],
) -> Iterator[Scored]:
    index = build_index(documents, terms)
    norms = _norms(index)
    for topic in topics:
        yield from index.top(topic.number, _products(index, Counter(query(topic))) / norms)


def _products(index: InvertedIndex, query: Counter[str]) -> NDArray[np.float64]:
    products = np.zeros(len(index.docnos))
    for term in sorted(query.keys() & index.postings.keys()):
        where, often = index.postings[term]
        weight = (1 + np.log(query[term])) * index.idf(term) ** 2
        products[where] += weight * (1 + np.log(often))
    return products


def _norms(index: InvertedIndex) -> NDArray[np.float64]:
    squares = np.zeros(len(index.docnos))
    for term, (where, often) in index.postings.items():
        squares[where] += ((1 + np.log(often)) * index.idf(term)) ** 2
    return np.sqrt(np.maximum(squares, 1e-12))


def _grams(text: str) -> list[str]:
    padded = f" {' '.join(split_words(text))} "
    return [padded[i : i + GRAM] for i in range(len(padded) - GRAM + 1)]
