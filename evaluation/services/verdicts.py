"""The verdict on the leaderboard, for the registry of verdicts."""

from __future__ import annotations

from campaigns.services.verdicts import VerdictKind
from evaluation.core.leader_verdict import LEADERBOARD_RULE
from evaluation.queries.leader_figures import (
    identify_leaderboard,
    list_leader_settings,
    load_leader_figures,
    restore_leader_figures,
)

LEADERBOARD_VERDICT = VerdictKind(
    rule=LEADERBOARD_RULE,
    page="scores",
    identify=identify_leaderboard,
    load=load_leader_figures,
    restore=restore_leader_figures,
    settings=list_leader_settings,
)
