"""One topic while it is pooled: what was given to assessors, what they said, what comes next.

A session is a fold over events. ``next`` changes nothing; ``give`` and ``judge`` are the only
events. So the log of a topic, played again, gives the same documents in the same order,
whoever judged them and however many were in hand at once (``replayed`` holds that).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

import numpy as np

from pooling.core.candidates import Ints, TopicCandidates
from pooling.core.method import (
    EARLIER,
    AdaptivePlayer,
    ComparablePlayer,
    DocumentSample,
    FinishingPlayer,
    MemoryPlayer,
    NextDocument,
    PoolingMethod,
    Values,
)


@dataclass(frozen=True)
class StepLimit:
    """When a step ends early: any that is given. Counts are of documents judged in the step."""

    no_relevant_in: int | None = None
    relevant: int | None = None

    def reached(self, outcomes: Sequence[bool]) -> bool:
        """Whether to stop after ``outcomes``, relevant or not, in the order of judgments."""
        barren = self.no_relevant_in
        if barren is not None and len(outcomes) >= barren and not any(outcomes[-barren:]):
            return True
        return self.relevant is not None and sum(outcomes) >= self.relevant


@dataclass(frozen=True)
class PoolStep:
    """One step of a spec. ``documents`` is the most that it adds to a topic; ``order`` is
    ``method`` (best first) or ``random`` (seeded hash order).
    """

    method: PoolingMethod
    values: Values
    documents: int | None = None
    order: str = "method"
    stop: StepLimit = field(default_factory=StepLimit)

    @property
    def is_global(self) -> bool:
        """Whether it spends a total budget on the topic that is most urgent."""
        return self.values.get("scope") == "global"


class SessionEvent(NamedTuple):
    """A document was given to somebody (``relevant`` is None), or judged."""

    doc: int
    relevant: bool | None = None


class LogMismatch(ValueError):  # noqa: N818 -- says what happened
    """A log gives another document than the session would have."""


class PoolSession:
    """A topic on its way through ``steps``, with ``budget`` documents at most."""

    def __init__(
        self, candidates: TopicCandidates, steps: Sequence[PoolStep], budget: int | None = None
    ) -> None:
        self.candidates = candidates
        self.steps = tuple(steps)
        self.budget = len(candidates) if budget is None else min(budget, len(candidates))
        self.open = np.ones(len(candidates), bool)
        self.given: list[NextDocument] = []
        self.runs: dict[int, int] = {}
        self.step_of: dict[int, int] = {}
        self.outcomes: dict[int, bool] = {}
        self.sample: DocumentSample | None = None
        self.at = -1
        self._begin_next()

    @property
    def is_complete(self) -> bool:
        """Whether nothing comes next, which costs nothing to ask."""
        return self.at >= len(self.steps) or len(self.given) >= self.budget

    @property
    def cells(self) -> int:
        """How many numbers are in memory, about."""
        own = self._player.cells if isinstance(self._player, MemoryPlayer) else 0
        return own + len(self.candidates.runs) * len(self.candidates)

    def next(self) -> NextDocument | None:
        """What to judge next; None when the pool of the topic is complete for now."""
        if self.is_complete:
            return None
        if self._player is not None:
            return self._player.choose(self.open, len(self.given))
        return NextDocument(int(self._listed[self._place]))

    def urgency(self) -> float | None:
        """How urgent the next document is, if the step compares topics."""
        if isinstance(self._player, ComparablePlayer) and self.steps[self.at].is_global:
            return self._player.urgency(self.open)
        return None

    def give(self, choice: NextDocument) -> None:
        """``choice`` has gone to somebody: nobody else gets it."""
        if not self.open[choice.doc]:
            raise ValueError("this document was given already")
        self.open[choice.doc] = False
        self.given.append(choice)
        self.runs[choice.doc] = choice.run
        self.step_of[choice.doc] = self.at
        self._place += 1
        self._move_on()

    def give_listed(self) -> None:
        """Give all that comes before the first step that needs judgments to go on."""
        while self.at < len(self.steps) and self._player is None and self._stop == StepLimit():
            left = self.budget - len(self.given)
            listed = self._listed[self._place :][:left]
            self.open[listed] = False
            self.given += map(NextDocument._make, zip(listed.tolist(), repeat(EARLIER)))
            self.step_of |= dict.fromkeys(listed.tolist(), self.at)
            self._begin_next()

    def judge(self, doc: int, relevant: bool) -> None:
        """Somebody has judged ``doc``. The first judgment counts: a later one rewrites nothing."""
        if doc not in self.step_of:
            raise ValueError("this document was not given to anybody")
        if doc in self.outcomes:
            return
        self.outcomes[doc] = relevant
        here = self.step_of[doc] == self.at
        if here:
            self._said.append(relevant)
        if self._player is not None:
            run = self.runs.get(doc, EARLIER) if here else EARLIER
            self._player.judged(NextDocument(doc, run), relevant)
        self._move_on()

    def _move_on(self) -> None:
        while self.at < len(self.steps) and self._is_over():
            self._begin_next()

    def _is_over(self) -> bool:
        step = self.steps[self.at]
        if step.documents is not None and self._place >= step.documents:
            return True
        if not self.open.any() or self._stop.reached(self._said):
            return True
        if isinstance(self._player, FinishingPlayer) and self._player.settled():
            return True
        return self._player is None and self._place >= len(self._listed)

    def _begin_next(self) -> None:
        self.at += 1
        self._place = 0
        self._stop = StepLimit()
        self._said: list[bool] = []
        self._player: AdaptivePlayer | None = None
        self._listed: Ints = np.empty(0, np.int64)
        if self.at == len(self.steps):
            return
        step = self.steps[self.at]
        self._stop = step.stop
        if step.method.player is not None:
            self._player = self._told(step.method.player(self.candidates, step.values))
        else:
            self._listed = self._list(step)
        self._move_on()

    def _told(self, player: AdaptivePlayer) -> AdaptivePlayer:
        """``player``, knowing what earlier steps have found, in the order of judgments."""
        for doc, relevant in self.outcomes.items():
            player.judged(NextDocument(doc, EARLIER), relevant)
        return player

    def _list(self, step: PoolStep) -> Ints:
        """The documents that a static step adds, in its order."""
        candidates, left = self.candidates, self.budget - len(self.given)
        listed: Ints = np.empty(0, np.int64)
        if step.method.order is not None:
            wanted = step.method.order(candidates, step.values, self.open)
            listed = wanted[self.open[wanted]][: step.documents]
        elif step.method.sample is not None:
            number = min(left, step.documents or left)
            self.sample = step.method.sample(candidates, step.values, self.open.copy(), number)
            listed = self.sample.frame[self.sample.drawn]
        return candidates.by_hash(listed) if step.order == "random" else listed


def replay_events(session: PoolSession, events: Iterable[SessionEvent]) -> PoolSession:
    """``session``, a new one, after ``events``. Raises ``Diverged`` at a document that the
    session would not have given.
    """
    for number, event in enumerate(events, 1):
        if event.relevant is not None:
            session.judge(event.doc, event.relevant)
            continue
        choice = session.next()
        if choice is None or choice.doc != event.doc:
            raise LogMismatch(f"event {number} gives another document than the spec does")
        session.give(choice)
    return session
