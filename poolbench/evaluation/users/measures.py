"""User-oriented measures: how a run serves a user who knows some of the documents.

K are the documents that the user already knew, R the relevant documents, A the retrieved ones.
"""

import hashlib
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, defined_ratio
from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable, Mask
from poolbench.evaluation.measures.family import Measure, MeasureFamily
from poolbench.evaluation.name_files import Pairs
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.tables import QrelsTable, RunTable


@dataclass(frozen=True, eq=False)
class KnowingUser:
    """``knows`` marks the judgments of documents that the user already knew.

    ``expected`` is the number of relevant documents per topic that the user expects to find; None:
    as many as the relevant documents that the user knows.
    """

    knows: Mask
    expected: int | None = None

    def known_relevant(self, batch: ScoringBatch) -> Ints:
        """|K ∩ R| by segment."""
        relevant = batch.judged.grades >= batch.options.level
        return batch.judged.count(relevant & self.knows)[batch.topic_index]

    def expects(self, batch: ScoringBatch) -> Ints:
        """Number of relevant documents expected, by segment."""
        if self.expected is None:
            return self.known_relevant(batch)
        return np.full(len(batch), self.expected)


def coverage(batch: ScoringBatch, *, user: KnowingUser) -> Floats:
    retrieved = batch.count(batch.is_relevant & user.knows[batch.judgment_index])
    return defined_ratio(retrieved, user.known_relevant(batch))


def novelty(batch: ScoringBatch, *, user: KnowingUser) -> Floats:
    new = batch.count(batch.is_relevant & ~user.knows[batch.judgment_index])
    return defined_ratio(new, batch.count(batch.is_relevant))


def relative_recall(batch: ScoringBatch, *, user: KnowingUser) -> Floats:
    return defined_ratio(batch.count(batch.is_relevant), user.expects(batch))


def recall_effort(batch: ScoringBatch, *, user: KnowingUser) -> Floats:
    expected = user.expects(batch)
    last = batch.hits[batch.relevant_at_hits == expected[batch.segment[batch.hits]]]
    effort = np.full(len(batch), np.nan)
    segment = batch.segment[last]
    effort[segment] = expected[segment] / batch.ranks[last]
    return effort


_SOURCE = "Korfhage 1997; Modern Information Retrieval, chapter 4."
_EXPECTED = "Default number of relevant documents expected: |K ∩ R|, by topic."
_LEFT_OUT = "; the topic is left out of the mean."
_EXAMPLE = "Ranking d1 to d5; relevant d1, d3, d4, d9; known d3, d8, d9; 2 expected: "
_for_user = partial(MeasureFamily, source=_SOURCE, group="users", modifiers=())
COVERAGE = _for_user(
    name="coverage",
    title="Coverage ratio",
    formula="|K ∩ R ∩ A| / |K ∩ R|",
    reading="The proportion of the relevant documents known to the user that the run retrieves.",
    undefined="the user knows no relevant document of the topic" + _LEFT_OUT,
    example=_EXAMPLE + "of d3 and d9 the run retrieves d3: 1/2.",
    compute=coverage,
)
NOVELTY = _for_user(
    name="novelty",
    title="Novelty ratio",
    formula="|(R ∩ A) − K| / |R ∩ A|",
    reading="The proportion of the relevant documents retrieved that are new to the user.",
    undefined="no relevant document is retrieved for the topic" + _LEFT_OUT,
    example=_EXAMPLE + "of d1, d3 and d4 two are new: 2/3.",
    compute=novelty,
)
RELATIVE_RECALL = _for_user(
    name="relative_recall",
    title="Relative recall",
    formula="|R ∩ A| / relevant documents expected",
    reading="Number of relevant documents retrieved relative to the number the user expected.",
    range="0 and up",
    edge_cases=(_EXPECTED, "Above 1 if the run retrieves more than expected."),
    undefined="the user expects no relevant document of the topic" + _LEFT_OUT,
    example=_EXAMPLE + "three retrieved: 3/2.",
    compute=relative_recall,
)
RECALL_EFFORT = _for_user(
    name="recall_effort",
    title="Recall effort",
    formula="relevant documents expected / rank at which that many are found",
    reading="How efficiently the expected documents are found; 1: no other document has to be "
    "viewed.",
    edge_cases=(_EXPECTED,),
    undefined="the run retrieves fewer relevant documents than expected, or none is expected"
    + _LEFT_OUT,
    example=_EXAMPLE + "the second relevant document is at rank 3: 2/3.",
    compute=recall_effort,
)
USER_MEASURES = (COVERAGE, NOVELTY, RELATIVE_RECALL, RECALL_EFFORT)
"""In print order; ``compute`` takes a ``user`` as well."""


def measures_for_user(user: KnowingUser) -> tuple[Measure, ...]:
    computed = ((family, partial(family.compute, user=user)) for family in USER_MEASURES)
    return tuple(Measure(replace(family, compute=compute)) for family, compute in computed)


def score_for_user(
    run: RunTable,
    qrels: QrelsTable,
    known_pairs: Pairs,
    expected: int | None = None,
    options: ScoringOptions | None = None,
) -> ScoredRun:
    """Score ``run`` for a user who knows the ``(topic, docno)`` pairs ``known_pairs``.

    Raises ``ValueError`` if ``expected`` is below 1.
    """
    if expected is not None and expected < 1:
        raise ValueError("the number of relevant documents expected must be at least 1")
    user = KnowingUser(_is_known_pair(qrels, known_pairs), expected)
    scored = evaluate(run, JudgmentTable.from_table(qrels), measures_for_user(user), options)
    text = "\n".join(sorted(f"{topic} {docno}" for topic, docno in known_pairs))
    own = {
        "known_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "known_documents": len(known_pairs),
        "expected": expected or "the known relevant documents",
    }
    return replace(scored, conditions=scored.conditions | own)


def _is_known_pair(qrels: QrelsTable, known_pairs: Pairs) -> Mask:
    topics = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.starts)).tolist()
    pairs = zip(topics, qrels.docnos, strict=True)
    return np.array(
        [(qrels.topics[topic], docno) in known_pairs for topic, docno in pairs], np.bool_
    )
