"""The leaderboard as a subject of reports."""

from __future__ import annotations

from campaigns.services.snapshots import Subject
from evaluation.queries.leaderboard_report import identify_leaderboard, load_leaderboard_report
from poolbench.evaluation.leader_verdict import (
    LEADERBOARD,
    QUESTION,
    LeaderboardReport,
    judge_leaderboard,
)

LEADERBOARD_SUBJECT = Subject(
    LEADERBOARD,
    identify_leaderboard,
    load_leaderboard_report,
    LeaderboardReport,
    judge_leaderboard,
    QUESTION,
    page="scores",
)
