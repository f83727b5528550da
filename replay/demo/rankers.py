"""The runs of the demo, submitted by five fictional teams."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText
from replay.demo import fulltext, geometric, probabilistic
from replay.demo.words import DEPTH, Scored

Ranker = Callable[[Sequence[TopicText], Sequence[DocumentText]], Iterator[Scored]]

RRF_K = 60


class DemoRun(NamedTuple):
    """One run: team, run tag, description, priority within the team, and ranker."""

    team: str
    tag: str
    description: str
    priority: int
    ranker: Ranker


def rank_fusion(topics: Sequence[TopicText], documents: Sequence[DocumentText]) -> Iterator[Scored]:
    """Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009) of four different rankers."""
    parts = (
        probabilistic.rank_query_likelihood,
        fulltext.rank_prefixes,
        geometric.rank_tfidf,
        geometric.rank_by_name_parts,
    )
    merged: dict[str, dict[str, float]] = {topic.number: defaultdict(float) for topic in topics}
    for ranker in parts:
        ranks: dict[str, int] = defaultdict(int)
        for topic, docno, _ in ranker(topics, documents):
            ranks[topic] += 1
            merged[topic][docno] += 1 / (RRF_K + ranks[topic])
    for topic, scores in merged.items():
        rounded = ((round(score, 6), docno) for docno, score in scores.items())
        for score, docno in islice(sorted(rounded, reverse=True), DEPTH):
            yield topic, docno, score


_OKAPI, _PORTER = "Okapi Farm", "Porter and Daughters"
_COSINE, _PIGEON, _FUSION = "Cosine Cowboys", "Pigeonhole Society", "The Fusiliers"

RUNS = [
    DemoRun(_OKAPI, "okapi-title", "BM25 (k1=0.9, b=0.4), title query, body only", 1,
            probabilistic.rank_bm25),
    DemoRun(_OKAPI, "okapi-verbose", "BM25, question and narrative as query", 2,
            probabilistic.rank_verbose),
    DemoRun(_OKAPI, "okapi-feedback", "BM25 with RM3 pseudo-relevance feedback", 3,
            probabilistic.rank_with_feedback),
    DemoRun(_PORTER, "porter-weighted", "SQLite FTS5, Porter stems, names weighted fourfold", 1,
            fulltext.rank_weighted),
    DemoRun(_PORTER, "porter-plain", "SQLite FTS5 bm25() on whole words, all fields", 2,
            fulltext.rank_plain),
    DemoRun(_PORTER, "porter-prefix", "SQLite FTS5, word prefixes", 3,
            fulltext.rank_prefixes),
    DemoRun(_COSINE, "cowboy-tfidf", "Cosine of tf-idf vectors, whole topic as query", 1,
            geometric.rank_tfidf),
    DemoRun(_COSINE, "cowboy-4grams", "Cosine of character four-grams, first paragraph", 2,
            geometric.rank_ngrams),
    DemoRun(_PIGEON, "pigeon-dirichlet", "Query likelihood, Dirichlet smoothing", 1,
            probabilistic.rank_query_likelihood),
    DemoRun(_PIGEON, "pigeon-names", "Names only, split at case, dots and underscores", 2,
            geometric.rank_by_name_parts),
    DemoRun(_FUSION, "fusion-rrf", "Reciprocal rank fusion of four other rankers", 1, rank_fusion),
]  # fmt: skip
