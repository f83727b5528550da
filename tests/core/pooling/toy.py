"""The four runs over three topics of docs/pooling.md, and pools of them in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from campaigns.core.runs import run_from_rows
from campaigns.core.tables import RunTable
from pooling.core.building import Budget, Judge, sessions, simulated
from pooling.core.candidates import Listing
from pooling.core.gathering import listing_of_tables
from pooling.core.registry import METHODS
from pooling.core.session import Session, Step
from pooling.core.spec_file import defaults_of

TOY = {
    "alpha": {"1": "abc", "2": "xy", "3": "k"},
    "beta": {"1": "bad", "2": "yz"},
    "gamma": {"1": "ace", "3": "lkm"},
    "delta": {"1": "", "2": "xyz", "3": "kl"},
}
"""Documents by run and topic, best first; each letter is a docno."""

RELEVANT = {"1": "ad", "2": "z", "3": "kl"}


def run(tag: str, topics: Mapping[str, str]) -> RunTable:
    rows = [(t, docno, -float(n)) for t, docnos in topics.items() for n, docno in enumerate(docnos)]
    return run_from_rows(tag, rows)


def toy_runs() -> list[RunTable]:
    return [run(tag, topics) for tag, topics in TOY.items()]


def toy_listing(cutoff: int = 100, seed: int = 0) -> Listing:
    return listing_of_tables(toy_runs(), cutoff, seed)


def step(method: str, documents: int | None = None, **values: Any) -> Step:
    """A step with the defaults of its method; ``order`` and ``stop`` are the step's own."""
    own = {key: values.pop(key) for key in ("order", "stop") if key in values}
    known = METHODS[method]
    return Step(known, defaults_of(known) | values, documents, **own)


def is_relevant(topic: str, docno: str) -> bool:
    return docno in RELEVANT[topic]


def order_of(session: Session) -> str:
    """The documents in the order in which they were given, as one word."""
    return "".join(session.candidates.docnos[choice.doc] for choice in session.given)


def orders(
    *steps: Step, listing: Listing | None = None, judge: Judge = is_relevant, **budget: int
) -> dict[str, str]:
    """By topic: what ``steps`` give, judged at once where that matters."""
    found = sessions(listing or toy_listing(), steps, Budget(**budget))
    return {s.candidates.topic: order_of(simulated(s, judge)) for s in found}
