"""What a measure is: a card, a function over a batch, and how it is cut, printed and averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from campaigns.core.cards import Card
from evaluation.core.batch import Batch, Floats

Value = int | str
Aggregate = Literal["mean", "sum"]


@dataclass(frozen=True)
class Example:
    """One topic worked by hand: grades in rank order (None: not judged), all judged grades."""

    ranked: tuple[int | None, ...]
    judged: tuple[int, ...]
    value: float
    working: str
    measure: str = ""


@dataclass(frozen=True)
class Family:
    """All measures of one name. ``cutoffs`` are those of the bare name; () means no cutoff.

    ``spellings`` are other names taken as input, ``cut_spellings`` those before ``@k``.
    """

    card: Card
    compute: Callable[..., Floats]
    examples: tuple[Example, ...]
    spellings: tuple[str, ...] = ()
    cut_spellings: tuple[str, ...] = ()
    cutoffs: tuple[int, ...] = ()
    aggregate: Aggregate = "mean"
    whole: bool = False
    summary_only: bool = False

    @property
    def name(self) -> str:
        return self.card.name


@dataclass(frozen=True)
class Measure:
    """A family with its parameters: what one name of the user stands for."""

    family: Family
    params: tuple[tuple[str, Value], ...] = ()

    @property
    def name(self) -> str:
        """The name as printed: ``P_10``, ``bpref(form=textbook)``, ``ndcg_cut_10``."""
        default = {p.name: p.default for p in self.family.card.parameters}
        own = [f"{k}={v}" for k, v in self.params if k != "k" and str(v) != default[k]]
        cut = [f"_{v}" for k, v in self.params if k == "k"]
        return self.family.name + "".join(cut) + (f"({', '.join(own)})" if own else "")

    def __call__(self, batch: Batch) -> Floats:
        """The value of each segment of ``batch``."""
        return self.family.compute(batch, **dict(self.params))
