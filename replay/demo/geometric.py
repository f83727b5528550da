"""Vector space rankers: over words, character n-grams and parts of names."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText
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


def _rank_by_cosine(
    topics: Sequence[TopicText],
    documents: Sequence[DocumentText],
    *,
    terms: Callable[[DocumentText], Iterable[str]],
    query: Callable[[TopicText], Iterable[str]],
) -> Iterator[Scored]:
    index = build_index(documents, terms)
    squares = np.zeros(len(index.docnos))
    for term, (where, often) in index.postings.items():
        squares[where] += ((1 + np.log(often)) * index.idf(term)) ** 2
    norms = np.sqrt(np.maximum(squares, 1e-12))
    for topic in topics:
        yield from index.top(topic.number, _products(index, Counter(query(topic))) / norms)


def _products(index: InvertedIndex, query: Counter[str]) -> NDArray[np.float64]:
    products = np.zeros(len(index.docnos))
    for term in sorted(query.keys() & index.postings.keys()):
        where, often = index.postings[term]
        weight = (1 + np.log(query[term])) * index.idf(term) ** 2
        products[where] += weight * (1 + np.log(often))
    return products


def _grams(text: str) -> list[str]:
    padded = f" {' '.join(split_words(text))} "
    return [padded[i : i + GRAM] for i in range(len(padded) - GRAM + 1)]


def _begin_document(document: DocumentText) -> list[str]:
    """The four-grams of docno and first paragraph."""
    first = document.body.partition("\n\n")[0]
    return _grams(f"{' '.join(split_name(document.docno))} {first}")


rank_tfidf = partial(
    _rank_by_cosine,
    terms=lambda document: split_words(f"{document.title} {document.body}"),
    query=lambda topic: split_words(whole_query(topic)),
)
rank_ngrams = partial(
    _rank_by_cosine, terms=_begin_document, query=lambda topic: _grams(title_query(topic))
)
rank_by_name_parts = partial(
    _rank_by_cosine,
    terms=lambda document: split_name(document.docno),
    query=lambda topic: split_name(short_query(topic)),
)
