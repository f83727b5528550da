"""Groups of measures, in the order in which pages show them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    title: str
    about: str


GROUPS: dict[str, Group] = {
    "counts": Group("Counts", "How many topics and documents the other figures rest on."),
    "sets": Group("Sets", "What was retrieved as a set, in whatever order."),
    "binary": Group(
        "Rankings, relevant or not",
        "Where the relevant documents stand; a grade at or above the level is relevant.",
    ),
    "curves": Group(
        "Precision and recall curves", "Precision against recall, topic by topic or averaged."
    ),
    "graded": Group(
        "Rankings, graded", "What each rank gains by its grade, beside the best possible ranking."
    ),
    "users": Group(
        "Models of a reader", "What a reader gains who walks down the ranking and may stop."
    ),
    "incomplete": Group(
        "Judgments with holes", "What can be said while much of the ranking is unjudged."
    ),
    "sampled": Group(
        "Sampled pools", "Estimates from pools of which only a random sample was judged."
    ),
}
