"""The table of pooling methods: all of one shape, chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.core.cards import Card
from campaigns.core.tables import RunTable
from pooling.core.depth import DEPTH, depth_pool
from pooling.core.tables import PoolTable

Spec = Mapping[str, Any]
"""The parameters of a method by name, as plain values, as they are kept with a pool."""


@dataclass(frozen=True)
class Method:
    """``build(runs, spec, seed)``; ``seed`` is the only source of chance."""

    card: Card
    build: Callable[[Sequence[RunTable], Spec, int], PoolTable]

    @property
    def name(self) -> str:
        return self.card.name


def _depth(runs: Sequence[RunTable], spec: Spec, seed: int) -> PoolTable:  # noqa: ARG001
    return depth_pool(runs, spec["depth"])


METHODS: dict[str, Method] = {method.name: method for method in (Method(DEPTH, _depth),)}
