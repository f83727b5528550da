"""A pool while it is judged, laid out for what is told of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evaluation.core.judgments import Ints, Mask


class PooledDocument(NamedTuple):
    """One pooled document: the best ``rank`` that any pooled run gives it, and the ``teams``
    whose runs brought it, as places.
    """

    topic: str
    docno: str
    rank: int
    teams: Collection[int]


@dataclass(frozen=True, eq=False)
class PoolState:
    """By document: ``topic``, a place in ``topics``; ``rank``; whether it is ``judged``, and
    ``relevant`` by its first judgment; and ``brought``, documents × teams.
    """

    topics: tuple[str, ...]
    teams: tuple[str, ...]
    topic: Ints
    rank: Ints
    judged: Mask
    relevant: Mask
    brought: Mask

    def count(self, mask: Mask) -> Ints:
        """By topic how many documents are in ``mask``."""
        return np.bincount(self.topic[mask], minlength=len(self.topics))

    @cached_property
    def alone(self) -> Mask:
        """By document: whether one team brought it, and no other."""
        found: Mask = self.brought.sum(axis=1) == 1
        return found


def build_pool_state(
    documents: Sequence[PooledDocument],
    topics: Sequence[str],
    teams: Sequence[str],
    outcomes: Mapping[tuple[str, str], bool],
) -> PoolState:
    """``outcomes``: by topic and docno whether the first judgment found it relevant."""
    place = {topic: at for at, topic in enumerate(topics)}
    brought = np.zeros((len(documents), len(teams)), np.bool_)
    for at, document in enumerate(documents):
        brought[at, list(document.teams)] = True
    found = [outcomes.get((document.topic, document.docno)) for document in documents]
    return PoolState(
        topics=tuple(topics),
        teams=tuple(teams),
        topic=np.array([place[document.topic] for document in documents], np.int64),
        rank=np.array([document.rank for document in documents], np.int64),
        judged=np.array([outcome is not None for outcome in found], np.bool_),
        relevant=np.array([outcome is True for outcome in found], np.bool_),
        brought=brought,
    )
