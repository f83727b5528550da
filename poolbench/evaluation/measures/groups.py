"""Groups of measures, in display order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasureGroup:
    title: str
    about: str


GROUPS: dict[str, MeasureGroup] = {
    "counts": MeasureGroup("Counts", "Numbers of topics and documents behind the scores."),
    "sets": MeasureGroup(
        "Set-based measures", "Quality of the retrieved set, regardless of order."
    ),
    "binary": MeasureGroup(
        "Ranking measures, binary relevance",
        "Ranks of the relevant documents; a document is relevant if its grade is at or "
        "above the relevance level.",
    ),
    "curves": MeasureGroup(
        "Precision–recall curves", "Precision as a function of recall, by topic or averaged."
    ),
    "graded": MeasureGroup(
        "Ranking measures, graded relevance",
        "Gain by grade at each rank, compared with the ideal ranking.",
    ),
    "users": MeasureGroup(
        "User models", "Expected gain of a user who scans down the ranking and may stop."
    ),
    "incomplete": MeasureGroup(
        "Incomplete judgments", "Measures for rankings with many unjudged documents."
    ),
    "sampled": MeasureGroup("Sampled pools", "Estimates from a judged random sample of the pool."),
}
