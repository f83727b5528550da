"""The answers of crowd workers as the controls read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CrowdAnswer:
    """The latest answer of a worker to a document, in the place of the first one.

    ``purpose`` is judge, gold or repeat; ``grade`` is None for a skip; ``gold_grade`` is the known
    grade of a gold document. ``seconds`` passed by the server's clock since the worker's answer
    before, None if unknown; ``characters`` is the length of the document.
    """

    worker: str
    topic: str
    docno: str
    purpose: str
    grade: int | None
    gold_grade: int | None = None
    seconds: float | None = None
    characters: int = 0

    @property
    def pair(self) -> tuple[str, str]:
        return self.topic, self.docno


def group_by_worker(answers: Iterable[CrowdAnswer]) -> dict[str, list[CrowdAnswer]]:
    """The answers of each worker, in their order."""
    workers: dict[str, list[CrowdAnswer]] = {}
    for answer in answers:
        workers.setdefault(answer.worker, []).append(answer)
    return workers
