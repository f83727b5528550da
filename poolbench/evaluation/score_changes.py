"""Why the score of a run is another under other qrels: by topic, and in a topic by document.

The parts add up. A topic contributes to a mean its value over the number of topics, so what it
contributes to the change is that of the new qrels minus that of the old. In a topic the changed
grades are put in one after the other, the run's documents first, from rank 1 down: a document's
part is the value with its new grade minus the value before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from poolbench.evaluation.evaluate import score_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import RunTable

Grade = int | None
"""None: not in the qrels."""
MOST_DOCUMENTS = 500
"""Of which the parts are computed, one scoring each; the parts of all others are one."""


@dataclass(frozen=True)
class TopicChange:
    """``before`` and ``after``: the values of the topic, None where undefined or not scored;
    ``part``: what it contributes to the change of the mean.
    """

    topic: str
    before: float | None
    after: float | None
    part: float

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class DocumentChange:
    """A document with another grade; ``rank`` None: the run did not retrieve it."""

    docno: str
    rank: int | None
    before: Grade
    after: Grade
    part: float


@dataclass(frozen=True)
class TopicExplanation:
    """``documents`` by rank; ``rest``: the part of those not listed, ``settings``: that of another
    relevance level or other gains. All parts are the change of the topic's value.
    """

    documents: tuple[DocumentChange, ...]
    rest: float
    settings: float

    @property
    def total(self) -> float:
        return sum(each.part for each in self.documents) + self.rest + self.settings


def explain_topics(
    before: Mapping[str, float | None], after: Mapping[str, float | None]
) -> list[TopicChange]:
    """The topics of either, in the order of ``after``; the parts add up to the change of the mean
    over the defined values.
    """
    sizes = [sum(value is not None for value in values.values()) for values in (before, after)]
    topics = dict.fromkeys([*after, *before])
    return [
        TopicChange(
            topic,
            before.get(topic),
            after.get(topic),
            share(after.get(topic), sizes[1]) - share(before.get(topic), sizes[0]),
        )
        for topic in topics
    ]


def share(value: float | None, topics: int) -> float:
    return 0.0 if value is None else value / topics


def explain_topic(
    run: RunTable,
    topic: str,
    grades: tuple[Mapping[str, int], Mapping[str, int]],
    measure: Measure,
    options: tuple[ScoringOptions, ScoringOptions],
) -> TopicExplanation:
    """``grades`` and ``options`` before and after; ``grades`` are those of the topic by docno."""
    before, after = grades
    ranks = rank_documents(run, topic)
    changed = [docno for docno in {*before, *after} if before.get(docno) != after.get(docno)]
    changed.sort(key=lambda docno: (ranks.get(docno, len(ranks) + 1), docno))
    current = dict(before)
    value = score_by_grades(run, topic, current, measure, options[1])
    settings = value - score_by_grades(run, topic, current, measure, options[0])
    documents = []
    for docno in changed[:MOST_DOCUMENTS]:
        put_grade(current, docno, after.get(docno))
        last, value = value, score_by_grades(run, topic, current, measure, options[1])
        grade = before.get(docno), after.get(docno)
        documents.append(DocumentChange(docno, ranks.get(docno), *grade, value - last))
    end = score_by_grades(run, topic, after, measure, options[1])
    return TopicExplanation(tuple(documents), end - value, settings)


def rank_documents(run: RunTable, topic: str) -> dict[str, int]:
    if topic not in run.topics:
        return {}
    rows = run.rows(run.topics.index(topic))
    return {docno: rank for rank, docno in enumerate(run.docnos[rows], 1)}


def put_grade(grades: dict[str, int], docno: str, grade: Grade) -> None:
    if grade is None:
        grades.pop(docno, None)
    else:
        grades[docno] = grade


def score_by_grades(
    run: RunTable, topic: str, grades: Mapping[str, int], measure: Measure, options: ScoringOptions
) -> float:
    """The value of the topic alone; 0 where it is undefined, as it then adds nothing to a mean."""
    rows: Sequence[tuple[str, str, int]] = [
        (topic, docno, grade) for docno, grade in grades.items()
    ]
    if not rows:
        return 0.0
    judged = JudgmentTable.from_table(qrels_from_rows(rows))
    scored = score_batch(batch_from_table(run, judged, options), [measure], run.tag)
    value = float(scored.values[0, 0]) if len(scored.values) else 0.0
    return 0.0 if isnan(value) else value
