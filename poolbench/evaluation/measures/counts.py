"""Counts of topics and of documents retrieved and relevant; the grades of the first k."""

from functools import partial
from itertools import pairwise

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

DIGITS = np.frombuffer(b"0123456789", np.uint8)
NOT_LISTED, NOT_JUDGED, BEYOND_9 = np.frombuffer(b"-.>", np.uint8)
_worked = partial(WorkedExample, (1, 0, None, 2), (2, 1, 1, 0, 0, -1))


def relevant_of_grade_1(batch: ScoringBatch) -> float | None:
    """trec_eval's sum over all judged topics counts grades above 0 at any relevance level."""
    options = batch.options
    if not options.profile.counts_grade_1 or options.topics != "judged":
        return None
    return float((batch.judged.grades > 0).sum())


_count = partial(MeasureFamily, source="trec_eval.", aggregate="sum", whole=True, group="counts")
NUM_Q = _count(
    name="num_q",
    title="Topics",
    formula="number of topics in the means",
    reading="Number of topics over which the means are taken.",
    range="0 and up",
    edge_cases=("Reported over all topics only.",),
    compute=lambda batch: np.ones(len(batch)),
    examples=(_worked(1.0, "one topic"),),
    spellings=("NumQ",),
    modifiers=("rel",),
    summary_only=True,
    better="neither",
)

NUM_RET = _count(
    name="num_ret",
    title="Documents retrieved",
    formula="number of documents retrieved (after -M and -J), summed over topics",
    reading="Number of documents of the run that are evaluated.",
    range="0 and up",
    edge_cases=("Topics without judgments are not counted.",),
    compute=lambda batch: batch.lengths.astype(np.float64),
    examples=(_worked(4.0, "4 documents"),),
    spellings=("NumRet",),
    modifiers=("list",),
    better="neither",
)

NUM_REL = _count(
    name="num_rel",
    title="Relevant documents",
    formula="R = number of documents with grade ≥ level, summed over topics",
    reading="Number of relevant documents that the assessors found.",
    range="0 and up",
    edge_cases=("With a relevance level above 1, trec_eval -c sums grades above 0 instead.",),
    compute=lambda batch: batch.relevant.astype(np.float64),
    examples=(_worked(3.0, "grades 2, 1 and 1 are ≥ level 1"),),
    spellings=("NumRel",),
    modifiers=("rel",),
    overall=relevant_of_grade_1,
    better="neither",
)

NUM_REL_RET = _count(
    name="num_rel_ret",
    title="Relevant documents retrieved",
    formula="number of retrieved documents with grade ≥ level, summed over topics",
    reading="Number of relevant documents that the run retrieved at any rank.",
    range="0 to num_rel",
    compute=lambda batch: batch.count(batch.is_relevant).astype(np.float64),
    examples=(_worked(2.0, "at ranks 1 and 4"),),
    spellings=("NumRelRet",),
    modifiers=("rel",),
)

NUM_NONREL_JUDGED_RET = _count(
    name="num_nonrel_judged_ret",
    title="Judged non-relevant documents retrieved",
    formula="number of retrieved documents with 0 ≤ grade < level, summed over topics",
    reading="Number of retrieved documents that were judged non-relevant.",
    range="0 and up",
    edge_cases=("Unjudged documents and grades below 0 are not counted.",),
    compute=lambda batch: batch.count(batch.is_nonrelevant).astype(np.float64),
    examples=(_worked(1.0, "at rank 2"),),
    modifiers=("rel",),
    better="neither",
)


def grades_in_rank_order(batch: ScoringBatch, *, k: int = 10) -> list[str]:
    """A character for each of the first ``k`` documents of each segment, in quotes."""
    rows = batch.ranks <= k
    grades = batch.grades[rows]
    digits = DIGITS[np.clip(grades, 0, 9)]
    signs = np.select([grades > 9, grades < 0], [BEYOND_9, NOT_JUDGED], digits)
    seen = np.minimum(batch.lengths, k)
    starts = np.concatenate(([0], np.cumsum(seen)))
    line = np.full(starts[-1], NOT_LISTED, np.uint8)
    line[starts[batch.segment[rows]] + batch.ranks[rows] - 1] = signs
    text = line.tobytes().decode()
    bounds = starts.tolist()
    return [f"'{text[a:b]}'" for a, b in pairwise(bounds)]


RELSTRING = MeasureFamily(
    name="relstring",
    title="Grades of the first k documents",
    formula="one character per document: its grade; > above 9; . pooled, unjudged; - not pooled",
    reading="The top of the ranking at a glance; text, so it has no mean.",
    source="trec_eval relstring.",
    range="text",
    parameters=(Parameter("k", "Number of documents.", "10", kind="rank"),),
    edge_cases=(
        "Reported by topic only (-q).",
        "A ranking of fewer than k documents gives a shorter string.",
    ),
    undefined="it is text and cannot be averaged.",
    example="ranking `2 · 0`: relstring = '2-0'.",
    compute=lambda batch, **_: np.full(len(batch), np.nan),
    suffix="k",
    modifiers=("list",),
    group="counts",
    text=grades_in_rank_order,
    better="neither",
)
