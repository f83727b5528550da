"""The shapes of pooling methods: an order, a sample, or a player that learns from judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, Ints, Mask, TopicCandidates

Values = Mapping[str, Any]
"""The parameters of a method by name, all of them, as ``spec.py`` has checked them."""

EARLIER = -1
"""Stands for the run when a document was not played by one, but came of an earlier step."""


class NextDocument(NamedTuple):
    """The document to judge next, and the run that plays it (or ``EARLIER``: no one run)."""

    doc: int
    run: int = EARLIER


class AdaptivePlayer(Protocol):
    """An adaptive method on one topic. What it has been told is all that it knows.

    ``choose`` changes nothing, so that it can be asked again. ``open`` marks the documents that
    nobody has been given yet, of which there is one at least; what somebody has been given and
    not judged is not open and not told. ``step`` counts the documents given so far, and is
    what chance hangs on besides the seed.
    """

    def choose(self, available: Mask, step: int) -> NextDocument: ...

    def judged(self, choice: NextDocument, relevant: bool) -> None: ...


@runtime_checkable
class ComparablePlayer(Protocol):
    """A player that can be compared with those of other topics: the most urgent comes first."""

    def urgency(self, available: Mask) -> float: ...


@runtime_checkable
class FinishingPlayer(Protocol):
    """A player that knows when it has seen enough."""

    def settled(self) -> bool: ...


@runtime_checkable
class MemoryPlayer(Protocol):
    """A player that has ``cells`` more numbers in memory than runs × documents."""

    @property
    def cells(self) -> int: ...


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """A sample of one topic. ``frame`` are all documents it was drawn from, with the
    ``stratum`` (from 1; 0: none) and the inclusion ``probability`` of each; ``drawn`` those drawn.
    """

    frame: Ints
    stratum: Ints
    probability: Floats
    drawn: Mask


@dataclass(frozen=True)
class PoolingMethod:
    """One of three. ``order`` gives the documents that it wants, best first; those not marked
    ``open`` are in the pool already, and are passed over if it names them. ``sample`` draws among
    the documents that are marked ``open``, ``documents`` of them if the step says how many.
    ``player`` starts an adaptive method. ``reach`` tells by run down to which rank it looks (else:
    down to the cut-off). ``reads`` says that it needs texts.
    """

    card: Card
    order: Callable[[TopicCandidates, Values, Mask], Ints] | None = None
    sample: Callable[[TopicCandidates, Values, Mask, int | None], DocumentSample] | None = None
    player: Callable[[TopicCandidates, Values], AdaptivePlayer] | None = None
    reach: Callable[[TopicCandidates, Values], Ints] | None = None
    reads: bool = False

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def kind(self) -> str:
        """``static``, ``sampled`` or ``adaptive``."""
        if self.player is not None:
            return "adaptive"
        return "static" if self.order is not None else "sampled"


def score_based_method(
    card: Card, scores: Callable[[TopicCandidates, Values], Floats]
) -> PoolingMethod:
    """The static method that takes all documents by ``scores`` descending."""

    def order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:  # noqa: ARG001
        return candidates.best_first(scores(candidates, values))

    return PoolingMethod(card, order=order)
