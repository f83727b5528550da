"""CAL: what it reads, what it learns, and what it lacks."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poolbench.pooling.method import NextDocument
from poolbench.pooling.methods.cal import ContinuousActiveLearning
from tests.poolbench.pooling.test_adaptive_methods import A, topic_1
from tests.poolbench.pooling.toy import read


def test_cal_learns_anew_after_each_batch_and_keeps_still_between() -> None:
    player = ContinuousActiveLearning(topic_1(), {})
    learned = []
    for doc in range(4):
        player.observe(NextDocument(doc), doc == A)
        learned.append(len(player.learned))
    # B is 1, then 2, then 3: learned after 1 and 3 judgments, next after 6.
    assert learned == [1, 1, 3, 3]
    assert (player.batch, player.due) == (3, 6)


def test_cal_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = topic_1()
    for lacking in (replace(candidates, read=None), replace(candidates, query="")):
        with pytest.raises(ValueError, match="a title for topic 1"):
            ContinuousActiveLearning(lacking, {})
    known = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return known(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValueError, match=r"pip install poolbench\[cal\]"):
        ContinuousActiveLearning(candidates, {}).choose(np.ones(5, bool), 0)


def test_cal_reads_when_it_first_chooses_and_only_once() -> None:
    candidates, asked = topic_1(), []

    def reading(docnos: Sequence[str]) -> list[str]:
        asked.append(docnos)
        return read(docnos)

    player = ContinuousActiveLearning(replace(candidates, read=reading), {})
    assert (asked, player.cells) == ([], 0)
    player.choose(np.ones(5, bool), 0)
    player.observe(NextDocument(0), True)
    player.choose(np.ones(5, bool), 1)
    assert asked == [["a", "b", "c", "d", "e"]]
    assert player.cells == player.features.nnz > 5


def test_cal_goes_by_the_hash_where_no_text_has_a_word() -> None:
    candidates = replace(topic_1(), read=lambda docnos: ["" for _ in docnos], query="?")
    chosen = ContinuousActiveLearning(candidates, {}).choose(np.ones(5, bool), 0)
    assert chosen.doc == candidates.tie.argmin()
