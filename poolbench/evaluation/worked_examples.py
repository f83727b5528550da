"""Worked examples: one small topic, given by its grades, scored rank by rank.

Used for the examples of cards and for trying out a measure. The contribution of a rank is the
value of the ranking down to it minus the value down to the previous rank, so it is computed by
the measure itself.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.evaluate import score_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_places
from poolbench.evaluation.measures.family import Measure, MeasureFamily, WorkedExample
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.options import ScoringOptions

Grade = int | None
"""A grade, or None for a document not in the qrels."""
NOT_POOLED = "."
"""In place of a stratum letter."""
VISIBLE = 1e-9
NOT_FINITE = "the value exceeds the range of floating-point numbers."


@dataclass(frozen=True)
class WorkedDocument:
    """A document of an example; ``stratum`` is a letter if the pool was sampled."""

    grade: Grade
    stratum: str = ""
    is_relevant: bool = False

    @property
    def mark(self) -> str:
        """In a chart or strip: ``2``, ``−1b``, a dot if it is not judged."""
        return "·" if self.grade is None else f"{self.grade}{self.stratum}".replace("-", "−")

    @property
    def label(self) -> str:
        label = "unjudged" if self.grade is None else f"grade {self.grade}"
        label += f", stratum {self.stratum}" if self.stratum else ""
        return f"{label}, relevant" if self.is_relevant else label


@dataclass(frozen=True)
class WorkedStep(WorkedDocument):
    """One rank. ``value`` is the value of the ranking down to here, None where undefined;
    ``adds`` is the contribution of this document; ``relevant`` and ``nonrelevant`` count the
    judged documents down to here."""

    rank: int = field(kw_only=True)
    relevant: int = field(kw_only=True)
    nonrelevant: int = field(kw_only=True)
    value: float | None = field(kw_only=True)
    adds: float | None = field(kw_only=True)


@dataclass(frozen=True)
class WorkedScore:
    """``start`` is the value of an empty ranking; ``reason`` says why ``value`` is None;
    ``text`` is the value of a measure of text. ``strata`` has the stratum letters of the
    documents of the ranking and of the missed ones if there is more than one stratum."""

    measure: Measure
    value: float | None
    reason: str
    start: float | None
    steps: tuple[WorkedStep, ...]
    missed: tuple[int, ...]
    strata: str = ""
    text: str = ""

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def title(self) -> str:
        return self.measure.title

    @property
    def missed_documents(self) -> list[WorkedDocument]:
        """The judged documents that the ranking lacks."""
        letters = self.strata[len(self.steps) :] or " " * len(self.missed)
        pairs = zip(self.missed, letters, strict=True)
        return [WorkedDocument(grade, letter.strip()) for grade, letter in pairs]

    @property
    def has_visible_steps(self) -> bool:
        """Whether any rank visibly changes the value."""
        return any(abs(step.adds or 0.0) > VISIBLE for step in self.steps)


def work_example(
    measure: Measure, ranked: Sequence[Grade], missed: Sequence[int], strata: str = ""
) -> WorkedScore:
    """Score the grades ``ranked`` in rank order, with those ``missed`` also judged.

    ``strata`` has the stratum letter of each of them; empty: no strata.
    """
    batch = single_topic_batch(ranked, missed, strata)
    with np.errstate(all="ignore"):  # values that are not finite are undefined
        scored = score_batch(batch, [measure], "")
        column = measure(prefix_batches(batch))
    letters = strata if len({*strata} - {NOT_POOLED}) > 1 else ""
    values = [float(number) if isfinite(number) else None for number in column.tolist()]
    (value,) = scored.overall
    fault = "" if value is None or isfinite(value) else NOT_FINITE
    return WorkedScore(
        measure=measure,
        value=None if fault else value,
        reason=fault or (measure.family.undefined if value is None else ""),
        start=values[0],
        steps=tuple(_steps(measure.modified(batch), ranked, letters, values)),
        missed=tuple(missed),
        strata=letters,
        text=scored.texts.get(measure.name, ("",))[0],
    )


def work_card_example(family: MeasureFamily, example: WorkedExample) -> WorkedScore:
    """An example of a card, computed by the engine."""
    (measure,) = parse_measure(example.measure or family.name)
    try:
        missed = judged_not_retrieved(example.ranked, example.judged)
    except ValueError as fault:
        raise ValueError(f"worked example of {measure.name}: {fault}") from None
    return work_example(measure, example.ranked, missed, example.strata)


def judged_not_retrieved(ranked: Sequence[Grade], judged: Sequence[int]) -> tuple[int, ...]:
    """The grades of ``judged`` that are not in the ranking, best first.

    Raises ``ValueError`` if a grade of the ranking is missing from ``judged``.
    """
    left = Counter(judged)
    left.subtract(grade for grade in ranked if grade is not None)
    if lacking := [f"{-count} × {grade}" for grade, count in left.items() if count < 0]:
        raise ValueError(
            f"judged {tuple(judged)} lacks {', '.join(lacking)} of ranked {tuple(ranked)}: "
            "it lists the grades of all judged documents, ranked or not"
        )
    return tuple(sorted(left.elements(), reverse=True))


def single_topic_batch(
    ranked: Sequence[Grade], missed: Sequence[int], strata: str = ""
) -> ScoringBatch:
    every = [*ranked, *missed]
    grades = np.array([grade for grade in every if grade is not None], np.int32)
    is_listed = np.array([grade is not None for grade in ranked], np.bool_)
    places = np.where(is_listed, np.cumsum(is_listed) - 1, -1).astype(np.int32)
    judged = JudgmentTable.from_arrays(("1",), np.array([0, len(grades)]), grades)
    if strata:
        letters = [mark for grade, mark in zip(every, strata, strict=True) if grade is not None]
        judged = _sampled_judgments(judged, letters)
    return batch_from_places(judged, ("1",), np.array([0, len(places)]), places, ScoringOptions())


def _sampled_judgments(judged: JudgmentTable, letters: Sequence[str]) -> JudgmentTable:
    """``judged`` as a sample of the strata given by ``letters``, one per judgment."""
    number = np.unique(np.array(letters), return_inverse=True)[1]
    is_sampled = judged.grades >= 0
    rate = np.bincount(number, is_sampled) / np.maximum(np.bincount(number), 1)
    inclusion = np.where(is_sampled, rate[number], np.nan) if len(number) else np.empty(0)
    return replace(judged, strata=number, inclusion=inclusion)


def prefix_batches(batch: ScoringBatch) -> ScoringBatch:
    """The single ranking of ``batch`` truncated at 0, 1 and so on to its end, one segment each."""
    cuts = np.arange(batch.lengths[0] + 1)
    segment, row = np.nonzero(batch.ranks <= cuts[:, None])
    return ScoringBatch(
        judged=batch.judged,
        topic_index=np.zeros(len(cuts), np.int64),
        lengths=cuts,
        answered=np.ones(len(cuts), np.bool_),
        segment=segment,
        ranks=batch.ranks[row],
        judgment_index=batch.judgment_index[row],
        options=batch.options,
    )


def _steps(
    batch: ScoringBatch, ranked: Sequence[Grade], strata: str, values: Sequence[float | None]
) -> list[WorkedStep]:
    """``values[k]`` is the value of the first k documents; ``batch`` has the relevance level."""
    steps: list[WorkedStep] = []
    relevant = nonrelevant = 0
    for rank, grade in enumerate(ranked, start=1):
        is_relevant = grade is not None and grade >= batch.options.level
        relevant += is_relevant
        nonrelevant += grade is not None and grade >= 0 and not is_relevant
        value, before = values[rank], values[rank - 1] or 0.0
        adds = None if value is None else value - before
        stratum = strata[rank - 1 : rank] if grade is not None else ""
        steps.append(
            WorkedStep(
                grade,
                stratum,
                is_relevant,
                rank=rank,
                relevant=relevant,
                nonrelevant=nonrelevant,
                value=value,
                adds=adds,
            )
        )
    return steps
