"""The four runs over three topics of docs/pooling.md, and pools of them in a few words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile, takewhile
from typing import Any

from poolbench.pooling.candidates import RunListing
from poolbench.pooling.method import NextDocument
from poolbench.pooling.pool_builder import (
    Judge,
    PoolBudget,
    simulate_sessions,
    start_sessions,
    topic_priority,
)
from poolbench.pooling.registry import METHODS
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.session import PoolSession, PoolStep
from poolbench.pooling.spec_file import default_parameters
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import RunTable
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/pooling.md").read_text()
FLAT = " ".join(PAGE.split())
"""docs/pooling.md, and the same without its line ends."""

TOY = {
    "alpha": {"1": "abc", "2": "xy", "3": "k"}, "beta": {"1": "bad", "2": "yz"},
    "gamma": {"1": "ace", "3": "lkm"}, "delta": {"1": "", "2": "xyz", "3": "kl"},
}  # fmt: skip
"""Documents by run and topic, best first; each letter is a docno."""

QUERIES = {"1": "apples and daisies", "2": "zebras", "3": "kites in love"}
TEXTS = {
    "a": "apples", "b": "bread", "c": "cats and apples", "d": "daisies, apples", "e": "eggs",
    "x": "xylophones", "y": "yaks", "z": "zebras and yaks",
    "k": "kites", "l": "love of kites", "m": "mud",
}  # fmt: skip
"""What the documents are about, for methods that read."""

RELEVANT = {"1": "ad", "2": "z", "3": "kl"}


def run(tag: str, topics: Mapping[str, Sequence[str]]) -> RunTable:
    rows = [(t, docno, -float(n)) for t, docnos in topics.items() for n, docno in enumerate(docnos)]
    return run_from_rows(tag, rows)


def toy_runs() -> list[RunTable]:
    return [run(tag, topics) for tag, topics in TOY.items()]


def toy_listing(
    cutoff: int = 100, seed: int = 0, runs: Sequence[RunTable] | None = None
) -> RunListing:
    listing = build_listing(toy_runs() if runs is None else runs, cutoff, seed)
    return replace(listing, read=read, queries=QUERIES)


def read(docnos: Sequence[str]) -> list[str]:
    return [TEXTS[docno] for docno in docnos]


def step(method: str, documents: int | None = None, **values: Any) -> PoolStep:
    """A step with the defaults of its method; ``order`` and ``stop`` are the step's own."""
    own = {key: values.pop(key) for key in ("order", "stop") if key in values}
    known = METHODS[method]
    return PoolStep(known, default_parameters(known) | values, documents, **own)


def is_relevant(topic: str, docno: str) -> bool:
    return docno in RELEVANT[topic]


def order_of(session: PoolSession) -> str:
    """The documents in the order in which they were given, as one word."""
    return "".join(session.candidates.docnos[choice.doc] for choice in session.selected)


def rows_after(title: str) -> list[list[str]]:
    """The cells of the first table of docs/pooling.md behind ``title``, its head left out."""
    assert PAGE.count(title) == 1, title
    lines = dropwhile(lambda line: line[:1] != "|", PAGE.partition(title)[2].splitlines())
    rows = takewhile(lambda line: line[:1] == "|", lines)
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows][2:]


def orders(
    *steps: PoolStep, listing: RunListing | None = None, judge: Judge = is_relevant, **budget: int
) -> dict[str, str]:
    """By topic: what ``steps`` give, judged at once where that matters."""
    found = start_sessions(listing or toy_listing(), steps, PoolBudget(**budget))
    done = simulate_sessions(found, judge, PoolBudget(**budget))
    return {session.candidates.topic: order_of(session) for session in done}


def choose_next_in_any_topic(
    sessions: Sequence[PoolSession], total: int
) -> tuple[PoolSession, NextDocument] | None:
    """The next document of all topics; None once ``total`` documents, or all, are selected."""
    if sum(len(session.selected) for session in sessions) >= total:
        return None
    pending = [(session, choice) for session in sessions if (choice := session.next())]
    return min(pending, key=lambda pair: topic_priority(*pair), default=None)
