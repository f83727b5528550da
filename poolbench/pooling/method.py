"""The kinds of pooling methods: an order, a sample, or a player that uses judgments."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from poolbench.cards import Card
from poolbench.pooling.candidates import Floats, Ints, Mask, RunListing, TopicCandidates

Values = Mapping[str, Any]
"""All parameters of a method by name, as checked by ``spec_file.py``."""

EARLIER = -1
"""In place of the run: the document was not played by a run but selected by an earlier step."""


class NextDocument(NamedTuple):
    """The document to judge next, and the run that plays it (``EARLIER``: no single run)."""

    doc: int
    run: int = EARLIER


class AdaptivePlayer(ABC):
    """An adaptive method on one topic. It knows only the judgments passed to ``observe``.

    ``choose`` has no side effects and can be repeated. ``available`` marks the documents not yet
    selected, at least one; a document selected but not judged is neither available nor observed.
    ``step`` counts the documents selected so far and, with the seed, determines all randomness.
    """

    @abstractmethod
    def choose(self, available: Mask, step: int) -> NextDocument: ...

    @abstractmethod
    def observe(self, choice: NextDocument, relevant: bool) -> None: ...

    def urgency(self, available: Mask) -> float | None:  # noqa: ARG002
        """For methods that compare topics: the most urgent one comes first."""
        return None

    def is_finished(self) -> bool:
        """Whether its step ends early."""
        return False

    @property
    def cells(self) -> int:
        """Numbers in memory beyond runs × documents."""
        return 0


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """A sample of one topic. ``frame`` lists the sampling frame, with the ``stratum`` (from 1;
    0: none) and the inclusion ``probability`` of each document; ``sampled`` marks those drawn.
    """

    frame: Ints
    stratum: Ints
    probability: Floats
    sampled: Mask


DocumentOrder = Callable[[TopicCandidates, Values, Mask], Ints]


@dataclass(frozen=True)
class ScoreOrder:
    """The order of documents by descending ``scores``."""

    scores: Callable[[TopicCandidates, Values], Floats]

    def __call__(self, candidates: TopicCandidates, values: Values, _: Mask) -> Ints:
        return candidates.best_first(self.scores(candidates, values))


@dataclass(frozen=True, kw_only=True)
class PoolingMethod(Card):
    """One of three kinds. ``order`` returns documents best first; those not marked ``available``
    are in the pool already and are skipped. ``sample`` draws from the ``available`` documents,
    ``documents`` of them if the step limits their number; ``draw`` does so from all topics at once,
    and is then the only step. ``player`` starts an adaptive method.
    ``reach`` is the last rank used, by run (None: the cut-off). ``reads``: it needs texts.
    """

    order: DocumentOrder | None = None
    sample: Callable[[TopicCandidates, Values, Mask, int | None], DocumentSample] | None = None
    draw: Callable[[RunListing, Values], list[DocumentSample]] | None = None
    player: Callable[[TopicCandidates, Values], AdaptivePlayer] | None = None
    reach: Callable[[TopicCandidates, Values], Ints] | None = None
    reads: bool = False

    @property
    def kind(self) -> str:
        """``static``, ``sampled`` or ``adaptive``."""
        if self.player is not None:
            return "adaptive"
        return "static" if self.order is not None else "sampled"
