"""How much of a large test is done on each change, and all of it on request.

``make test`` takes a part: a tenth of the examples that Hypothesis draws, some values of many, some
rounds of a simulation, families of measures whose module changed and a tenth of the others, and no
test that is marked ``full``. POOLBENCH_TEST_EXAMPLES=all, as in ``make test-all``, takes all.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TypeVar

from hypothesis import settings

from tests.changed import list_changed_files

T = TypeVar("T")
ALL = os.environ.get("POOLBENCH_TEST_EXAMPLES") == "all"
SHARE, FEWEST = 0.1, 5
EVALUATION = re.compile(r"poolbench/evaluation/(bounding/\w+|measures/\w+|\w+)\.py")
APART = {"charts", "formats", "bounds_formats", "lead_bounds", "leader_verdict", "name_files"}
"""Modules of evaluation that compute no measure. Of all others that are no family's own, a change
has all families tested.
"""


def count_examples(most: int) -> int:
    """``most`` with POOLBENCH_TEST_EXAMPLES=all, else a tenth of it, but no fewer than five."""
    return most if ALL else min(most, max(FEWEST, round(SHARE * most)))


def examples(most: int) -> settings:
    """Decorator: at most ``most`` examples, without a limit of time for each."""
    return settings(max_examples=count_examples(most), deadline=None)


def take(values: Iterable[T], every: int, start: int = 0) -> list[T]:
    """All values with POOLBENCH_TEST_EXAMPLES=all, else one of ``every``."""
    return list(values) if ALL else list(values)[start % every :: every]


def take_families(families: Iterable[T]) -> list[T]:
    """The families of measures to try: those of changed modules and a tenth of the others."""
    found, changed = list(families), list_changed_modules() - APART
    modules = [set(name_modules(family)) for family in found]
    if changed - set().union(*modules):
        return found
    some = take(found, 10)
    return [f for f, own in zip(found, modules, strict=True) if f in some or own & changed]


def name_modules(family: object) -> Iterator[str]:
    """The modules of measures in which a family is defined."""
    for name, module in list(sys.modules.items()):
        if name.startswith("poolbench.evaluation.measures.") and any(
            value is family for value in vars(module).values()
        ):
            yield name.rpartition(".")[2]


@cache
def list_changed_modules() -> frozenset[str]:
    """The changed modules of evaluation, as far as they may change a measure."""
    found = map(EVALUATION.fullmatch, list_changed_files())
    return frozenset(each[1].rpartition("/")[2] for each in found if each)
