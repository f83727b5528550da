"""What a measure is: a card, a function over a batch, and how it is cut, printed and averaged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats
from evaluation.core.measures.modifiers import MODIFIERS
from evaluation.core.measures.values import KINDS, Value

Better = Literal["higher", "lower", "neither"]
Aggregate = Literal["mean", "sum", "geometric"]
RANKED = ("rel", "list", "mean", "unjudged")
"""The modifiers that every measure of a ranking takes."""


@dataclass(frozen=True)
class WorkedExample:
    """One topic worked by hand: grades in rank order (None: not judged), all judged grades.

    Where the pool was sampled ``strata`` has the letter of each document's stratum: of those
    of the ranking (a dot: not pooled), then of the others, best grade first.
    """

    ranked: tuple[int | None, ...]
    judged: tuple[int, ...]
    value: float
    working: str
    measure: str = ""
    strata: str = ""


@dataclass(frozen=True)
class MeasureFamily:
    """All measures of one name.

    ``compute(batch, **parameters)`` gives the value of each segment, NaN where undefined.
    ``suffix`` is the parameter that stands after ``_``, ``.`` or ``@`` (``P_10``);
    ``bare`` are its values when the name stands alone, one measure each; without them the
    bare name has the parameter's default. ``together``: a list after ``.`` is one value
    and not several measures. ``spellings`` are other names taken as input,
    ``cut_spellings`` those before ``@``. ``overall(batch, **parameters)`` is the figure
    over all topics where it is not a mean of the topics' values; None: the ordinary one.
    ``text(batch, **parameters)`` makes it a measure of texts by topic, with no number.
    ``conflict(parameters)`` says which of those given do not go together, or nothing.
    ``long_name(**parameters)`` is the title where it depends on them.
    ``better`` says which values are the better ones, if any are.
    ``group`` is a key of ``groups.GROUPS``, where pages show it.
    """

    card: Card
    compute: Callable[..., Floats]
    examples: tuple[WorkedExample, ...]
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

    @property
    def name(self) -> str:
        return self.card.name

    def parameters(self) -> dict[str, Parameter]:
        """Its own parameters and the modifiers that it takes, by name."""
        own = {p.name: p for p in self.card.parameters}
        return own | {name: MODIFIERS[name].parameter for name in self.modifiers}


@dataclass(frozen=True)
class Measure:
    """A family with its parameters: what one name of the user stands for.

    ``params`` are those that differ from their defaults, sorted, and the suffix's.
    """

    family: MeasureFamily
    params: tuple[tuple[str, Value], ...] = ()

    @property
    def name(self) -> str:
        """The name as printed: ``P_10``, ``bpref(form=textbook)``, ``ndcg_cut_10``."""
        known = self.family.parameters()
        shown = {k: KINDS[known[k].kind].show(v) for k, v in self.params}
        cut = f"_{shown.pop(self.family.suffix)}" if self.family.suffix in shown else ""
        own = ", ".join(f"{k}={v}" for k, v in shown.items())
        return self.family.name + cut + (f"({own})" if own else "")

    @property
    def title(self) -> str:
        """The name in words, which says all that the short name leaves open."""
        named = self.family.long_name
        return named(**self.own_params()) if named else self.family.card.title

    def __call__(self, batch: ScoringBatch) -> Floats:
        """The value of each segment of ``batch``."""
        return self.family.compute(self.modified(batch), **self.own_params())

    def texts(self, batch: ScoringBatch) -> tuple[str, ...]:
        """The text of each segment of ``batch``, where the family is one of texts."""
        told = self.family.text
        return tuple(told(self.modified(batch), **self.own_params())) if told else ()

    def modified(self, batch: ScoringBatch) -> ScoringBatch:
        """``batch`` as the modifiers of this measure change it."""
        for name, value in self.params:
            if name in self.family.modifiers:
                batch = MODIFIERS[name].apply(batch, value)
        return batch

    @property
    def follows_from_topics(self) -> bool:
        """Whether the figure over all topics follows from the values by topic alone."""
        return dict(self.params).get("mean") != "ratio_of_means"

    @property
    def compares(self) -> bool:
        """Whether runs can be compared by its values by topic: they say what is better, and
        the figure over all topics is their arithmetic mean.
        """
        family = self.family
        plain = family.aggregate == "mean" and "mean" not in dict(self.params)
        return plain and family.better != "neither" and not family.summary_only

    def own_params(self) -> dict[str, Any]:
        return {name: value for name, value in self.params if name not in self.family.modifiers}
