"""The confirmation before a pool is frozen."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from campaigns.core.confirmation import Confirmation, Consequence
from campaigns.core.faults import format_count
from campaigns.models import Campaign, Run
from campaigns.queries.confirmations.runs import (
    list_check_matters,
    list_done_submission,
    list_names,
    list_submission_matters,
)
from pooling.queries.runs import list_poolable_runs


def describe_freezing(
    campaign: Campaign,
    runs: Sequence[Run],
    *,
    version: int,
    size: int,
    most: int,
    inputs_hash: str,
) -> Confirmation:
    """Before the pool of ``runs`` is frozen as ``version``: ``size`` documents now, ``most`` at
    the end of an adaptive pool.
    """
    matters = list_submission_matters(
        campaign,
        "Freeze",
        "Runs that come in later are not in this pool: they are scored only on documents that the"
        " pooled runs contribute.",
    )
    matters += list_check_matters(campaign, "Freeze")
    pooled = {run.pk for run in runs}
    others = [run.tag for run in list_poolable_runs(campaign) if run.pk not in pooled]
    teams = len({run.team_id for run in runs})
    documents = format_count(size, "document")
    done = [] if others else ["All accepted runs contribute to this pool."]
    consequences = [
        Consequence("For good", f"Pool {version} never changes or loses a document, even if a run"
                    " is withdrawn. A larger pool is a new version."),
        Consequence("Assessors", "see nothing before a judging plan assigns the pool to them."),
        Consequence("Teams", "do not see the pool, nor which of their runs are in it."),
    ]  # fmt: skip
    if others:
        text = f"{list_names(others)}: scored only on documents that the pooled runs contribute."
        consequences.insert(1, Consequence(format_count(len(others), "run") + " not pooled", text))
    if most > size:
        text = f"Judgments add documents, up to {most:,}. None is removed."
        consequences.insert(1, Consequence("Adaptive", text))
    return Confirmation(
        question=f"Freeze pool {version}?",
        summary=f"{documents} of {format_count(len(runs), 'run')} of"
        f" {format_count(teams, 'team')}. Inputs {inputs_hash[:12]}.",
        before="Before you freeze",
        open=tuple(matters),
        done=(*list_done_submission(campaign), *done),
        consequences=tuple(consequences),
        button=f"Freeze {documents}",
        back=reverse("pools", args=[campaign.slug]),
    )
