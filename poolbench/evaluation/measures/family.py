"""Measures: a card, a function over a batch, and how values are cut off, printed and averaged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from poolbench.cards import Card, Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.modifiers import MODIFIERS
from poolbench.evaluation.measures.values import KINDS, Value


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


Better = Literal["higher", "lower", "neither"]
Aggregate = Literal["mean", "sum", "geometric"]
RANKED = ("rel", "list", "mean", "unjudged")
"""The modifiers that every ranking measure accepts."""


@dataclass(frozen=True)
class WorkedExample:
    """A worked topic: grades in rank order (None: not judged), and all judged grades.

    For a sampled pool ``strata`` has the letter of each document's stratum: first those of the
    ranking (a dot: not pooled), then the others, best grade first.
    """

    ranked: tuple[int | None, ...]
    judged: tuple[int, ...]
    value: float
    working: str
    measure: str = ""
    strata: str = ""


@dataclass(frozen=True, kw_only=True)
class MeasureFamily(Card):
    """All measures with one name.

    ``compute(batch, **parameters)`` returns the value of each segment, NaN where undefined.
    ``suffix`` is the parameter after ``_``, ``.`` or ``@`` (``P_10``); ``bare`` are its values if
    the name is used alone, one measure per value; without them the parameter has its default.
    ``together``: a list after ``.`` is one value, not several measures. ``spellings`` are
    alternative input names, ``cut_spellings`` those used before ``@``. ``overall(batch,
    **parameters)`` is the value over all topics if it is not a mean of the topics' values; None:
    the usual one. ``text(batch, **parameters)`` is for measures that give text by topic and no
    number. ``conflict(parameters)`` returns the error message for parameters that cannot be
    combined, or an empty string. ``long_name(**parameters)`` is the title if it depends on the
    parameters. ``better`` says whether higher or lower values are better, if either. ``group`` is a
    key of ``GROUPS``.
    """

    compute: Callable[..., Floats]
    examples: tuple[WorkedExample, ...] = ()
    spellings: tuple[str, ...] = ()
    cut_spellings: tuple[str, ...] = ()
    suffix: str = ""
    bare: tuple[Value, ...] = ()
    together: bool = False
    modifiers: tuple[str, ...] = RANKED
    aggregate: Aggregate = "mean"
    overall: Callable[..., float | None] | None = None
    whole: bool = False
    summary_only: bool = False
    group: str = "binary"
    conflict: Callable[[Mapping[str, Value]], str] | None = None
    long_name: Callable[..., str] | None = None
    text: Callable[..., list[str]] | None = None
    better: Better = "higher"

    def all_parameters(self) -> dict[str, Parameter]:
        """Its own parameters and the modifiers it accepts, by name."""
        own = {p.name: p for p in self.parameters}
        return own | {name: MODIFIERS[name].parameter for name in self.modifiers}


@dataclass(frozen=True)
class Measure:
    """A family with parameter values: what a measure name denotes.

    ``params`` are the parameters that differ from their defaults, sorted, and the suffix.
    """

    family: MeasureFamily
    params: tuple[tuple[str, Value], ...] = ()

    @cached_property
    def name(self) -> str:
        """The name as printed: ``P_10``, ``bpref(form=textbook)``, ``ndcg_cut_10``."""
        known = self.family.all_parameters()
        texts = {k: KINDS[known[k].kind].show(v) for k, v in self.params}
        cut = f"_{texts.pop(self.family.suffix)}" if self.family.suffix in texts else ""
        own = ", ".join(f"{k}={v}" for k, v in texts.items())
        return self.family.name + cut + (f"({own})" if own else "")

    @property
    def title(self) -> str:
        """The full title, which spells out what the short name leaves open."""
        named = self.family.long_name
        return named(**self.own_params()) if named else self.family.title

    def __call__(self, batch: ScoringBatch) -> Floats:
        """The value of each segment of ``batch``."""
        return self.family.compute(self.modified(batch), **self.own_params())

    def texts(self, batch: ScoringBatch) -> tuple[str, ...]:
        """The text of each segment of ``batch``, for families that give text."""
        text = self.family.text
        return tuple(text(self.modified(batch), **self.own_params())) if text else ()

    def modified(self, batch: ScoringBatch) -> ScoringBatch:
        """``batch`` with the modifiers of this measure applied."""
        for name, value in self.params:
            if name in self.family.modifiers:
                batch = MODIFIERS[name].apply(batch, value)
        return batch

    @property
    def follows_from_topics(self) -> bool:
        """Whether the value over all topics follows from the values by topic alone."""
        return dict(self.params).get("mean") != "ratio_of_means"

    @property
    def compares(self) -> bool:
        """Whether runs can be compared by their values by topic: higher or lower values are better,
        and the value over all topics is their arithmetic mean.
        """
        family = self.family
        plain = family.aggregate == "mean" and "mean" not in dict(self.params)
        return plain and family.better != "neither" and not family.summary_only

    def own_params(self) -> dict[str, Any]:
        return {name: value for name, value in self.params if name not in self.family.modifiers}
