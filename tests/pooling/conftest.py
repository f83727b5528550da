from __future__ import annotations

from collections.abc import Mapping

import pytest

from campaigns.models import Run, Team
from tests.factories import accepted_run

# Topic → docnos in rank order. "d5" is brought by beta2 alone at depth 2.
TOY = {
    "alpha1": ("Alpha", 1, {"1": "d1 d2 d3", "2": "d1"}),
    "alpha2": ("Alpha", 2, {"1": "d1 d4", "2": "d2 d1"}),
    "beta1": ("Beta", 1, {"1": "d2 d1 d9", "2": "d2 d3"}),
    "beta2": ("Beta", 2, {"1": "d5 d1"}),
}


def ranked_run(team: Team, tag: str, ranked: Mapping[str, str], priority: int = 1) -> Run:
    """An accepted run: ``ranked`` gives docnos by topic in rank order."""
    lines = [
        f"{topic} Q0 {docno} {rank} {-rank} {tag}\n"
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos.split())
    ]
    return accepted_run(team, tag, "".join(lines), priority=priority)


@pytest.fixture
def runs(team, other_team) -> list[Run]:
    teams = {"Alpha": team, "Beta": other_team}
    return [
        ranked_run(teams[name], tag, ranked, priority)
        for tag, (name, priority, ranked) in TOY.items()
    ]
