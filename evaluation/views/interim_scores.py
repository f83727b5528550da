"""Interim scores: the ranking of runs if judging stopped now."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse

from campaigns.models import Campaign, Run
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.models import ScoreSet
from evaluation.queries.interim_scores import (
    InterimScores,
    compute_interim_scores,
    rank_interim_runs,
)
from evaluation.views.cells import DEFAULT_MEASURES, TRUST, ScoreCell, ScoreColumn, build_column
from poolbench.files.natural_sort import sort_items_naturally
from poolbench.judging.policies import DEFAULT_POLICY, POLICIES
from poolbench.number_formats import format_score


@dataclass(frozen=True)
class InterimScoreRow:
    """One run: its place now and in the latest score set (None: not in it)."""

    run: Run
    place: int
    before: int | None
    cells: tuple[ScoreCell, ...]

    @property
    def moved(self) -> int:
        """Places gained since then; negative: lost."""
        return 0 if self.before is None else self.before - self.place

    @property
    def lost(self) -> int:
        return -self.moved


def interim_scores_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    scores, policy = compute_requested_scores(request, campaign)
    names = [measure.name for measure in scores.measures]
    visible = [name for name in (*campaign.measures, *DEFAULT_MEASURES) if name in names]
    visible = [*dict.fromkeys(visible), *([TRUST] if TRUST in names else [])] or names[:1]
    by = request.GET.get("by", "")
    by = by if by in names else visible[0]
    compared = latest_score_set_with(campaign, by)
    lower = scores.measures[names.index(by)].family.better == "lower"
    before = rank_by_run(compared, by, lower=lower) if compared else {}
    columns = [build_column(scores.measures[names.index(name)]) for name in visible]
    # ``topics`` are the counts of each topic by its number; ``compared``: the latest score
    # set.
    page = {
        "campaign": campaign,
        "scores": scores,
        "policies": [policy.card for policy in POLICIES.values()],
        "policy": policy,
        "columns": columns,
        "by": by,
        "rows": interim_score_rows(scores, names, columns, by, before),
        "compared": compared,
        "topics": sort_items_naturally(scores.topics),
        "ms": round(scores.seconds * 1000),
    }
    return render_page(request, "evaluation/interim_scores.html", page)


def compute_requested_scores(
    request: SignedInRequest, campaign: Campaign
) -> tuple[InterimScores, str]:
    """The interim scores under the requested policy, and its name."""
    requested = request.GET.get("policy", "")
    policy = requested if requested in POLICIES else DEFAULT_POLICY
    return compute_interim_scores(actor=request.user, campaign=campaign, policy=policy), policy


def interim_score_rows(
    scores: InterimScores,
    names: list[str],
    columns: list[ScoreColumn],
    by: str,
    before: dict[int, int],
) -> list[InterimScoreRow]:
    """Best first; runs without a value last."""
    rows = []
    for place, (run, means) in enumerate(rank_interim_runs(scores, by), start=1):
        values = [means[names.index(column.name)] for column in columns]
        cells = tuple(
            ScoreCell(format_score(value, whole=column.whole), value)
            for value, column in zip(values, columns, strict=True)
        )
        rows.append(InterimScoreRow(run, place, before.get(run.pk), cells))
    return rows


def latest_score_set_with(campaign: Campaign, by: str) -> ScoreSet | None:
    """The latest score set with the measure ``by`` by human judgments, as interim scores are."""
    sets = ScoreSet.objects.filter(campaign=campaign).select_related("qrels")
    return next((each for each in sets if by in each.measures and not each.label), None)


def rank_by_run(score_set: ScoreSet, by: str, *, lower: bool) -> dict[int, int]:
    """The place of each run by the measure ``by``, without runs that have no value."""
    rows = score_set.runs.values_list("run", "run__tag", "means")
    valued = [(run, tag, means[by]) for run, tag, means in rows if means[by] is not None]
    valued.sort(key=lambda row: (row[2] if lower else -row[2], row[1]))
    return {row[0]: place for place, row in enumerate(valued, start=1)}
