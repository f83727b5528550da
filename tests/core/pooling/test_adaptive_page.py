"""The methods that docs/pooling.md follows step by step do what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pooling.core.building import sessions
from tests.conftest import REPOSITORY
from tests.core.pooling.toy import is_relevant, step, toy_listing

RUNS = ["alpha", "beta", "gamma"]
PLACES = [0, 1, 3]
"""Where they stand among all runs; delta lists nothing for topic 1."""


def means(player: Any) -> list[str]:
    found = zip(player.counts.relevant, player.counts.judged, strict=True)
    told = [f"{1 + relevant:.0f}/{2 + judged:.0f}" for relevant, judged in found]
    return [told[at] for at in PLACES]


def priorities(player: Any) -> list[str]:
    return [f"{player.priority[at]:.0f}".replace("-0", "0").replace("-", "−") for at in PLACES]


def weights(player: Any) -> list[str]:
    return [f"{player.weights()[at]:.3f}" for at in PLACES]


def votes(player: Any) -> list[str]:
    return [f"{vote:.3f}" for vote in player.weights() @ player.gains]


def followed(method: str, shown: list[Callable[[Any], list[str]]], **values: Any) -> str:
    """The rows of topic 1: the document, who played it, whether it is relevant; what is ``shown``
    of the player before; of documents that are given nothing.
    """
    session = sessions(toy_listing(), [step(method, **values)])[0]
    candidates, lines = session.candidates, []
    while (choice := session.next()) is not None:
        told = [cell for show in shown for cell in show(session._player)]
        if shown[-1] is votes:
            told[-5:] = np.where(session.open, told[-5:], "").tolist()
        docno = candidates.docnos[choice.doc]
        relevant = is_relevant("1", docno)
        by = [candidates.runs[choice.run]] if choice.run >= 0 else []
        cells = [str(len(lines) + 1), *told, *by, docno, "yes" if relevant else "no"]
        lines.append("| " + " | ".join(cells) + " |\n")
        session.give(choice)
        session.judge(choice.doc, relevant)
    return "".join(lines).replace("|  |", "| |").replace("|  |", "| |")


TABLES = {
    "maxmean-all": lambda: followed("maxmean", [means], update="all"),
    "maxmean-own": lambda: followed("maxmean", [means], update="own"),
    "mtf": lambda: followed("mtf", [priorities]),
    "hedge": lambda: followed("hedge", [weights, votes]),
}


@pytest.mark.parametrize("table", TABLES)
def test_each_step_is_as_the_page_tells(table: str) -> None:
    rows = TABLES[table]()
    assert len(rows.splitlines()) == 5
    assert rows in (REPOSITORY / "docs/pooling.md").read_text()
