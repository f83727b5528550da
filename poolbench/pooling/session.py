"""One topic during pooling: the documents selected, their judgments, and what comes next.

A session is a fold over events. ``next`` has no side effects; ``select`` and ``judge`` are the
only events. Replaying the log of a topic therefore gives the same documents in the same order,
regardless of who judged them and how many were checked out at once (see ``replay_events``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

import numpy as np

from poolbench.pooling.candidates import Ints, TopicCandidates
from poolbench.pooling.method import (
    EARLIER,
    AdaptivePlayer,
    DocumentSample,
    NextDocument,
    PoolingMethod,
    Values,
)


@dataclass(frozen=True)
class StepLimit:
    """When a step ends early: at any limit that is set. Counts are of judgments in the step."""

    no_relevant_in: int | None = None
    relevant: int | None = None

    def is_reached(self, outcomes: Sequence[bool]) -> bool:
        """Whether to stop after ``outcomes`` (relevant or not, in the order of judgments)."""
        barren = self.no_relevant_in
        if barren is not None and len(outcomes) >= barren and not any(outcomes[-barren:]):
            return True
        return self.relevant is not None and sum(outcomes) >= self.relevant


@dataclass(frozen=True)
class PoolStep:
    """One step of a spec. ``documents`` is the most it adds to a topic; ``order`` is
    ``method`` (best first) or ``random`` (seeded hash order).
    """

    method: PoolingMethod
    values: Values
    documents: int | None = None
    order: str = "method"
    stop: StepLimit = field(default_factory=StepLimit)

    @property
    def is_global(self) -> bool:
        """Whether it spends a total budget on the most urgent topic."""
        return self.values.get("scope") == "global"


class SessionEvent(NamedTuple):
    """A document was selected (``relevant`` is None) or judged."""

    doc: int
    relevant: bool | None = None


class LogMismatch(ValueError):  # noqa: N818
    """A log selects another document than the session would have."""


class PoolSession:
    """A topic passing through ``steps``, with at most ``budget`` documents; ``sample``: what a step
    drew from all topics at once.
    """

    def __init__(
        self,
        candidates: TopicCandidates,
        steps: Sequence[PoolStep],
        budget: int | None = None,
        sample: DocumentSample | None = None,
    ) -> None:
        self.candidates = candidates
        self.steps = tuple(steps)
        self.budget = len(candidates) if budget is None else min(budget, len(candidates))
        self.available = np.ones(len(candidates), bool)
        self.selected: list[NextDocument] = []
        self.runs: dict[int, int] = {}
        self.step_by_doc: dict[int, int] = {}
        self.outcomes: dict[int, bool] = {}
        self.sample = sample
        self.at = -1
        self._begin_next_step()

    @property
    def is_complete(self) -> bool:
        """Whether nothing comes next; computed without choosing."""
        return self.at >= len(self.steps) or len(self.selected) >= self.budget

    @property
    def cells(self) -> int:
        """Approximate count of numbers in memory."""
        own = 0 if self._player is None else self._player.cells
        return own + len(self.candidates.runs) * len(self.candidates)

    def next(self) -> NextDocument | None:
        """The next document to judge; None while the topic's pool is complete."""
        if self.is_complete:
            return None
        if self._player is not None:
            return self._player.choose(self.available, len(self.selected))
        return NextDocument(int(self._listed[self._place]))

    def urgency(self) -> float | None:
        """The urgency of the next document, if the step compares topics."""
        if self._player is None or not self.steps[self.at].is_global:
            return None
        return self._player.urgency(self.available)

    def select(self, choice: NextDocument) -> None:
        """Select ``choice``; no document is selected twice."""
        if not self.available[choice.doc]:
            raise ValueError("document already selected")
        self.available[choice.doc] = False
        self.selected.append(choice)
        self.runs[choice.doc] = choice.run
        self.step_by_doc[choice.doc] = self.at
        self._place += 1
        self._skip_finished_steps()

    def select_static(self) -> None:
        """Select everything that comes before the first step that needs judgments."""
        while self.at < len(self.steps) and self._player is None and self._stop == StepLimit():
            left = self.budget - len(self.selected)
            listed = self._listed[self._place :][:left]
            self.available[listed] = False
            self.selected += map(NextDocument._make, zip(listed.tolist(), repeat(EARLIER)))
            self.step_by_doc |= dict.fromkeys(listed.tolist(), self.at)
            self._begin_next_step()

    def judge(self, doc: int, relevant: bool) -> None:
        """Record the judgment of ``doc``. Only the first judgment of a document counts."""
        if doc not in self.step_by_doc:
            raise ValueError("document not selected")
        if doc in self.outcomes:
            return
        self.outcomes[doc] = relevant
        here = self.step_by_doc[doc] == self.at
        if here:
            self._step_outcomes.append(relevant)
        if self._player is not None:
            run = self.runs.get(doc, EARLIER) if here else EARLIER
            self._player.observe(NextDocument(doc, run), relevant)
        self._skip_finished_steps()

    def _skip_finished_steps(self) -> None:
        while self.at < len(self.steps) and self._is_step_finished():
            self._begin_next_step()

    def _is_step_finished(self) -> bool:
        step = self.steps[self.at]
        if step.documents is not None and self._place >= step.documents:
            return True
        if not self.available.any() or self._stop.is_reached(self._step_outcomes):
            return True
        if self._player is None:
            return self._place >= len(self._listed)
        return self._player.is_finished()

    def _begin_next_step(self) -> None:
        self.at += 1
        self._place = 0
        self._stop = StepLimit()
        self._step_outcomes: list[bool] = []
        self._player: AdaptivePlayer | None = None
        self._listed: Ints = np.empty(0, np.int64)
        if self.at == len(self.steps):
            return
        step = self.steps[self.at]
        self._stop = step.stop
        if step.method.player is not None:
            self._player = step.method.player(self.candidates, step.values)
            # The judgments of earlier steps, in their order.
            for doc, relevant in self.outcomes.items():
                self._player.observe(NextDocument(doc, EARLIER), relevant)
        else:
            self._listed = self._list(step)
        self._skip_finished_steps()

    def _list(self, step: PoolStep) -> Ints:
        """The documents that a static step adds, in its order."""
        candidates, left = self.candidates, self.budget - len(self.selected)
        listed: Ints = np.empty(0, np.int64)
        if step.method.order is not None:
            ordered = step.method.order(candidates, step.values, self.available)
            listed = ordered[self.available[ordered]][: step.documents]
        elif step.method.draw is not None and self.sample is not None:
            listed = self.sample.frame[self.sample.sampled]
        elif step.method.sample is not None:
            number = min(left, step.documents or left)
            self.sample = step.method.sample(candidates, step.values, self.available.copy(), number)
            listed = self.sample.frame[self.sample.sampled]
        return candidates.by_hash(listed) if step.order == "random" else listed


def replay_events(session: PoolSession, events: Iterable[SessionEvent]) -> PoolSession:
    """The new ``session`` after ``events``. Raises ``LogMismatch`` at a document that the
    session would not have selected.
    """
    for number, event in enumerate(events, 1):
        if event.relevant is not None:
            session.judge(event.doc, event.relevant)
            continue
        choice = session.next()
        if choice is None or choice.doc != event.doc:
            raise LogMismatch(f"event {number} selects another document than the spec")
        session.select(choice)
    return session
