"""BM25, pseudo-relevance feedback on BM25, and query likelihood, over our own index."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText
from replay.demo.words import (
    InvertedIndex,
    Scored,
    build_index,
    long_query,
    stem_words,
    title_query,
)

K1, B = 0.9, 0.4
FEEDBACK_DOCUMENTS, FEEDBACK_TERMS, FEEDBACK_SHARE = 8, 20, 0.5
DIRICHLET = 80.0
"""Pseudo-count of the collection model; docstrings are short."""


def rank_with_feedback(
    topics: Sequence[TopicText], documents: Sequence[DocumentText]
) -> Iterator[Scored]:
    """BM25 with RM3 pseudo-relevance feedback."""
    index = build_index(documents, _docno_and_body)
    for topic in topics:
        query = _share(Counter(stem_words(title_query(topic))))
        first = bm25_scores(index, query)
        yield from index.top(topic.number, bm25_scores(index, _expand_query(index, query, first)))


def rank_query_likelihood(
    topics: Sequence[TopicText], documents: Sequence[DocumentText]
) -> Iterator[Scored]:
    """Query likelihood of the title with Dirichlet smoothing, relative to no match."""
    index = build_index(documents, _docno_and_body)
    total = float(index.lengths.sum())
    for topic in topics:
        scores = np.zeros(len(index.docnos))
        for term in (term for term in stem_words(title_query(topic)) if term in index.postings):
            where, often = index.postings[term]
            scores[where] += np.log1p(often / (DIRICHLET * often.sum() / total))
        matching = scores > 0
        penalty = len(stem_words(title_query(topic))) * np.log(
            DIRICHLET / (index.lengths + DIRICHLET)
        )
        # Scores of a topic are shifted by a constant, since only positive ones enter a run.
        yield from index.top(topic.number, np.where(matching, scores + penalty + 50, 0))


def bm25_scores(index: InvertedIndex, query: Mapping[str, float]) -> NDArray[np.float64]:
    """One BM25 score per document for a query of weighted terms."""
    scores = np.zeros(len(index.docnos))
    norm = K1 * (1 - B + B * index.lengths / index.lengths.mean())
    for term in sorted(query.keys() & index.postings.keys()):
        where, often = index.postings[term]
        scores[where] += query[term] * index.idf(term) * often / (often + norm[where])
    return scores


def _rank_by_bm25(
    topics: Sequence[TopicText],
    documents: Sequence[DocumentText],
    *,
    terms: Callable[[DocumentText], list[str]],
    query: Callable[[TopicText], str],
) -> Iterator[Scored]:
    index = build_index(documents, terms)
    for topic in topics:
        yield from index.top(topic.number, bm25_scores(index, Counter(stem_words(query(topic)))))


def _expand_query(
    index: InvertedIndex, query: Mapping[str, float], scores: NDArray[np.float64]
) -> dict[str, float]:
    """Relevance model of the top documents, interpolated with the query (RM3)."""
    best = np.lexsort((np.arange(len(scores)), -scores))[:FEEDBACK_DOCUMENTS]
    model: Counter[str] = Counter()
    for position in best:
        for term, frequency in index.bags[position].items():
            weight = scores[position] * frequency / index.lengths[position]
            model[term] += weight * index.idf(term)
    terms = sorted(model.items(), key=lambda item: (-item[1], item[0]))[:FEEDBACK_TERMS]
    expansion = _share(dict(terms))
    return {
        term: (1 - FEEDBACK_SHARE) * query.get(term, 0) + FEEDBACK_SHARE * expansion.get(term, 0)
        for term in query.keys() | expansion.keys()
    }


def _share(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _docno_and_body(document: DocumentText) -> list[str]:
    return stem_words(f"{document.docno} {document.body}")


rank_bm25 = partial(
    _rank_by_bm25, terms=lambda document: stem_words(document.body), query=title_query
)
rank_verbose = partial(_rank_by_bm25, terms=_docno_and_body, query=long_query)
