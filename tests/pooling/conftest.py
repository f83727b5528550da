from __future__ import annotations

from collections.abc import Mapping

import pytest

from campaigns.core.runs import run_from_rows
from campaigns.models import Campaign, Run, Team
from campaigns.services import matrices
from campaigns.store import sha256

# Topic → docnos in rank order. "d5" is brought by beta2 alone at depth 2.
TOY = {
    "alpha1": ("Alpha", 1, {"1": "d1 d2 d3", "2": "d1"}),
    "alpha2": ("Alpha", 2, {"1": "d1 d4", "2": "d2 d1"}),
    "beta1": ("Beta", 1, {"1": "d2 d1 d9", "2": "d2 d3"}),
    "beta2": ("Beta", 2, {"1": "d5 d1"}),
}


def accepted_run(
    campaign: Campaign, team: Team, tag: str, ranked: Mapping[str, str], priority: int = 1
) -> Run:
    """An accepted run: ``ranked`` gives docnos by topic in rank order."""
    rows = [
        (topic, docno, float(-rank))
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos.split())
    ]
    table = run_from_rows(tag, rows)
    return Run.objects.create(
        campaign=campaign,
        team=team,
        tag=tag,
        priority=priority,
        state=Run.State.ACCEPTED,
        file_name=f"{tag}.run",
        size=len(rows),
        lines=len(rows),
        sha256=sha256(tag.encode()),
        normalised_hash=sha256(str(sorted(rows)).encode()),
        matrix=matrices.encode(campaign, table),
        submitted_by=campaign.created_by,
    )


@pytest.fixture
def runs(campaign, team, other_team) -> list[Run]:
    teams = {"Alpha": team, "Beta": other_team}
    return [
        accepted_run(campaign, teams[name], tag, ranked, priority)
        for tag, (name, priority, ranked) in TOY.items()
    ]
