"""Reports as plain JSON and back, by their types."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pytest

from poolbench.plain_data import read_plain, to_plain


class Shade(StrEnum):
    DARK = "dark"


@dataclass(frozen=True)
class Leaf:
    size: float
    day: date | None = None
    shade: Shade = Shade.DARK


class Step(NamedTuple):
    count: int
    share: float


@dataclass(frozen=True)
class Tree:
    leaves: tuple[Leaf, ...]
    pairs: Mapping[tuple[str, str], int]
    names: Mapping[str, Sequence[int]]
    top: Leaf | str
    at: datetime
    rows: Sequence[tuple[str, float | None]] = ()
    steps: tuple[Step, ...] = ()
    grades: Mapping[int, int] = field(default_factory=dict)

    @property
    def total(self) -> float:
        return sum(leaf.size for leaf in self.leaves)


TREE = Tree(
    (Leaf(1.5, date(2026, 11, 23)), Leaf(2)),
    {("a", "b"): 3},
    {"x": (1, 2)},
    Leaf(0.25),
    datetime(2026, 11, 23, 17, 30),
    (("a", None), ("b", 1.0)),
    (Step(1, 0.5),),
    {0: 7},
)


@pytest.mark.parametrize("top", [Leaf(0.25), "no leaf"])
def test_a_report_returns_as_it_was(top):
    tree = Tree(**{**vars(TREE), "top": top})
    again = read_plain(Tree, json.loads(json.dumps(to_plain(tree))))
    assert again == tree
    assert (again.total, again.steps[0].share) == (3.5, 0.5)


def test_a_field_that_is_missing_has_its_default():
    data = to_plain(TREE)
    del data["rows"]
    assert read_plain(Tree, data).rows == ()


@pytest.mark.parametrize("data", [{"size": 1, "other": 2}, {}])
def test_data_of_another_shape_are_refused(data):
    with pytest.raises(TypeError):
        read_plain(Leaf, data)


def test_an_array_has_no_plain_form():
    with pytest.raises(TypeError, match="ndarray"):
        to_plain(np.zeros(2))
