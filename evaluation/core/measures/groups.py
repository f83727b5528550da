"""Groups of measures, in the order in which pages show them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasureGroup:
    title: str
    about: str


GROUPS: dict[str, MeasureGroup] = {
    "counts": MeasureGroup("Counts", "How many topics and documents the other figures rest on."),
    "sets": MeasureGroup("Sets", "What was retrieved as a set, in whatever order."),
    "binary": MeasureGroup(
        "Rankings, relevant or not",
        "Where the relevant documents stand; a grade at or above the level is relevant.",
    ),
    "curves": MeasureGroup(
        "Precision and recall curves", "Precision against recall, topic by topic or averaged."
    ),
    "graded": MeasureGroup(
        "Rankings, graded", "What each rank gains by its grade, beside the best possible ranking."
    ),
    "users": MeasureGroup(
        "Models of a reader", "What a reader gains who walks down the ranking and may stop."
    ),
    "incomplete": MeasureGroup(
        "Judgments with holes", "What can be said while much of the ranking is unjudged."
    ),
    "sampled": MeasureGroup(
        "Sampled pools", "Estimates from pools of which only a random sample was judged."
    ),
}
