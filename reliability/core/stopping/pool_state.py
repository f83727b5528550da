"""A pool during judging, as arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evaluation.core.judgments import Ints, Mask


class PooledDocument(NamedTuple):
    """One pooled document: its best ``rank`` in any contributing run, and the ``teams`` that
    contributed it, as indices.
    """

    topic: str
    docno: str
    rank: int
    teams: Collection[int]


@dataclass(frozen=True, eq=False)
class PoolState:
    """By document: ``topic``, an index of ``topics``; ``rank``; whether it is ``judged``, and
    ``relevant`` by its first judgment; and ``contributed``, documents × teams.
    """

    topics: tuple[str, ...]
    teams: tuple[str, ...]
    topic: Ints
    rank: Ints
    judged: Mask
    relevant: Mask
    contributed: Mask

    def count(self, mask: Mask) -> Ints:
        """The number of documents in ``mask``, by topic."""
        return np.bincount(self.topic[mask], minlength=len(self.topics))

    @cached_property
    def unique(self) -> Mask:
        """By document: whether only one team contributed it."""
        mask: Mask = self.contributed.sum(axis=1) == 1
        return mask


def build_pool_state(
    documents: Sequence[PooledDocument],
    topics: Sequence[str],
    teams: Sequence[str],
    outcomes: Mapping[tuple[str, str], bool],
) -> PoolState:
    """``outcomes``: by topic and docno, whether the first judgment is a relevant grade."""
    place = {topic: at for at, topic in enumerate(topics)}
    contributed = np.zeros((len(documents), len(teams)), np.bool_)
    for at, document in enumerate(documents):
        contributed[at, list(document.teams)] = True
    judgments = [outcomes.get((document.topic, document.docno)) for document in documents]
    return PoolState(
        topics=tuple(topics),
        teams=tuple(teams),
        topic=np.array([place[document.topic] for document in documents], np.int64),
        rank=np.array([document.rank for document in documents], np.int64),
        judged=np.array([outcome is not None for outcome in judgments], np.bool_),
        relevant=np.array([outcome is True for outcome in judgments], np.bool_),
        contributed=contributed,
    )
