"""Rankers based on SQLite's full-text index FTS5 and its bm25()."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial

from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText
from replay.demo.words import DEPTH, Scored, short_query, split_words, title_query

PREFIX = 5
"""Letters of a word that the prefix ranker uses."""

_QUERY = (
    "SELECT docno, -bm25(docs, 0, {title}, 1.0) AS score FROM docs WHERE docs MATCH ?"
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


def _join_with_or(text: str, form: str = '"{}"') -> str:
    """The different words of ``text``, any of which matches."""
    return " OR ".join(map(form.format, dict.fromkeys(split_words(text))))


def _search(
    topics: Sequence[TopicText],
    documents: Sequence[DocumentText],
    *,
    query: Callable[[TopicText], str],
    tokenizer: str,
    title: float,
) -> Iterator[Scored]:
    statement = _QUERY.format(title=title, depth=DEPTH)
    with closing(sqlite3.connect(":memory:")) as connection:
        _fill(connection, documents, tokenizer)
        for topic in topics:
            for docno, score in connection.execute(statement, (query(topic),)):
                yield topic.number, docno, round(score, 6)


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


rank_plain = partial(
    _search, query=lambda topic: _join_with_or(short_query(topic)), tokenizer="unicode61", title=1.0
)
rank_weighted = partial(
    _search,
    query=lambda topic: _join_with_or(title_query(topic)),
    tokenizer="porter unicode61",
    title=4.0,
)
# ``compr*`` for compress and compression.
rank_prefixes = partial(
    _search,
    query=lambda topic: _join_with_or(short_query(topic), f'"{{:.{PREFIX}}}" *'),
    tokenizer="unicode61",
    title=2.0,
)
