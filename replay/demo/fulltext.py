"""Rankers based on SQLite's full-text index FTS5 and its bm25()."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

from campaigns.core.documents import DocumentText
from campaigns.core.topics import TopicText
from replay.demo.words import DEPTH, Scored, short_query, split_words, title_query

PREFIX = 5
"""Letters of a word that the prefix ranker uses."""

_QUERY = (
    "SELECT docno, -bm25(docs, 0, {title}, {body}) AS score FROM docs WHERE docs MATCH ?"
    " ORDER BY round(score, 6) DESC, docno DESC LIMIT {depth}"
)


class NoFullText(RuntimeError):  # noqa: N818 -- it says what is missing
    """This Python's SQLite was built without FTS5."""

    def __init__(self) -> None:
        super().__init__(
            f"SQLite {sqlite3.sqlite_version} of this Python has no FTS5 full-text index, which"
            " three of the demonstration's rankers need. Use a Python whose sqlite3 has it (those"
            " from python.org, Debian, Fedora, Homebrew and uv do)."
        )


def rank_plain(topics: Sequence[TopicText], documents: Sequence[DocumentText]) -> Iterator[Scored]:
    """Whole words of title and question, all fields weighted equally."""
    queries = {topic.number: _join_with_or(split_words(short_query(topic))) for topic in topics}
    return _search(documents, queries, "unicode61", title=1.0, body=1.0)


def rank_weighted(
    topics: Sequence[TopicText], documents: Sequence[DocumentText]
) -> Iterator[Scored]:
    """Porter stems of the title, docnos and titles weighted fourfold."""
    queries = {topic.number: _join_with_or(split_words(title_query(topic))) for topic in topics}
    return _search(documents, queries, "porter unicode61", title=4.0, body=1.0)


def rank_prefixes(
    topics: Sequence[TopicText], documents: Sequence[DocumentText]
) -> Iterator[Scored]:
    """Prefixes of the words of title and question: ``compr*`` for compress and compression."""
    queries = {
        topic.number: " OR ".join(f'"{word[:PREFIX]}" *' for word in _once(short_query(topic)))
        for topic in topics
    }
    return _search(documents, queries, "unicode61", title=2.0, body=1.0)


def _once(text: str) -> list[str]:
    return list(dict.fromkeys(split_words(text)))


def _join_with_or(terms: list[str]) -> str:
    return " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))


def _search(
    documents: Sequence[DocumentText],
    queries: dict[str, str],
    tokenizer: str,
    *,
    title: float,
    body: float,
) -> Iterator[Scored]:
    statement = _QUERY.format(title=title, body=body, depth=DEPTH)
    with closing(sqlite3.connect(":memory:")) as connection:
        _fill(connection, documents, tokenizer)
        for topic, query in queries.items():
            for docno, score in connection.execute(statement, (query,)):
                yield topic, docno, round(score, 6)


def _fill(
    connection: sqlite3.Connection, documents: Sequence[DocumentText], tokenizer: str
) -> None:
    try:
        connection.execute(
            "CREATE VIRTUAL TABLE docs USING"
            f" fts5(docno UNINDEXED, title, body, tokenize='{tokenizer}', prefix='{PREFIX}')"
        )
    except sqlite3.OperationalError as error:
        raise NoFullText from error
    rows = ((d.docno, re.sub(r"[._]", " ", d.title), d.body) for d in documents)
    connection.executemany("INSERT INTO docs VALUES (?, ?, ?)", rows)
