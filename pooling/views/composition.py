"""What a pool is composed of, by topic, run and team, and how an adaptive pool grew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from campaigns.models import Campaign
from pooling.models import Pool
from pooling.queries import Composition, TopicGrowth, list_growth
from pooling.queries.composition import RunShare, TeamShare, TopicShare
from pooling.queries.preview import PoolPreview


class TopicRow(NamedTuple):
    """``pct`` and ``alone`` are the lengths of bars in percent; ``hours`` are of a preview."""

    topic: TopicShare
    title: str
    pct: float
    alone: float
    hours: float | None


class RunRow(NamedTuple):
    """``share``: the pooled share in percent, of a preview."""

    run: RunShare
    pct: float
    share: float | None


class TeamRow(NamedTuple):
    team: TeamShare
    pct: float


@dataclass(frozen=True)
class CompositionPart:
    """The tables of a composition: runs and teams with the most unique documents first."""

    parts: Composition
    size: str
    by_topic: list[TopicRow]
    by_run: list[RunRow]
    by_team: list[TeamRow]
    one_run_percent: float
    one_team_percent: float


class GrowthRow(NamedTuple):
    topic: TopicGrowth
    pct: float


@dataclass(frozen=True)
class GrowthPart:
    """The growth of an adaptive pool by topic, and its sums."""

    growth: list[GrowthRow]
    growth_given: int
    growth_budget: int
    growth_relevant: int
    growth_alone: int
    growth_many: int


def composition_part(
    campaign: Campaign,
    parts: Composition,
    preview: PoolPreview | None = None,
    seconds: float = 0,
) -> CompositionPart:
    pooled_shares = (
        {row.run.tag: share_percent(row.share, 1) for row in preview.pooled_shares}
        if preview
        else {}
    )
    titles = dict(campaign.topics.values_list("number", "title"))
    runs = sorted(parts.runs, key=lambda run: -run.alone)
    teams = sorted(parts.teams, key=lambda team: -team.alone)
    return CompositionPart(
        parts=parts,
        size=f"{parts.size:,}",
        by_topic=[
            TopicRow(
                topic,
                titles.get(topic.number, ""),
                share_percent(topic.documents, parts.largest_topic),
                share_percent(topic.one_team, parts.largest_topic),
                preview.topic_hours(topic, seconds) if preview else None,
            )
            for topic in parts.topics
        ],
        by_run=[
            RunRow(run, share_percent(run.alone, runs[0].alone), pooled_shares.get(run.tag))
            for run in runs
        ],
        by_team=[TeamRow(team, share_percent(team.alone, teams[0].alone)) for team in teams],
        one_run_percent=share_percent(parts.one_run, parts.size),
        one_team_percent=share_percent(parts.one_team, parts.size),
    )


def share_percent(part: float | None, whole: float) -> float:
    return 100 * part / whole if part and whole else 0.0


def growth_part(pool: Pool) -> GrowthPart:
    growth = list_growth(pool)
    return GrowthPart(
        growth=[GrowthRow(topic, share_percent(topic.share, 1)) for topic in growth],
        growth_given=sum(topic.selected for topic in growth),
        growth_budget=sum(topic.budget for topic in growth),
        growth_relevant=sum(topic.relevant for topic in growth),
        growth_alone=sum(topic.one_team for topic in growth),
        growth_many=sum(topic.many_relevant for topic in growth),
    )
